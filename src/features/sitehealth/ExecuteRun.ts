import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Counters, CrawlEvent, CrawlResult } from "../../crawl/Crawl.ts"
import { diffOf } from "../../crawl/diff/Diff.ts"
import { affectedBy, verify } from "../../crawl/diff/Verify.ts"
import { CrawlerUrl } from "../../crawl/fetch/UserAgent.ts"
import { noScore } from "../../crawl/score/Score.ts"
import { Outages } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import type { Changes } from "../audits/Events.ts"
import { Crawler } from "./crawler/Crawler.ts"
import type { CrawlJob } from "./crawler/Messages.ts"
import type { Phase, RunError, RunId } from "./Domain.ts"
import { crawlSeconds, runSeconds } from "./Limits.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"
import { RunEvents } from "./RunEvents.ts"
import { ResultsRepo } from "./results/ResultsRepo.ts"
import { encodeResult } from "./results/StoredResult.ts"

interface Progress {
  readonly phase: Phase
  readonly counters: Counters | null
  /** The URL that was read last. */
  readonly last_url: string | null
  readonly result: CrawlResult | null
}

const start: Progress = { counters: null, last_url: null, phase: "preparing", result: null }

const next = (progress: Progress, event: CrawlEvent): Progress => {
  switch (event._tag) {
    case "Phase":
      return { ...progress, phase: event.phase }
    case "Page":
      return { ...progress, counters: event.counters, last_url: event.page.url }
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

const changes = (before: { readonly id: RunId; readonly result: CrawlResult }, result: CrawlResult): Changes => {
  const { findings, score } = diffOf(before.result, result)
  return {
    against: before.id,
    new: findings.new.length,
    fixed: findings.fixed.length,
    score_delta: score?.delta ?? null
  }
}

/** A crawl that ended without a report through a fault of the server. */
export const failedCrawl = (message: string): RunError => ({ code: "crawl_failed", message })

/** How a run ends: with a report and its changes, or with an error. */
type End = Either.Either<{ readonly changes: Changes | null; readonly result: CrawlResult }, RunError>

/** Crawls the sites of claimed runs, and stores each end with its event in one transaction. */
export class ExecuteRun extends Effect.Service<ExecuteRun>()("sitehealth/ExecuteRun", {
  dependencies: [QueueRepo.Default, ResultsRepo.Default, RunEvents.Default],
  effect: Effect.gen(function* () {
    const repo = yield* QueueRepo
    const { earlier, verified } = yield* ResultsRepo
    const events = yield* RunEvents
    const outages = yield* Outages
    const crawler = yield* Crawler
    const crawler_url = yield* CrawlerUrl

    /** Stores the progress of the run every second. A cancelled run has lost its lease, which ends the work at once. */
    const showing = ({ id, lease }: Claim, progress: Ref.Ref<Progress>) =>
      Ref.get(progress).pipe(
        Effect.flatMap(({ counters, last_url, phase }) => repo.show({ counters, id, last_url, lease, phase })),
        Effect.uninterruptible,
        Effect.catchAllDefect((defect) => outages.report("The progress of a run could not be stored", defect)),
        Effect.repeat(Schedule.spaced("1 second")),
        Effect.zipRight(Effect.never)
      )

    const crawled = (
      { request: { verify: _, ...request } }: Claim,
      progress: Ref.Ref<Progress>,
      part: Pick<CrawlJob, "only"> = {}
    ) =>
      crawler.crawl({ ...request, ...part, crawler_url, seconds: crawlSeconds }).pipe(
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
        )
      )

    /** The changes since the previous run; an unreadable old result must not cost the new one. */
    const changesOf = ({ id }: Claim, result: CrawlResult) =>
      Effect.map(earlier(id), Option.match({ onNone: () => null, onSome: (before) => changes(before, result) })).pipe(
        Effect.catchAllDefect((defect) => Effect.as(outages.report("The previous run could not be read", defect), null))
      )

    const ended = (claim: Claim, progress: Ref.Ref<Progress>) =>
      crawled(claim, progress).pipe(
        Effect.flatMap(({ result }) => Effect.map(changesOf(claim, result), (changes) => ({ changes, result })))
      )

    const repeated = Query.repeated((error) =>
      outages.report("A statement of the run was interrupted; it is tried again", error)
    )

    /** Checks the faults of another run again. A part of the site has no score and no previous run to compare with. */
    const verifying = (claim: Claim, progress: Ref.Ref<Progress>) =>
      Effect.gen(function* () {
        const found = yield* repeated(verified(claim.id))
        if (Option.isNone(found)) return yield* Effect.fail(failedCrawl("The run that it verifies has no result"))
        const { result: before, rules } = found.value
        const { result } = yield* crawled(claim, progress, { only: affectedBy(before, rules) })
        return { changes: null, result: { ...result, score: noScore, verification: verify(before, result, rules) } }
      })

    const work = (claim: Claim) => {
      const by = claim.request.verify === null ? ended : verifying
      return Effect.flatMap(Ref.make(start), (progress) =>
        Effect.raceFirst(Effect.either(by(claim, progress)), showing(claim, progress))
      )
    }

    /** The end of a run and its event are one transaction. */
    const store = ({ id, lease }: Claim, end: End) =>
      Either.match(end, {
        onLeft: (error) => Effect.flatMap(repo.fail({ error, id, lease }), (run) => events.failed(run, error)),
        onRight: ({ changes, result }) =>
          encodeResult(result).pipe(
            Effect.flatMap((json) => repo.succeed({ counters: total(result), id, lease, result: json })),
            Effect.flatMap((run) => events.finished(run, result, changes))
          )
      })

    return { store, work }
  })
}) {}
