import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Counters, CrawlEvent, CrawlResult } from "../../crawl/Crawl.ts"
import { affectedBy } from "../../crawl/diff/Affected.ts"
import { diffOf } from "../../crawl/diff/Diff.ts"
import { verify } from "../../crawl/diff/Verify.ts"
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
import { written } from "./results/StoredResult.ts"

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

const changes = (before: { readonly id: RunId; readonly result: CrawlResult }, result: CrawlResult): Changes => {
  const { findings, score } = diffOf(before.result, result)
  return {
    against: before.id,
    new: findings.new.length,
    fixed: findings.fixed.length,
    score_delta: score?.delta ?? null
  }
}

/** A crawl that ended without a report, for a reason that is ours. */
export const failedCrawl = (message: string): RunError => ({ code: "crawl_failed", message })

/** How a run ends: with the report of its crawl and what changed, or with why there is no report. */
type End = Either.Either<{ readonly changes: Changes | null; readonly result: CrawlResult }, RunError>

/** Crawls the sites of claimed runs, and stores how that ended together with the event that tells of it. */
export class ExecuteRun extends Effect.Service<ExecuteRun>()("sitehealth/ExecuteRun", {
  dependencies: [QueueRepo.Default, ResultsRepo.Default, RunEvents.Default],
  effect: Effect.gen(function* () {
    const repo = yield* QueueRepo
    const { earlier, verified } = yield* ResultsRepo
    const events = yield* RunEvents
    const outages = yield* Outages
    const crawler = yield* Crawler
    const crawler_url = yield* CrawlerUrl

    /** Shows each second how far the run is; a run that was cancelled has lost its lease and is left at once. */
    const showing = ({ id, lease }: Claim, progress: Ref.Ref<Progress>) =>
      Ref.get(progress).pipe(
        Effect.flatMap(({ counters, phase }) => repo.show({ counters, id, lease, phase })),
        Effect.uninterruptible,
        Effect.catchAllDefect((defect) => outages.report("The progress of a run could not be shown", defect)),
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

    /** What changed since the run before; an old result that cannot be read any more is no reason to lose the new one. */
    const changesOf = ({ id }: Claim, result: CrawlResult) =>
      Effect.map(earlier(id), Option.match({ onNone: () => null, onSome: (before) => changes(before, result) })).pipe(
        Effect.catchAllDefect((defect) => Effect.as(outages.report("The run before could not be read", defect), null))
      )

    const ended = (claim: Claim, progress: Ref.Ref<Progress>) =>
      crawled(claim, progress).pipe(
        Effect.flatMap(({ result }) => Effect.map(changesOf(claim, result), (changes) => ({ changes, result })))
      )

    const repeated = Query.repeated((error) => outages.report("A statement of the run was broken off", error))

    /** Looks again at what another run found. Of a part of the site there is no score, and nothing to compare with. */
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

    /** The end of a run and the event that tells of it are one transaction. */
    const store = ({ id, lease }: Claim, end: End) =>
      Either.match(end, {
        onLeft: (error) => Effect.flatMap(repo.fail({ error, id, lease }), (run) => events.failed(run, error)),
        onRight: ({ changes, result }) =>
          written(result).pipe(
            Effect.flatMap((text) => repo.succeed({ counters: total(result), id, lease, result: text })),
            Effect.flatMap((run) => events.finished(run, result, changes))
          )
      })

    return { store, work }
  })
}) {}
