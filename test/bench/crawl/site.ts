/** A separate process: serves a site of generated pages, each of `least` to `most` bytes, with a delay per response, and prints its URL. */

/** Invented words, the same for the same seed. */
const words = (seed: number, count: number): string => {
  let state = (Math.imul(seed + 1, 2654435761) + 1) >>> 0
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return `w${(state >>> 12).toString(36)}`
  }).join(" ")
}

const card = (seed: number): string =>
  `<article class="card"><h2>${words(seed, 3)}</h2><p class="lead text-muted">${words(seed + 1, 60)}</p><figure><img src="/i/${seed}.png" alt="${words(seed, 2)}" width="64" height="64"></figure></article>`

/** Page `index` of a site of `pages`: a navigation with thirty links, ten links to other pages, and cards of text up to the given number of bytes. */
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

const [pages = 50, least = 20_000, most = least, latency = 0] = process.argv.slice(2).map(Number)

/** Pages that are kept in memory; a larger site is generated again for each request. */
const kept = new Map<number, Uint8Array>()

const mostKept = 2000

const encoder = new TextEncoder()

const bodyOf = (index: number): Uint8Array => {
  const known = kept.get(index)
  if (known !== undefined) return known
  const body = encoder.encode(pageOf(index, pages, least + Math.round(((most - least) * (index % 11)) / 10)))
  if (kept.size < mostKept) kept.set(index, body)
  return body
}

for (let index = 0; index < Math.min(pages, mostKept); index++) bodyOf(index)

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (latency > 0) await Bun.sleep(latency)
    const { pathname } = new URL(request.url)
    const index = pathname === "/" ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1] ?? "-1")
    if (pathname.startsWith("/i/")) return new Response("", { headers: { "content-type": "image/png" } })
    if (index < 0 || index >= pages) return new Response("", { status: 404 })
    return new Response(bodyOf(index), { headers: { "content-type": "text/html" } })
  }
})

console.log(`answers on ${server.url.origin}`)
