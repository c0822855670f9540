import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type Counters, type CrawlEvent, type CrawlResult, crawl } from "../crawl/Crawl.ts"
import { Outages } from "../database/Outages.ts"
import type { Phase, RunError } from "./Domain.ts"
import { crawlSeconds, runSeconds } from "./Limits.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"
import { RunEvents } from "./RunEvents.ts"

interface Progress {
  readonly phase: Phase
  readonly counters: Counters | null
  readonly result: CrawlResult | null
}

const start: Progress = { counters: null, phase: "preparing", result: null }

const next = (progress: Progress, event: CrawlEvent): Progress => {
  switch (event._tag) {
    case "Phase":
      return { ...progress, phase: event.phase }
    case "Page":
      return { ...progress, counters: event.counters }
    case "Finished":
      return { ...progress, result: event.report }
  }
}

/** The counters of a finished run are those of its report. */
const total = ({ summary: { pages } }: CrawlResult): Counters => ({
  pages_discovered: pages.discovered,
  pages_failed: pages.failed,
  pages_fetched: pages.fetched
})

const taken = "taken" as const

const broken = (message: string): RunError => ({ code: "crawl_failed", message })

/** Storing an end is worth waiting for a database that is away; the lease decides whether it still counts. */
const patiently = Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(60)))

/** Executes claimed runs: crawls under a heartbeat, and stores how it ended together with the event that tells of it. */
export class ExecuteRun extends Effect.Service<ExecuteRun>()("sitehealth/ExecuteRun", {
  dependencies: [QueueRepo.Default, RunEvents.Default],
  effect: Effect.gen(function* () {
    const repo = yield* QueueRepo
    const events = yield* RunEvents
    const outages = yield* Outages

    /** Renews the lease and shows the progress each second; ends when the lease is lost. */
    const heartbeat = ({ id, lease }: Claim, progress: Ref.Ref<Progress>) =>
      Ref.get(progress).pipe(
        Effect.flatMap(({ counters, phase }) => repo.heartbeat({ counters, id, lease, phase })),
        // While the database is away nothing can be renewed; when it is back the lease tells whether the run is still ours.
        Effect.catchAllDefect((defect) => Effect.as(outages.report("Heartbeat failed", defect), Option.some({ id }))),
        Effect.uninterruptible,
        Effect.repeat({ schedule: Schedule.spaced("1 second"), while: Option.isSome })
      )

    const crawled = ({ request }: Claim, progress: Ref.Ref<Progress>) =>
      crawl(new URL(request.url), {
        checkDeadLinks: request.check_dead_links,
        deadline: `${crawlSeconds} seconds`,
        maxPages: request.max_pages
      }).pipe(
        Stream.runForEach((event) => Ref.update(progress, (now) => next(now, event))),
        Effect.timeoutFail({
          duration: `${runSeconds} seconds`,
          onTimeout: () => broken("The crawl did not end in time")
        }),
        Effect.mapError(({ code, message }): RunError => ({ code, message }))
      )

    const failed = ({ id, lease }: Claim, error: RunError) =>
      Effect.flatMap(repo.fail({ error, id, lease }), (ended) =>
        Option.isSome(ended) ? events.failed(ended.value, error) : Effect.void
      )

    const finished = ({ id, lease }: Claim, result: CrawlResult) =>
      Effect.flatMap(repo.succeed({ counters: total(result), id, lease, result }), (ended) =>
        Option.isSome(ended) ? events.finished(ended.value, result) : Effect.void
      )

    /** The end of a run and the event that tells of it are one transaction. */
    const store = (claim: Claim, { result }: Progress, error: RunError | undefined) => {
      const end =
        error === undefined && result !== null
          ? finished(claim, result)
          : failed(claim, error ?? broken("The crawl ended without a report"))
      return end.pipe(
        repo.transaction,
        Effect.catchAllDefect((defect) => Effect.fail(defect)),
        Effect.retry(patiently),
        Effect.orDie
      )
    }

    /** How the crawl ended: with nothing when it went well, with its error, or with `taken` when the lease was lost meanwhile. */
    const outcomeOf = (claim: Claim, progress: Ref.Ref<Progress>) =>
      crawled(claim, progress).pipe(
        Effect.as(undefined),
        Effect.catchAll((error) => Effect.succeed(error)),
        Effect.catchAllDefect((defect) =>
          Effect.as(
            Effect.logError("The crawl broke", defect),
            broken("The crawl broke; the log of the server tells why")
          )
        ),
        Effect.raceFirst(Effect.map(heartbeat(claim, progress), () => taken))
      )

    /** Crawls the claimed site and ends its run; a run that was taken away meanwhile is left as it is. */
    const execute = (claim: Claim) =>
      Effect.gen(function* () {
        const progress = yield* Ref.make(start)
        const outcome = yield* outcomeOf(claim, progress)
        if (outcome === taken) return yield* Effect.logInfo("The run was taken away")
        yield* Effect.uninterruptible(store(claim, yield* Ref.get(progress), outcome))
      }).pipe(Effect.annotateLogs({ run: claim.id }))

    return { execute }
  })
}) {}
