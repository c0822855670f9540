import { brotliCompressSync, constants, gzipSync } from "node:zlib"

/** The response of a page of one kind. */
export interface Body {
  readonly bytes: Uint8Array
  readonly encoding: "gzip" | "br" | null
}

const mib = 1024 * 1024
const bombBytes = 200 * 1024 * 1024

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A page of about two MiB that repeats the result of `piece`. */
export const filled = (piece: (index: number) => string): Body => {
  const pieces: Array<string> = []
  for (let length = 0, index = 0; length < 2 * mib - 300; index++) {
    const next = piece(index)
    pieces.push(next)
    length += next.length
  }
  return { bytes: bytesOf(`<!doctype html><title>A large page</title><body>${pieces.join("")}`), encoding: null }
}

const word = (index: number) => ((index * 2_654_435_761) >>> 0).toString(36)

const card = (index: number) =>
  `<article class="card"><h2>${word(index)}</h2><p>${Array.from({ length: 20 }, (_, at) => word(index * 20 + at)).join(" ")}</p><a href="/more/${index}">more</a><img src="/i/${index}.png" alt="${word(index)}"></article>`

/** About 20 KiB, like ordinary pages. */
const ordinary: Body = {
  bytes: bytesOf(
    `<!doctype html><title>An ordinary page</title><body>${Array.from({ length: 60 }, (_, index) => card(index)).join("")}`
  ),
  encoding: null
}

/** Pages by name, each made at its first request. */
export const pages = {
  ordinary: () => ordinary,
  "gzip bomb of 200 MiB": () => ({ bytes: gzipSync(Buffer.alloc(bombBytes, "<p>"), { level: 6 }), encoding: "gzip" }),
  "brotli bomb of 200 MiB": () => ({
    bytes: brotliCompressSync(Buffer.alloc(bombBytes, "<p>"), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
    encoding: "br"
  }),
  "10 MiB of HTML": () => ({ bytes: Buffer.alloc(10 * mib - 10, "<p>some text</p>"), encoding: null }),
  "2 MiB of links": () => filled((index) => `<a href=/l/${index}>${index % 10}</a> `),
  "2 MiB of nesting": () => filled((index) => (index % 40 === 0 ? "<div><b><i>" : "<div>")),
  "2 MiB of attributes": () => filled((index) => `<p a${index}=1 b${index}=2 title="${word(index)}">x`),
  "2 MiB of text": () => filled((index) => `${word(index)} ${index % 50 === 0 ? "<p>" : ""}`)
} satisfies Readonly<Record<string, () => Body>>

export type PageKind = keyof typeof pages
