import { heapStats } from "bun:jsc"
import type { Socket } from "node:net"
import { join, resolve } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { readPage } from "../../src/crawl/page/Page.ts"
import { type PageKind, pages } from "../crawl/memory/pages.ts"
import { html } from "../crawl/site/Html.ts"
import { brotliBomb, gzipBomb, send } from "../faults/faults.ts"
import { client, get } from "../foundation/outbound/client.ts"
import { serve } from "../foundation/outbound/server.ts"

const tests = resolve(import.meta.dir, "..")
const mib = 1024 * 1024

/** MiB that a crawl may use beyond its process's earlier memory, and milliseconds that it may exceed its deadline. */
const allowed = 150
const late = 1000
/** MiB that four concurrent bombs may use, and that the facts of twenty pages of one MiB may keep. */
const allowedToBombs = 60
const allowedToFacts = 12

/** One law: the measured value with its unit, and its limit. */
interface Measured {
  readonly what: string
  readonly value: number
  readonly most: number
  readonly unit: string
}

const spawn = (script: string, ...words: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.spawn([process.execPath, join(tests, script), ...words], { stderr: "inherit", stdout: "pipe" })
    ),
    (child) => Effect.sync(() => child.kill())
  )

const said = <A, I>(schema: Schema.Schema<A, I>, script: string, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const child = yield* spawn(script, ...words)
    const text = yield* Effect.promise(() => new Response(child.stdout).text())
    return yield* Schema.decode(Schema.parseJson(schema))(text)
  }).pipe(Effect.scoped)

const Crawled = Schema.Struct({
  baseline: Schema.Number,
  fetched: Schema.Number,
  millis: Schema.Number,
  over: Schema.Number
})

/** A crawl of fifty pages of one kind of 2 MiB and more, ended by its deadline; a slow machine needs a longer one to read any. */
const crawlOf = (
  origin: string,
  kind: string,
  deadline: number,
  longer = 4
): Effect.Effect<ReadonlyArray<Measured>, ParseError> =>
  Effect.flatMap(said(Crawled, "crawl/memory/crawler.ts", origin, kind, `${deadline}`), ({ fetched, millis, over }) => {
    if (fetched < 2 && longer > 1) return crawlOf(origin, kind, longer * deadline, 1)
    const of = `${kind}, ${fetched} pages, deadline ${deadline} ms`
    return Effect.succeed([
      { most: allowed, unit: "MiB", value: over, what: of },
      { most: late, unit: "ms late", value: Math.max(0, millis - deadline), what: of },
      { most: 0, unit: "pages missing to measure anything", value: Math.max(0, 2 - fetched), what: of }
    ])
  })

const isKind = (name: string): name is PageKind => name in pages

const hostilePages = (deadline: number) =>
  Effect.gen(function* () {
    const site = yield* spawn("crawl/memory/site.ts")
    const { value } = yield* Effect.promise(() => site.stdout.getReader().read())
    const origin = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`
    return yield* Effect.forEach(Object.keys(pages).filter(isKind), (kind) => crawlOf(origin, kind, deadline))
  }).pipe(
    Effect.scoped,
    Effect.map((all) => all.flat())
  )

const links = Array.from({ length: 50 }, (_, index) => `/p${index}`)

/** A start page with links to fifty pages that all respond alike, and so does the sitemap. */
const site = (answer: (socket: Socket) => void, sitemap: (socket: Socket) => void = (at) => send(at, 404, {})) =>
  serve((socket, request) => {
    const path = /^\S+ (\S+)/.exec(request)?.[1] ?? ""
    if (path === "/") send(socket, 200, { "Content-Type": "text/html" }, html({ links, title: "Home" }))
    else if (path === "/sitemap.xml") sitemap(socket)
    else if (links.includes(path)) answer(socket)
    else send(socket, 404, {})
  })

const sound = (socket: Socket) => send(socket, 200, { "Content-Type": "text/html" }, html({ title: "Sound" }))
const body = (bytes: Uint8Array, coding: string) => (socket: Socket) =>
  send(socket, 200, { "Content-Encoding": coding, "Content-Type": "text/html" }, bytes)

/** A sitemap of maximum size, full of tags. */
const sitemap = () => {
  const entry = (index: number) =>
    `<url><loc>http://127.0.0.1/${index}${"-".repeat(90)}</loc>${"<a/>".repeat(195)}</url>`
  const urls = Array.from({ length: 50_000 }, (_, index) => entry(index))
  return Buffer.from(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`)
}

const sites = {
  "fifty brotli bombs of 300 MiB": () => site(body(brotliBomb(300), "br")),
  "fifty gzip bombs of 300 MiB": () => site(body(gzipBomb(300), "gzip")),
  "fifty pages of 11 MiB": () => site(body(Buffer.alloc(11 * mib, "<p>some text of a page</p>\n"), "identity")),
  "a sitemap of 50,000 addresses": () => site(sound, body(sitemap(), "identity")),
  "a sitemap that is a gzip bomb inside a gzip bomb": () =>
    site(sound, body(Bun.gzipSync(new Uint8Array(gzipBomb(300))), "gzip"))
}

const wholeCrawls = Effect.forEach(Object.entries(sites), ([what, make]) =>
  Effect.gen(function* () {
    const [ordinary, hostile] = [yield* site(sound), yield* make()]
    const { over } = yield* said(
      Schema.Struct({ over: Schema.Number }),
      "faults/memory-child.ts",
      ordinary.url,
      hostile.url
    )
    return { most: allowed, unit: "MiB", value: over, what }
  }).pipe(Effect.scoped)
)

const zeros = Buffer.alloc(200_000_000)
const member = gzipSync(zeros.subarray(0, 10_000_000))
const gzip = Buffer.concat(Array.from({ length: 20 }, () => member))
const bombs = {
  br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  gzip,
  "gzip, gzip": gzipSync(gzip),
  zstd: Bun.zstdCompressSync(zeros)
}

/** The largest growth of this process's memory during an effect, in bytes. */
const growth = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    let peak = before
    const look = Effect.sync(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    })
    const watch = yield* Effect.fork(Effect.forever(Effect.zipRight(look, Effect.sleep("5 millis"))))
    yield* work
    yield* Fiber.interrupt(watch)
    return peak - before
  })

/** Four concurrent exchanges, each with 200 MB behind a coding, read up to 20 MB. */
const fourBombs = Effect.forEach(Object.entries(bombs), ([coding, bytes]) =>
  Effect.gen(function* () {
    const { url } = yield* serve((socket) => send(socket, 200, { "Content-Encoding": coding }, bytes))
    const ask = client().exchange(get(url, { deadline: "1 minute", keepBytes: 1000, maxBytes: 20_000_000 }))
    yield* ask
    const value = (yield* growth(Effect.replicateEffect(ask, 4, { concurrency: 4 }))) / mib
    return { most: allowedToBombs, unit: "MiB", value, what: `four bodies of 200 MB in ${coding}` }
  }).pipe(Effect.scoped)
)

/** The memory that the facts of twenty pages of one MiB keep alive. */
const facts = Effect.sync(() => {
  const held = () => {
    Bun.gc(true)
    const { extraMemorySize, heapSize } = heapStats()
    return heapSize + extraMemorySize
  }
  const page = (index: number) =>
    `<title>t${index}</title><a href=/x>a</a><h1>h</h1><p>${`lorem ipsum ${index} `.repeat(70_000)}`
  const read = (index: number) =>
    readPage({ bytes: new TextEncoder().encode(page(index)), charset: "utf-8", url: "https://site.test/" })
  // One-time allocations are no growth.
  read(0)
  const before = held()
  const kept = Array.from({ length: 20 }, (_, index) => read(index))
  const value = (held() - before) / mib
  return [{ most: allowedToFacts, unit: "MiB", value, what: `facts of ${kept.length} pages of a MiB` }]
})

/** `memory [deadline]`: the memory for hostile pages, bombs and sitemaps, and how far their crawls exceed their deadline (2,500 ms). */
export const memory = async ([deadline = "2500"]: ReadonlyArray<string>) => {
  const parts: ReadonlyArray<Effect.Effect<ReadonlyArray<Measured>, unknown>> = [
    facts,
    hostilePages(Number(deadline)),
    wholeCrawls,
    fourBombs
  ]
  let isKept = true
  for (const part of parts) {
    for (const { most, unit, value, what } of await Effect.runPromise(part)) {
      if (value > most) isKept = false
      if (most > 0 || value > most)
        console.log(`${value > most ? "BROKEN " : ""}${what}: ${Math.round(value)} ${unit}, at most ${most}`)
    }
  }
  return isKept
}
