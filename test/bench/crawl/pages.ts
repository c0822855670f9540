/** Words of a language of its own, the same for the same seed. */
const words = (seed: number, count: number): string => {
  let state = (Math.imul(seed + 1, 2654435761) + 1) >>> 0
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return `w${(state >>> 12).toString(36)}`
  }).join(" ")
}

const card = (seed: number): string =>
  `<article class="card"><h2>${words(seed, 3)}</h2><p class="lead text-muted">${words(seed + 1, 60)}</p><figure><img src="/i/${seed}.png" alt="${words(seed, 2)}" width="64" height="64"></figure></article>`

/** Page `index` of a site of `pages`: a navigation of thirty links, ten links to other pages, and cards of text up to so many bytes. */
export const pageOf = (index: number, pages: number, bytes: number): string => {
  const targets = Array.from({ length: 40 }, (_, at) => (at < 30 ? at % pages : (index * 10 + at) % pages))
  const links = targets.map((to) => `<li class="item"><a href="/p${to}">Page number ${to}</a></li>`).join("\n")
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Page ${index}</title><meta name="description" content="About ${index}"><link rel="canonical" href="/p${index}"></head><body><nav><ul>${links}</ul></nav><main><h1>Page ${index}</h1>`
  const cards: Array<string> = []
  for (let length = head.length, at = 0; length < bytes; at++) {
    const next = card(index * 1000 + at)
    cards.push(next)
    length += next.length
  }
  return `${head}${cards.join("\n")}</main></body></html>`
}
