import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Query from "../../foundation/database/Query.ts"
import * as Shares from "../../foundation/database/Shares.ts"
import { applied, waitOf } from "../../foundation/http/Prefer.ts"
import { Connections, Stopping } from "../../foundation/http/Request.ts"
import { Conflict, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import { ExportLimits } from "../accounts/Exports.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { Owned, OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import { endOfRun, Run, RunId, RunStatus, RunWithResult, runSeconds } from "./Domain.ts"

/** The request of a run, from the columns of its row. */
const request = `json_build_object('url', url, 'max_pages', max_pages, 'check_dead_links', check_dead_links,
  'check_external_links', check_external_links, 'render', render, 'verify', verify)`

export const runRequest = Effect.map(SqlClient.SqlClient, (sql) => sql.literal(request))

/** The columns of `site_health_runs` that make a `Run`. */
export const runColumns = Effect.map(SqlClient.SqlClient, (sql) =>
  sql.literal(`id, 'site_health' AS type, project_id, status, phase, iso(created_at) AS created_at,
    iso(started_at) AS started_at, iso(finished_at) AS finished_at, counters, error,
    CASE WHEN status = 'running' THEN iso(started_at + interval '${runSeconds} seconds') END AS deadline_at,
    CASE WHEN status = 'running' THEN last_url END AS last_url, score, findings,
    ${request} AS request, result IS NOT NULL AS result_available`)
)

const OfAccount = Schema.Struct({ account: AccountId, id: RunId })

/** Reads, cancels and deletes runs. */
export class RunsRepo extends Effect.Service<RunsRepo>()("sitehealth/RunsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = yield* runColumns

    const find = Query.first({
      Request: OfAccount,
      Result: Run,
      execute: ({ account, id }) => sql`
        SELECT ${columns} FROM site_health_runs WHERE id = ${id} AND account_id = ${account}`
    })

    const findWithResult = Query.first({
      Request: OfAccount,
      Result: RunWithResult,
      execute: ({ account, id }) => sql`
        SELECT ${columns}, result FROM site_health_runs WHERE id = ${id} AND account_id = ${account}`
    })

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId), status: Schema.UndefinedOr(RunStatus) }),
      Result: Run,
      table: "r",
      rows: ({ project, status }) => sql`
        SELECT ${columns} FROM site_health_runs r WHERE project_id = ${project}
          AND ${status === undefined ? sql`true` : sql`status = ${status}`}`
    })

    const latest = Query.first({
      Request: Schema.Struct({ project: OwnedId(ProjectId) }),
      Result: RunWithResult,
      execute: ({ project }) => sql`
        SELECT ${columns}, result FROM site_health_runs r
        WHERE project_id = ${project} AND result IS NOT NULL AND verify IS NULL
        ORDER BY r.created_at DESC, id DESC LIMIT 1`
    })

    /** No row when the run is final. */
    const cancel = Query.first({
      Request: OfAccount,
      Result: Run,
      execute: ({ account, id }) => sql`
        UPDATE site_health_runs SET status = 'cancelled', phase = 'finished', finished_at = clock_timestamp(),
          lease = NULL, leased_until = NULL
        WHERE id = ${id} AND account_id = ${account} AND finished_at IS NULL RETURNING ${columns}`
    })

    /** Locks a run against changes, and against new verifications of it, until the transaction ends. */
    const hold = Query.first({
      Request: OfAccount,
      Result: Run.pick("status", "finished_at"),
      execute: ({ account, id }) => sql`
        SELECT status, iso(finished_at) AS finished_at FROM site_health_runs WHERE id = ${id} AND account_id = ${account} FOR UPDATE`
    })

    const verifying = Query.first({
      Request: RunId,
      Result: Run.pick("id"),
      execute: (id) => sql`SELECT id FROM site_health_runs WHERE verify = ${id} AND finished_at IS NULL LIMIT 1`
    })

    const remove = Query.none({
      Request: RunId,
      execute: (id) => sql`DELETE FROM site_health_runs WHERE id = ${id}`
    })

    return {
      find,
      findWithResult,
      hold,
      list,
      latest,
      cancel,
      remove,
      transaction: Query.transaction(sql),
      verifying
    }
  })
}) {}

const missing = NotFound.of("crawl")

/** Reads, cancels and deletes the runs of an account. */
export class Runs extends Effect.Service<Runs>()("sitehealth/Runs", {
  dependencies: [Projects.Default, RunsRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* RunsRepo

    /** The run with the proof that the account owns it. */
    const own = Owned.by(repo.find, "crawl")

    const get = Traced.fn("Runs.get")(function* (account: AccountId, id: RunId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** The run with its result: null without one, absent while the run is not finished. */
    const getWithResult = Traced.fn("Runs.getWithResult")(function* (account: AccountId, id: RunId) {
      const run = yield* Effect.mapError(Effect.flatten(repo.findWithResult({ account, id })), () => missing)
      if (run.finished_at !== null) return run
      const { result: _, ...unfinished } = run
      return unfinished
    })

    /** The latest finished run with a result. */
    const latest = Traced.fn("Runs.latest")(function* (account: AccountId, project: ProjectId) {
      const owned = yield* projects.own(account, project)
      return Option.match(yield* repo.latest({ project: owned }), {
        onNone: () => ({ has_data: false, result: null, run: null }),
        onSome: ({ result, ...run }) => ({ has_data: true, result: result ?? null, run })
      })
    })

    /** Ends an unfinished run; its worker notices at its next heartbeat. */
    const cancel = Traced.fn("Runs.cancel")(function* (account: AccountId, id: RunId) {
      const cancelled = yield* repo.cancel({ account, id })
      if (Option.isSome(cancelled)) return cancelled.value
      const { status } = yield* get(account, id)
      return yield* new Conflict({ message: `The crawl has already ended: it is ${status}` })
    })

    /** Deletes a final run that no running verification refers to. */
    const remove = Traced.fn("Runs.remove")(function* (account: AccountId, id: RunId) {
      const { status, finished_at } = yield* Effect.mapError(Effect.flatten(repo.hold({ account, id })), () => missing)
      if (finished_at === null)
        return yield* new Conflict({ message: `The crawl is ${status}. Cancel it first, then delete it.` })
      if (Option.isSome(yield* repo.verifying(id)))
        return yield* new Conflict({
          message: "A recheck of this crawl is in progress. Cancel it first, then delete the crawl."
        })
      yield* repo.remove(id)
    }, repo.transaction)

    /** The site's runs, in all states or one, latest first, after a position. */
    const list = Traced.fn("Runs.list")(function* (
      account: AccountId,
      project: ProjectId,
      status: RunStatus | undefined,
      batch: Batch
    ) {
      const owned = yield* projects.own(account, project)
      return yield* repo.list({ ...batch, project: owned, status })
    })

    return { cancel, get, getWithResult, latest, list, own, remove }
  })
}) {}

/** Often at first, because small sites take a second, then every second. */
const looks = Schedule.exponential("100 millis", 1.5).pipe(Schedule.union(Schedule.spaced("1 second")))

/** Waits for the end of a run, as long as the caller prefers. */
export class Waiting extends Effect.Service<Waiting>()("sitehealth/Waiting", {
  dependencies: [Runs.Default],
  effect: Effect.gen(function* () {
    const runs = yield* Runs
    const stopping = yield* Stopping

    const ended = (account: AccountId, id: RunId) =>
      Effect.repeat(runs.get(account, id), { schedule: looks, until: ({ finished_at }) => finished_at !== null })

    /** The run after its end, after the preferred wait, or when this server stops; immediately without a preference. */
    const waited = (account: AccountId, run: Run, prefer: string | undefined) =>
      Option.match(run.finished_at === null ? waitOf(prefer, endOfRun) : Option.none(), {
        onNone: () => Effect.succeed(run),
        onSome: (seconds) =>
          ended(account, run.id).pipe(
            Effect.raceFirst(stopping.begun),
            Effect.timeoutOption(`${seconds} seconds`),
            Effect.interruptible,
            Effect.zipRight(applied(seconds)),
            Effect.zipRight(runs.get(account, run.id))
          )
      })

    return { waited }
  })
}) {}

/** Longest silence: proxies and clients close a silent connection. */
const heartbeat = "15 seconds"

/** The next text, and whether it is the last. */
interface Step {
  readonly text: string
  readonly isLast: boolean
}

const lineOf = (run: Run): Step => ({ isLast: run.finished_at !== null, text: `${JSON.stringify(run)}\n` })

const blank: Step = { isLast: false, text: "\n" }

/** Follows a run to its end, a line for each of its states. */
export class Following extends Effect.Service<Following>()("sitehealth/Following", {
  dependencies: [Runs.Default],
  effect: Effect.gen(function* () {
    const runs = yield* Runs
    const stopping = yield* Stopping
    const limits = yield* ExportLimits
    const { backlogOf } = yield* Connections

    /** The current run; a deleted run has no further state. */
    const now = (account: AccountId, id: RunId) =>
      Effect.match(runs.get(account, id), { onFailure: (): Step => ({ isLast: true, text: "" }), onSuccess: lineOf })

    /** The next state after the sent one, a blank line after a silence, or the last state when this server stops. */
    const next = (account: AccountId, id: RunId, sent: string) =>
      now(account, id).pipe(
        Effect.filterOrFail(
          ({ text }) => text !== sent,
          () => "unchanged"
        ),
        Effect.retry(looks),
        Effect.orElseSucceed(() => blank),
        Effect.timeoutTo({ duration: heartbeat, onSuccess: (step) => step, onTimeout: () => blank }),
        Effect.raceFirst(
          Effect.zipRight(
            stopping.begun,
            Effect.map(now(account, id), (step) => ({ ...step, isLast: true }))
          )
        )
      )

    /** The states of a run from the given one, until it is final or this server stops. */
    const lines = (account: AccountId, run: Run): Stream.Stream<string> => {
      const first = lineOf(run)
      const later = Stream.unfoldEffect({ isLast: first.isLast, sent: first.text }, ({ isLast, sent }) =>
        isLast
          ? Effect.succeedNone
          : Effect.map(next(account, run.id, sent), (step) =>
              Option.some([
                step.text,
                { isLast: step.isLast, sent: step.text === blank.text ? sent : step.text }
              ] as const)
            )
      )
      return Stream.concat(
        Stream.succeed(first.text),
        Stream.filter(later, (text) => text !== "")
      )
    }

    /** The states as a response; it ends if the reader stops reading. It holds one place of the account, and counts against limits once. */
    const followed = Effect.fnUntraced(function* (account: AccountId, id: RunId) {
      const { source } = yield* HttpServerRequest.HttpServerRequest
      const run = yield* runs.get(account, id)
      yield* limits.place(account, "followed")
      // The fiber that reads the stream does not descend from the request's.
      const share = yield* FiberRef.get(Shares.current)
      let isBehind = false
      const measured = Effect.map(backlogOf(source), (bytes) => {
        isBehind = bytes > 0
      })
      const pieces = lines(account, run).pipe(
        Stream.tap(() => measured),
        Stream.encodeText,
        Stream.tapErrorCause((cause) => Effect.logWarning("A response that waits for a crawl failed", cause)),
        Stream.onStart(FiberRef.set(Shares.current, share))
      )
      return HttpServerResponse.stream(yield* limits.watched(pieces, () => !isBehind), {
        contentType: "application/x-ndjson",
        // A proxy that buffers a response would hold its lines back.
        headers: { "x-accel-buffering": "no" }
      })
    })

    return { followed, lines }
  })
}) {}
