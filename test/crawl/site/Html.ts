interface PageParts {
  readonly title?: string
  readonly head?: string
  readonly links?: ReadonlyArray<string>
  readonly body?: string
}

/** A sound page with these parts, without issues by default. */
export const html = ({ body = "", head = "", links = [], title = "A page of the site" }: PageParts = {}): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title}</title><meta name="description" content="What ${title} is about">${openGraph(title)}${head}</head><body><h1>${title}</h1>` +
  `<p>${words(title)}</p>${body}${links.map((href) => `<a href="${href}">to ${href}</a> `).join("")}</body></html>`

const openGraph = (title: string): string =>
  [
    `title" content="${title}`,
    'type" content="website',
    'image" content="https://site.test/c.png',
    'url" content="https://site.test/'
  ]
    .map((rest) => `<meta property="og:${rest}">`)
    .join("")

/** Sixty words that differ from page to page, so that pages are neither thin nor similar. */
const words = (seed: string): string => {
  let state = 7
  for (const char of seed) state = (state * 31 + (char.codePointAt(0) ?? 0)) >>> 0
  return Array.from({ length: 60 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return `w${(state >>> 8).toString(36)}`
  }).join(" ")
}
