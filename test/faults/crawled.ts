import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CrawlEvent, type CrawlFailed, type CrawlOptions, type CrawlResult, crawl } from "../../src/crawl/Crawl.ts"
import { MemoryGrowth } from "../../src/crawl/engine/MemoryWatch.ts"
import type { MeasuredPage } from "../../src/crawl/report/MeasuredPage.ts"
import { type FaultName, faultNames, faults } from "./faults.ts"
import { matrix } from "./matrix.ts"
import { faultySite, type Role, roles, type Seen } from "./site.ts"

/** The outcome of one crawl of a faulty site. */
export interface Outcome {
  readonly result: Either.Either<CrawlResult, CrawlFailed>
  readonly millis: number
  readonly origin: string
  readonly target: string
  readonly seen: ReadonlyArray<Seen>
  /** The pages emitted during the crawl. */
  readonly told: ReadonlyArray<MeasuredPage>
}

/** Crawls a site with this fault in this role. */
export const crawlUnder = (name: FaultName, role: Role, options: CrawlOptions): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const site = yield* faultySite(faults[name], role)
    const told: globalThis.Array<MeasuredPage> = []
    const hear = (event: CrawlEvent) => {
      if (event._tag === "Page") told.push(event.page)
    }
    const startedAt = performance.now()
    const last = yield* crawl(new URL(site.start), options).pipe(
      Stream.tap((event) => Effect.sync(() => hear(event))),
      Stream.runLast,
      Effect.provide(site.layer),
      // Hundreds of crawls share a heap here, which each collection scans completely.
      Effect.provideService(MemoryGrowth, Number.POSITIVE_INFINITY),
      Effect.either
    )
    const millis = performance.now() - startedAt
    const result = Either.map(last, (event) => {
      if (Option.isNone(event) || event.value._tag !== "Finished") throw new Error("The crawl did not finish")
      return event.value.report
    })
    return { result, millis, origin: site.origin, target: site.target, seen: site.seen, told }
  }).pipe(Effect.scoped)

const shared = { maxPages: 50, checkDeadLinks: true }

/** Faults that end in a timeout, or whose pause outlasts the crawl: their crawls last as long as the deadlines. */
const waits = new Set<FaultName>([
  "headers byte by byte (slow-loris)",
  "body byte by byte (slow-loris)",
  "silence before the answer",
  "silence after the headers",
  "body shorter than Content-Length, kept open",
  "429, Retry-After beyond the run"
])
const brief: CrawlOptions = {
  ...shared,
  deadline: "12 seconds",
  timing: { pageDeadline: 2500, idleTimeout: 1500, robotsDeadline: 2500, confirmAfter: 30, backoff: 30 }
}

/** No deadline ends the crawl of any other fault, on a machine of any load. */
const unhurried: CrawlOptions = {
  ...brief,
  deadline: "40 seconds",
  timing: { ...brief.timing, pageDeadline: 20_000, robotsDeadline: 20_000, idleTimeout: 10_000 }
}

/** Long enough for every final result. */
export const patient = (fault: FaultName): CrawlOptions => (waits.has(fault) ? brief : unhurried)

/** Megabytes of bodies, and thousands of headers. */
const heavy = new Set<FaultName>(["gzip bomb (64 MiB)", "brotli bomb (64 MiB)", "11 MiB", "1xx without end"])

/** No pause is shorter than the crawl: only the deadline ends a hanging request. */
export const hurriedDeadline = 400
export const hurried: CrawlOptions = {
  ...shared,
  deadline: hurriedDeadline,
  timing: { pageDeadline: 30_000, idleTimeout: 30_000, robotsDeadline: 30_000, confirmAfter: 100, backoff: 100 }
}

export const cells = faultNames.flatMap((fault) =>
  roles.map((role) => ({ fault, role, expected: matrix[fault][role] }))
)

/** Faults whose crawls a short deadline ends; the others have their responses by then. */
export const lasting = cells.filter(({ fault }) => waits.has(fault) || heavy.has(fault))

export const keyOf = (fault: FaultName, role: Role) => `${fault} ${role}`

const runEach = (
  some: typeof cells,
  optionsFor: (fault: FaultName) => CrawlOptions,
  concurrency: number
): Effect.Effect<ReadonlyArray<readonly [string, Outcome]>> =>
  Effect.forEach(
    some,
    ({ fault, role }) =>
      Effect.map(crawlUnder(fault, role, optionsFor(fault)), (outcome) => [keyOf(fault, role), outcome] as const),
    { concurrency }
  )

/** Faults with large bodies run separately, because they would take time from the others. */
export const runAll = (optionsFor: (fault: FaultName) => CrawlOptions, some = cells, atOnce = 10) =>
  Effect.gen(function* () {
    const [light, reading] = Array.partition(some, ({ fault }) => heavy.has(fault))
    return new Map([...(yield* runEach(reading, optionsFor, 2)), ...(yield* runEach(light, optionsFor, atOnce))])
  })
