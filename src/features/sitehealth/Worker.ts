import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Counters as CrawlCounters, CrawlEvent, CrawlResult } from "../../crawl/Crawl.ts"
import { affectedBy, verify } from "../../crawl/diff/Verify.ts"
import { CrawlerUrl } from "../../crawl/fetch/Headers.ts"
import { Counters } from "../../crawl/report/CrawlResult.ts"
import { noScore } from "../../crawl/score/Score.ts"
import { versionOf } from "../../foundation/browser/Find.ts"
import { findRenderer } from "../../foundation/browser/Settings.ts"
import * as Aging from "../../foundation/database/Aging.ts"
import { held, worker } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import { Outages } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "../accounts/Domain.ts"
import * as CrawlerService from "./crawler/Crawler.ts"
import { Crawler, type CrawlJob } from "./crawler/Crawler.ts"
import { channel, crawlSeconds, EffectiveRequest, Phase, RunError, RunId, runSeconds } from "./Domain.ts"
import { isRendering, LiveWorkersRepo, present } from "./LiveWorkers.ts"
import { type Changed, Ended, RunEvents, unchanged } from "./RunEvents.ts"
import { runRequest } from "./Runs.ts"
import { encodeResult, ResultsRepo } from "./results/Results.ts"
import { RunRetentionDays, RunsAtOnce } from "./Settings.ts"

const Held = LeaseQueue.Held(RunId)

/** A locked run. */
const Claim = Schema.Struct({ ...Held.fields, account: AccountId, request: EffectiveRequest })
type Claim = typeof Claim.Type

/** The runs as a queue: claims, progress and ends. */
export class QueueRepo extends Effect.Service<QueueRepo>()("sitehealth/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const request = yield* runRequest
    const over = sql`phase = 'finished', finished_at = clock_timestamp(), last_url = NULL, lease = NULL, leased_until = NULL`
    const ended = sql`id, account_id AS account, project_id AS project, url, verify`

    const queueOf = (due: Fragment) =>
      LeaseQueue.make(sql, {
        account: sql`account_id`,
        attemptsAtMost: 1,
        claim: Claim,
        columns: sql`account_id AS account, ${request} AS request`,
        due,
        key: "id",
        name: "site health runs",
        oldest: "created_at",
        table: "site_health_runs",
        whenClaimed: sql`status = 'running', phase = 'preparing', started_at = clock_timestamp()`,
        whenHandedBack: sql`status = 'queued', phase = 'queued', started_at = NULL, counters = NULL, last_url = NULL`
      })
    const queues = {
      /** Of a worker with a browser. */
      rendering: queueOf(sql`finished_at IS NULL`),
      /** Of a worker without one: it leaves what renders to the live workers that have one, so that a site's results do not depend on who crawls it. */
      plain: queueOf(sql`finished_at IS NULL AND (render = 'never' OR NOT ${yield* isRendering})`)
    }

    const show = Query.first({
      Request: Schema.Struct({
        ...Held.fields,
        counters: Schema.NullOr(Counters),
        last_url: Schema.NullOr(Schema.String),
        phase: Phase
      }),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ counters, id, last_url, lease, phase }) => sql`
        UPDATE site_health_runs SET phase = ${phase}, last_url = ${last_url},
          counters = ${counters === null ? null : JSON.stringify(counters)}::json
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    /** `result` is the JSON of the result. */
    const succeed = Query.first({
      Request: Schema.Struct({ ...Held.fields, counters: Counters, result: Schema.Uint8ArrayFromSelf }),
      Result: Ended,
      execute: ({ counters, id, lease, result }) => sql`
        UPDATE site_health_runs SET status = CASE found.result #>> '{summary,termination}' WHEN 'complete' THEN 'completed' ELSE 'partial' END,
          ${over}, counters = ${JSON.stringify(counters)}::json, result = found.result
        FROM (SELECT ${result}::json AS result) AS found WHERE id = ${id} AND lease = ${lease} RETURNING ${ended}`
    })

    const fail = Query.first({
      Request: Schema.Struct({ ...Held.fields, error: RunError }),
      Result: Ended,
      execute: ({ error, id, lease }) => sql`
        UPDATE site_health_runs SET status = 'failed', ${over}, error = ${JSON.stringify(error)}::json
        WHERE id = ${id} AND lease = ${lease} RETURNING ${ended}`
    })

    return {
      fail: (end: Parameters<typeof fail>[0]) => held(fail(end)),
      queues,
      show: (progress: Parameters<typeof show>[0]) => held(show(progress)),
      succeed: (end: Parameters<typeof succeed>[0]) => held(succeed(end))
    }
  })
}) {}

interface Progress {
  readonly phase: Phase
  readonly counters: CrawlCounters | null
  /** The URL read last. */
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

/** The counters of a finished run, from its report. */
const total = ({ summary: { pages } }: CrawlResult): CrawlCounters => ({
  pages_discovered: pages.discovered,
  pages_failed: pages.failed,
  pages_fetched: pages.fetched
})

/** A crawl that ended without a report because of a server fault. */
const failedCrawl = (message: string): RunError => ({ code: "crawl_failed", message })

/** The work of each phase, in the words of a failure. */
const doing: Readonly<Record<Phase, string>> = {
  analysing: "analyzing the crawled pages",
  crawling: "crawling pages",
  finished: "storing the result",
  preparing: "fetching robots.txt, the start page and sitemaps",
  queued: "waiting for a worker"
}

/** A crawl that ran into the limit of its time: the message says what took it. */
export const late = ({ phase }: Pick<Progress, "phase">): RunError =>
  failedCrawl(`The crawl did not finish within ${runSeconds} seconds: it was still ${doing[phase]}. Start a new crawl.`)

/** The end of a run: a report with its changes, or an error. */
type End = Either.Either<{ readonly changed: Changed; readonly result: CrawlResult }, RunError>

/** Crawls the sites of claimed runs, and stores each end with its events in one transaction. */
export class ExecuteRun extends Effect.Service<ExecuteRun>()("sitehealth/ExecuteRun", {
  dependencies: [QueueRepo.Default, ResultsRepo.Default, RunEvents.Default],
  effect: Effect.gen(function* () {
    const repo = yield* QueueRepo
    const { verified } = yield* ResultsRepo
    const events = yield* RunEvents
    const outages = yield* Outages
    const crawler = yield* Crawler
    const crawler_url = yield* CrawlerUrl

    /** Stores the progress of the run every second. A cancelled run has lost its lock, so the work ends immediately. */
    const showing = ({ id, lease }: Claim, progress: Ref.Ref<Progress>) =>
      Ref.get(progress).pipe(
        Effect.flatMap(({ counters, last_url, phase }) => repo.show({ counters, id, last_url, lease, phase })),
        Effect.uninterruptible,
        Effect.catchAllDefect((defect) => outages.report("The progress of a crawl could not be stored", defect)),
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
        Effect.timeoutFail({ duration: `${runSeconds} seconds`, onTimeout: () => null }),
        Effect.catchAll((failure) => Effect.flatMap(Ref.get(progress), (at) => Effect.fail(failure ?? late(at)))),
        Effect.mapError(({ code, message }): RunError => ({ code, message })),
        Effect.zipRight(Ref.get(progress)),
        Effect.filterOrFail(
          (progress): progress is Progress & { readonly result: CrawlResult } => progress.result !== null,
          () => failedCrawl("The crawl ended without a result. Start a new crawl.")
        )
      )

    const ended = (claim: Claim, progress: Ref.Ref<Progress>) =>
      crawled(claim, progress).pipe(
        Effect.flatMap(({ result }) => Effect.map(events.changed(claim.id, result), (changed) => ({ changed, result })))
      )

    const repeated = Query.repeated((error) =>
      outages.report("A statement of the crawl was interrupted. Findable tries it again", error)
    )

    /** Rechecks the issues of another run. A part of the site has no score and no previous run to compare with. */
    const verifying = (claim: Claim, progress: Ref.Ref<Progress>) =>
      Effect.gen(function* () {
        const found = yield* repeated(verified(claim.id))
        if (Option.isNone(found))
          return yield* Effect.fail(failedCrawl("The crawl to recheck no longer has a result. Start a new crawl."))
        const { result: before, rules } = found.value
        const { result } = yield* crawled(claim, progress, { only: affectedBy(before, rules) })
        return {
          changed: unchanged,
          result: { ...result, score: noScore, verification: verify(before, result, rules) }
        }
      })

    const work = (claim: Claim) => {
      const by = claim.request.verify === null ? ended : verifying
      return Effect.flatMap(Ref.make(start), (progress) =>
        Effect.raceFirst(Effect.either(by(claim, progress)), showing(claim, progress))
      )
    }

    /** Stores the end of a run and its events in one transaction. */
    const store = ({ id, lease }: Claim, end: End) =>
      Either.match(end, {
        onLeft: (error) => Effect.flatMap(repo.fail({ error, id, lease }), (run) => events.failed(run, error)),
        onRight: ({ changed, result }) =>
          encodeResult(result).pipe(
            Effect.flatMap((json) => repo.succeed({ counters: total(result), id, lease, result: json })),
            Effect.flatMap((run) => events.finished(run, result, changed))
          )
      })

    return { store, work }
  })
}) {}

/** Removes old runs, except the ones that are still needed. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("sitehealth/RetentionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const compared = sql`e.result IS NOT NULL AND e.verify IS NULL ORDER BY e.created_at DESC, e.id DESC LIMIT 1`

    /**
     * Keeps, for each site, the latest run with a result and the run to compare it with; for each schedule, its last run and the run to compare the next one
     * with; and every run with a recent verification. A run that only an idempotency key or an old verification refers to loses just its result.
     */
    const batch = Query.one({
      Request: Aging.Asked,
      Result: Aging.Done,
      execute: ({ after, days }) => {
        const limit = sql`statement_timestamp() - ${days} * interval '1 day'`
        return sql`
          WITH old AS MATERIALIZED (
            SELECT id, project_id, finished_at AS at FROM site_health_runs
            WHERE finished_at < ${limit} AND (finished_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
            ORDER BY finished_at, id LIMIT ${Aging.rowsAtOnce} FOR UPDATE SKIP LOCKED
          ), latest AS (
            SELECT newest.* FROM (SELECT DISTINCT project_id FROM old) AS p CROSS JOIN LATERAL (
              SELECT e.id, e.project_id, e.url, e.created_at FROM site_health_runs e WHERE e.project_id = p.project_id AND ${compared}
            ) AS newest
          ), kept AS (
            SELECT id FROM latest
            UNION ALL SELECT earlier.id FROM latest l CROSS JOIN LATERAL (
              SELECT e.id FROM site_health_runs e WHERE e.project_id = l.project_id AND e.url = l.url AND (e.created_at, e.id) < (l.created_at, l.id)
                AND ${compared}
            ) AS earlier
            UNION ALL SELECT newest.id FROM site_health_schedules s CROSS JOIN LATERAL (
              SELECT e.id FROM site_health_runs e WHERE e.project_id = s.project_id AND e.url = s.url AND ${compared}
            ) AS newest WHERE s.project_id IN (SELECT project_id FROM old)
            UNION ALL SELECT last_run_id FROM site_health_schedules WHERE last_run_id IN (SELECT id FROM old)
            UNION ALL SELECT verify FROM site_health_runs
              WHERE verify IN (SELECT id FROM old) AND (finished_at IS NULL OR finished_at >= ${limit})
          ), spare AS (
            SELECT id, EXISTS (SELECT FROM idempotency_keys k WHERE k.run_id = old.id)
              OR EXISTS (SELECT FROM site_health_runs v WHERE v.verify = old.id) AS named
            FROM old WHERE id NOT IN (SELECT id FROM kept)
          ), removed AS (
            DELETE FROM site_health_runs WHERE id IN (SELECT id FROM spare WHERE NOT named) RETURNING id
          ), emptied AS (
            UPDATE site_health_runs SET result = NULL WHERE id IN (SELECT id FROM spare WHERE named) AND result IS NOT NULL RETURNING id
          )
          SELECT ((SELECT count(*) FROM removed) + (SELECT count(*) FROM emptied))::int AS removed,
            (SELECT json_build_object('at', iso(at), 'id', id) FROM old ORDER BY at DESC, id DESC LIMIT 1) AS last`
      }
    })

    return { batch }
  })
}) {}

/** Removes runs older than FINDABLE_RUN_RETENTION_DAYS, until its scope ends. */
export const retentionLayer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([RunRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("crawls", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))

const lost: RunError = { code: "worker_lost", message: "The worker of this crawl stopped. Start a new crawl." }

/** The browser of this process for rendering, looked for once. */
const equipment = findRenderer.pipe(
  Effect.map((browser) => ({ browser, problem: null })),
  Effect.catchAll(({ message }) =>
    Effect.as(Effect.logInfo(`This server does not render JavaScript: ${message}`), { browser: null, problem: message })
  ),
  Effect.provide(BunContext.layer)
)

/** Executes queued runs until its scope ends. The run of a dead worker fails without a retry: its caller decides. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { queues } = yield* QueueRepo
    const { store, work } = yield* ExecuteRun
    const found = yield* equipment
    yield* present(found, (browser) => Effect.provide(versionOf(browser), BunContext.layer))
    yield* worker({
      atOnce: yield* RunsAtOnce,
      channel,
      broken: () =>
        Either.left(failedCrawl("The crawl failed unexpectedly. See the server log, then start a new crawl.")),
      lost: () => Either.left(lost),
      called: "crawl",
      name: "run",
      outcome: Either.match({ onLeft: ({ code }) => code, onRight: () => "completed" }),
      queue: found.browser === null ? queues.plain : queues.rendering,
      store,
      work
    })
  })
).pipe(
  Layer.provide([Layer.provide(ExecuteRun.Default, CrawlerService.layer), LiveWorkersRepo.Default, QueueRepo.Default])
)
