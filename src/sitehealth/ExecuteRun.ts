import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
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

/** A crawl that ended without a report, for a reason that is ours. */
export const failedCrawl = (message: string): RunError => ({ code: "crawl_failed", message })

/** How a run ends: with the report of its crawl, or with why there is none. */
export type End = Either.Either<CrawlResult, RunError>

/** Crawls the sites of claimed runs, and stores how that ended together with the event that tells of it. */
export class ExecuteRun extends Effect.Service<ExecuteRun>()("sitehealth/ExecuteRun", {
  dependencies: [QueueRepo.Default, RunEvents.Default],
  effect: Effect.gen(function* () {
    const repo = yield* QueueRepo
    const events = yield* RunEvents
    const outages = yield* Outages

    /** Shows each second how far the run is; a run that was cancelled has lost its lease and is left at once. */
    const showing = ({ id, lease }: Claim, progress: Ref.Ref<Progress>) =>
      Ref.get(progress).pipe(
        Effect.flatMap(({ counters, phase }) => repo.show({ counters, id, lease, phase })),
        Effect.uninterruptible,
        Effect.catchAllDefect((defect) => outages.report("The progress of a run could not be shown", defect)),
        Effect.repeat(Schedule.spaced("1 second")),
        Effect.zipRight(Effect.never)
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
          onTimeout: () => failedCrawl("The crawl did not end in time")
        }),
        Effect.mapError(({ code, message }): RunError => ({ code, message })),
        Effect.zipRight(Ref.get(progress)),
        Effect.filterOrFail(
          (progress): progress is Progress & { readonly result: CrawlResult } => progress.result !== null,
          () => failedCrawl("The crawl ended without a report")
        ),
        Effect.map(({ result }) => result),
        Effect.either
      )

    const work = (claim: Claim) =>
      Effect.flatMap(Ref.make(start), (progress) =>
        Effect.raceFirst(crawled(claim, progress), showing(claim, progress))
      )

    /** The end of a run and the event that tells of it are one transaction. */
    const store = ({ id, lease }: Claim, end: End) =>
      Either.match(end, {
        onLeft: (error) => Effect.flatMap(repo.fail({ error, id, lease }), (run) => events.failed(run, error)),
        onRight: (result) =>
          Effect.flatMap(repo.succeed({ counters: total(result), id, lease, result }), (run) =>
            events.finished(run, result)
          )
      })

    return { store, work }
  })
}) {}
