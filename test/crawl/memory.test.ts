import { describe, expect } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { effect } from "../harness.ts"
import { type PageKind, pages } from "./memory/pages.ts"

/** MiB that a crawl may cost over what the process had before it, and milliseconds it may go on past its deadline. */
const allowed = 150
const late = 1000

/** The full crawl of fifty pages is `FINDABLE_MEMORY_DEADLINE=90000`; the peak comes within the first few pages, for which a slow machine has four times as long. */
const { FINDABLE_MEMORY_DEADLINE = "2500" } = process.env
const deadlines = [Number(FINDABLE_MEMORY_DEADLINE), 4 * Number(FINDABLE_MEMORY_DEADLINE)]

const Measured = Schema.parseJson(
  Schema.Struct({ baseline: Schema.Number, over: Schema.Number, millis: Schema.Number, fetched: Schema.Number })
)

interface Measured extends Schema.Schema.Type<typeof Measured> {
  readonly deadline: number
  readonly kind: string
}
type Measurement = Effect.Effect<Measured, ParseError>

const spawn = (script: string, ...parameters: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.spawn([process.execPath, join(import.meta.dir, "memory", script), ...parameters], {
        stdout: "pipe",
        stderr: "inherit"
      })
    ),
    (child) => Effect.sync(() => child.kill())
  )

const firstLine = (stdout: ReadableStream<Uint8Array>) =>
  Effect.promise(async () => {
    const { value } = await stdout.getReader().read()
    return new TextDecoder().decode(value).trim()
  })

const measure = (origin: string, kind: string, [deadline = 0, ...longer]: ReadonlyArray<number>): Measurement =>
  Effect.gen(function* () {
    const crawler = yield* spawn("crawler.ts", origin, kind, `${deadline}`)
    const told = yield* Effect.promise(() => new Response(crawler.stdout).text())
    const measured = { deadline, kind, ...(yield* Schema.decode(Measured)(told)) }
    return measured.fetched < 2 && longer.length > 0 ? yield* measure(origin, kind, longer) : measured
  }).pipe(Effect.scoped)

const isKind = (name: string): name is PageKind => name in pages
const kinds = Object.keys(pages).filter(isKind)

// The highest resident memory since a moment is something that only Linux tells.
describe.skipIf(!existsSync("/proc/self/clear_refs"))("memory and time", () => {
  effect(
    `of crawls of hostile pages stay within ${allowed} MiB over the baseline and ${late} ms past the deadline`,
    () =>
      Effect.gen(function* () {
        const site = yield* spawn("site.ts")
        const origin = `http://127.0.0.1:${yield* firstLine(site.stdout)}`
        const all = yield* Effect.forEach(kinds, (kind) => measure(origin, kind, deadlines), { concurrency: 2 })
        for (const { baseline, fetched, kind, millis, over } of all) {
          console.log(
            `memory: ${kind}: ${Math.round(over)} MiB over ${Math.round(baseline)} MiB, ${fetched} pages in ${Math.round(millis)} ms`
          )
        }
        expect(all.filter(({ over }) => over > allowed)).toEqual([])
        expect(all.filter(({ deadline, millis }) => millis > deadline + late)).toEqual([])
        expect(all.filter(({ fetched }) => fetched < 2)).toEqual([])
      }),
    { timeout: 120_000 }
  )
})
