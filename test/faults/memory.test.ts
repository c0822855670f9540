import { describe, expect } from "bun:test"
import type { Socket } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { html } from "../crawl/site/Html.ts"
import { effect } from "../harness.ts"
import { serve } from "../outbound/server.ts"
import { brotliBomb, gzipBomb, send } from "./faults.ts"

/** More than any crawl may cost over what the process had before it, in MiB. */
const allowed = 150

const Measured = Schema.parseJson(
  Schema.Struct({
    baseline: Schema.Number,
    over: Schema.Number,
    reasons: Schema.Record({ key: Schema.String, value: Schema.Number })
  })
)

const links = Array.from({ length: 50 }, (_, index) => `/p${index}`)

/** A start page with links to fifty pages that all answer so; the sitemap answers so too when it is told to. */
const site = (
  answer: (socket: Socket) => void,
  sitemap: (socket: Socket) => void = (socket) => send(socket, 404, {})
) =>
  serve((socket, request) => {
    const path = /^\S+ (\S+)/.exec(request)?.[1] ?? ""
    if (path === "/") send(socket, 200, { "Content-Type": "text/html" }, html({ title: "Home", links }))
    else if (path === "/sitemap.xml") sitemap(socket)
    else if (links.includes(path)) answer(socket)
    else send(socket, 404, {})
  })

const sound = (socket: Socket) => send(socket, 200, { "Content-Type": "text/html" }, html({ title: "Sound" }))

const body = (bytes: Uint8Array, coding: string) => (socket: Socket) =>
  send(socket, 200, { "Content-Type": "text/html", "Content-Encoding": coding }, bytes)

const measure = (hostile: string) =>
  Effect.gen(function* () {
    const ordinary = yield* site(sound)
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([process.execPath, join(import.meta.dir, "memory-child.ts"), ordinary.url, hostile], {
          stdout: "pipe",
          stderr: "inherit"
        })
      ),
      (running) => Effect.sync(() => running.kill())
    )
    const said = yield* Effect.promise(() => new Response(child.stdout).text())
    return yield* Schema.decode(Measured)(said)
  })

const eleven = 11 * 1024 * 1024

const kinds = [
  { name: "gzip bombs of 300 MiB", answer: () => body(gzipBomb(300), "gzip") },
  { name: "brotli bombs of 300 MiB", answer: () => body(brotliBomb(300), "br") },
  { name: "pages of 11 MiB", answer: () => body(Buffer.alloc(eleven, "<p>some text of a page</p>\n"), "identity") }
]

describe("memory over the baseline", () => {
  for (const { answer, name } of kinds) {
    effect(
      `stays within ${allowed} MiB over fifty ${name}`,
      () =>
        Effect.gen(function* () {
          const hostile = yield* site(answer())
          const { baseline, over, reasons } = yield* measure(hostile.url)
          console.log(`memory: fifty ${name}: ${Math.round(over)} MiB over ${Math.round(baseline)} MiB`)
          expect(reasons).toEqual({ ok: 1, too_large: 50 })
          expect(over).toBeLessThan(allowed)
        }),
      { timeout: 30_000 }
    )
  }

  effect(
    `stays within ${allowed} MiB when the sitemap is as large as it may be, and all tags`,
    () =>
      Effect.gen(function* () {
        const entry = (index: number) =>
          `<url><loc>http://127.0.0.1/${index}${"-".repeat(90)}</loc>${"<a/>".repeat(195)}</url>`
        const urls = Array.from({ length: 50_000 }, (_, index) => entry(index))
        const xml = Buffer.from(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`)
        const hostile = yield* site(sound, body(xml, "identity"))
        const { baseline, over, reasons } = yield* measure(hostile.url)
        const size = Math.round(xml.length / 1024 / 1024)
        console.log(`memory: a sitemap of ${size} MiB: ${Math.round(over)} MiB over ${Math.round(baseline)} MiB`)
        expect(reasons).toEqual({ ok: 51 })
        expect(over).toBeLessThan(allowed)
      }),
    { timeout: 60_000 }
  )

  effect(
    `stays within ${allowed} MiB when the sitemap is a gzip bomb inside a gzip bomb`,
    () =>
      Effect.gen(function* () {
        const hostile = yield* site(sound, body(Bun.gzipSync(new Uint8Array(gzipBomb(300))), "gzip"))
        const { baseline, over, reasons } = yield* measure(hostile.url)
        console.log(`memory: a sitemap bomb: ${Math.round(over)} MiB over ${Math.round(baseline)} MiB`)
        expect(reasons).toEqual({ ok: 51 })
        expect(over).toBeLessThan(allowed)
      }),
    { timeout: 30_000 }
  )
})
