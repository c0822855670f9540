import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ruleIds } from "../../crawl/rules/Catalogue.ts"
import { notify } from "../../foundation/database/Migrations.ts"
import * as Query from "../../foundation/database/Query.ts"
import { apiError, waitHeaders } from "../../foundation/http/ApiError.ts"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import { onSite, type Project, ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import { channel, EffectiveRequest, Run, RunId, runSeconds, type StartRun, type VerifyRun } from "./Domain.ts"
import { RequireBrowser } from "./LiveWorkers.ts"
import { runColumns } from "./Runs.ts"
import { Results } from "./results/Results.ts"

/** The account's running and started crawls, and the seconds until an exhausted quota has room. */
const Usage = Schema.Struct({
  atOnceLimit: Schema.Int,
  inProgress: Schema.Int,
  inProgressWait: Schema.Int,
  hourlyLimit: Schema.Int,
  startedThisHour: Schema.Int,
  hourlyWait: Schema.Int
})
type Usage = typeof Usage.Type

const NewRun = Schema.Struct({ account: AccountId, project: ProjectId, request: EffectiveRequest })

/** Null: all failing checks. */
const VerifyRules = Schema.NullOr(Schema.Array(Schema.String))
type VerifyRules = typeof VerifyRules.Type

/** The statements of starting a run; the use case runs them in one transaction after `lockAccount`. */
export class StartRepo extends Effect.Service<StartRepo>()("sitehealth/StartRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = yield* runColumns

    /** Serialises the starts of an account, and returns its plan's page limit. */
    const lockAccount = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ pages: Schema.Int }),
      execute: (account) => sql`
        SELECT p.pages_per_run AS pages FROM accounts a JOIN plans p ON p.id = a.plan
        WHERE a.id = ${account} FOR NO KEY UPDATE OF a`
    })

    /** The request of a key, with its run; the key may also have created something else. */
    const findKey = Query.first({
      Request: Schema.Struct({ account: AccountId, key: Schema.String }),
      Result: Schema.Struct({ request: Schema.String, isOfRun: Schema.Boolean, run: Schema.NullOr(Run) }),
      execute: ({ account, key }) => sql`
        SELECT k.request::text AS request, k.run_id IS NOT NULL AS "isOfRun",
          (SELECT row_to_json(run) FROM (SELECT ${columns} FROM site_health_runs WHERE id = k.run_id) AS run) AS run
        FROM idempotency_keys k WHERE k.account_id = ${account} AND k.key = ${key}`
    })

    /** No row when a request of another kind took the key meanwhile. */
    const keep = Query.first({
      Request: Schema.Struct({ account: AccountId, key: Schema.String, request: Schema.String, run: RunId }),
      Result: Schema.Struct({ key: Schema.String }),
      execute: ({ account, key, request, run }) => sql`
        INSERT INTO idempotency_keys (account_id, key, request, run_id)
        VALUES (${account}, ${key}, ${request}::json, ${run}) ON CONFLICT DO NOTHING RETURNING key`
    })

    const inFlight = Query.first({
      Request: NewRun,
      Result: Run,
      execute: ({ account, project, request }) => sql`
        SELECT ${columns} FROM site_health_runs
        WHERE account_id = ${account} AND project_id = ${project} AND finished_at IS NULL AND verify IS NULL AND url = ${request.url}
          AND max_pages = ${request.max_pages} AND check_dead_links = ${request.check_dead_links}
          AND check_external_links = ${request.check_external_links} AND render = ${request.render}
        LIMIT 1`
    })

    const usage = Query.one({
      Request: Schema.Struct({ account: AccountId, runSeconds: Schema.Int }),
      Result: Usage,
      execute: ({ account, runSeconds }) => sql`
        WITH recent AS (
          SELECT at + interval '1 hour' AS leaves, row_number() OVER (ORDER BY at DESC) AS age FROM site_health_starts(${account}) AS at
        ), running AS (
          SELECT least(r.started_at, clock_timestamp()) + ${runSeconds} * interval '1 second' AS ends
          FROM site_health_runs r WHERE account_id = ${account} AND finished_at IS NULL
        )
        SELECT p.runs_at_once AS "atOnceLimit", p.runs_per_hour AS "hourlyLimit",
          (SELECT count(*)::int FROM running) AS "inProgress",
          (SELECT count(*)::int FROM recent) AS "startedThisHour",
          greatest(1, ceil(extract(epoch FROM (SELECT min(ends) FROM running) - clock_timestamp())))::int
            AS "inProgressWait",
          greatest(1, ceil(extract(epoch FROM
            (SELECT leaves FROM recent WHERE age = p.runs_per_hour) - clock_timestamp())))::int AS "hourlyWait"
        FROM accounts a JOIN plans p ON p.id = a.plan WHERE a.id = ${account}`
    })

    /** Locks a run with a result until the transaction ends, so retention does not remove it; no row when it is gone. */
    const hold = Query.first({
      Request: RunId,
      Result: Schema.Struct({ id: RunId }),
      execute: (id) => sql`SELECT id FROM site_health_runs WHERE id = ${id} AND result IS NOT NULL FOR KEY SHARE`
    })

    const insert = Query.one({
      Request: Schema.Struct({ ...NewRun.fields, rules: VerifyRules }),
      Result: Run,
      execute: ({ account, project, request, rules }) => sql`
        INSERT INTO site_health_runs ${sql.insert({
          account_id: account,
          project_id: project,
          ...request,
          verify_rules: rules === null ? null : JSON.stringify(rules)
        })}
        RETURNING ${columns}`
    })

    return {
      /** Wakes the workers when the transaction commits. */
      wakeWorkers: Effect.orDie(sql`SELECT ${notify(sql, channel, sql`'queued'`)}`),
      lockAccount,
      findKey,
      keep,
      inFlight,
      usage,
      hold,
      insert
    }
  })
}) {}

/** The end of a start: a new run, the run of an earlier request with the same key, or an identical running one. */
export interface Started {
  readonly run: Run
  readonly how: "created" | "replayed" | "joined"
}

/** The request behind an Idempotency-Key, as sent, because the plan's limits may change. */
const fingerprint = (project: ProjectId, url: string, request: StartRun) =>
  JSON.stringify([
    project,
    url,
    request.max_pages ?? null,
    request.check_dead_links,
    request.check_external_links ?? false,
    request.render ?? "auto"
  ])

/** Start URL of a run: on the site's host, its root by default. */
export const startUrl = (project: Project, asked: string | undefined) =>
  Option.match(onSite(project, asked ?? project.url), {
    onNone: () => Invalid.of("url", `must be an http or https URL on ${project.host}, with or without www.`),
    onSome: (url) => {
      url.hash = ""
      return Effect.succeed(url.href)
    }
  })

const exceeded = (message: string, limit: number, wait: number) =>
  apiError("quota_exceeded", message, { headers: waitHeaders(limit, wait) })

const withinQuotas = (usage: Usage) => {
  if (usage.inProgress >= usage.atOnceLimit) {
    return exceeded(
      `Too many crawls at a time: ${usage.inProgress} in progress, and your plan allows ${usage.atOnceLimit}. Try again when one has finished.`,
      usage.atOnceLimit,
      usage.inProgressWait
    )
  }
  return usage.startedThisHour >= usage.hourlyLimit
    ? exceeded(
        `Too many crawls in the last hour: ${usage.startedThisHour} started, and your plan allows ${usage.hourlyLimit}. Try again later.`,
        usage.hourlyLimit,
        usage.hourlyWait
      )
    : Effect.void
}

const conflict = apiError(
  "idempotency_conflict",
  "This Idempotency-Key was already used with a different request. Use a new key for a new request."
)

/** The run was removed after it was read. */
const removed = NotFound.of("crawl")

/** Starts runs: one transaction per account at a time, so retries and races start nothing twice. */
export class Start extends Effect.Service<Start>()("sitehealth/Start", {
  dependencies: [Projects.Default, RequireBrowser.Default, StartRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const browser = yield* RequireBrowser
    const projects = yield* Projects
    const repo = yield* StartRepo

    const replay = Effect.fnUntraced(function* (account: AccountId, key: string | undefined, request: string) {
      if (key === undefined) return Option.none<Run>()
      const known = yield* repo.findKey({ account, key })
      if (Option.isNone(known)) return Option.none<Run>()
      if (known.value.request !== request || !known.value.isOfRun) return yield* conflict
      return Option.fromNullable(known.value.run)
    })

    /** Creates a run, within the quotas. */
    const create = Effect.fnUntraced(function* (
      account: AccountId,
      project: ProjectId,
      request: EffectiveRequest,
      rules: VerifyRules
    ) {
      // Under the account's lock: a site that was deleted after its look-up gets no run.
      yield* projects.own(account, project)
      if (request.verify !== null) yield* Effect.mapError(Effect.flatten(repo.hold(request.verify)), () => removed)
      yield* withinQuotas(yield* repo.usage({ account, runSeconds }))
      return { how: "created", run: yield* repo.insert({ account, project, request, rules }) } satisfies Started
    })

    /** Joins an identical running run, or creates one. */
    const joinOrCreate = Effect.fnUntraced(function* (
      account: AccountId,
      project: ProjectId,
      request: EffectiveRequest
    ) {
      const running = yield* repo.inFlight({ account, project, request })
      if (Option.isSome(running)) return { how: "joined", run: running.value } satisfies Started
      yield* browser.asked(request.render)
      return yield* create(account, project, request, null)
    })

    /** Starts the request `text` by `begin`, once per key; `begin` gets the plan's page limit. */
    const once = Effect.fnUntraced(function* <E>(
      account: AccountId,
      key: string | undefined,
      text: string,
      begin: (pages: number) => Effect.Effect<Started, E>
    ) {
      // A key never changes its run, so a replay needs neither lock nor transaction.
      const known = yield* replay(account, key, text)
      if (Option.isSome(known)) return { how: "replayed", run: known.value } satisfies Started
      return yield* Effect.gen(function* () {
        const { pages } = yield* repo.lockAccount(account)
        const replayed = yield* replay(account, key, text)
        if (Option.isSome(replayed)) return { how: "replayed", run: replayed.value } satisfies Started
        const started = yield* begin(pages)
        if (key !== undefined) {
          const kept = yield* repo.keep({ account, key, request: text, run: started.run.id })
          if (Option.isNone(kept)) return yield* conflict
        }
        if (started.how === "created") yield* repo.wakeWorkers
        return started
      }).pipe(Query.transaction(sql))
    })

    const start = Traced.fn("Start.start")(function* (
      account: AccountId,
      id: ProjectId,
      request: StartRun,
      key: string | undefined
    ) {
      const project = yield* projects.get(account, id)
      const url = yield* startUrl(project, request.url)
      return yield* once(account, key, fingerprint(id, url, request), (pages) => {
        const max_pages = Math.min(request.max_pages ?? pages, pages)
        const { check_dead_links, check_external_links = false, render = "auto" } = request
        return joinOrCreate(account, id, {
          check_dead_links,
          check_external_links,
          max_pages,
          render,
          url,
          verify: null
        })
      })
    })

    /** Rechecks the issues of a run with a result. A recheck never joins a running one, because its result must reflect the site after this request. */
    const verify = Traced.fn("Start.verify")(function* (
      account: AccountId,
      { id, project_id, request: { check_dead_links, check_external_links, render, url } }: Run,
      rules: VerifyRules,
      key: string | undefined
    ) {
      return yield* once(account, key, JSON.stringify(["verify", id, rules]), (max_pages) => {
        const request = { check_dead_links, check_external_links, max_pages, render, url, verify: id }
        return Effect.zipRight(browser.inherited(render), create(account, project_id, request, rules))
      })
    })

    return { start, verify }
  })
}) {}

const again = new Conflict({ message: "This crawl is a recheck. Recheck the crawl that it refers to instead." })

/** Starts rechecks of another run's issues. */
export class Verify extends Effect.Service<Verify>()("sitehealth/Verify", {
  dependencies: [Results.Default, Start.Default],
  effect: Effect.gen(function* () {
    const { having } = yield* Results
    const starts = yield* Start

    const verify = Traced.fn("Verify.verify")(function* (
      account: AccountId,
      id: RunId,
      { rules }: VerifyRun,
      key: string | undefined
    ) {
      const { value: run } = yield* having(account, id)
      if (run.request.verify !== null) return yield* again
      const unknown = rules?.findIndex((rule) => !ruleIds.has(rule)) ?? -1
      if (unknown >= 0)
        return yield* Invalid.of(
          `rules.${unknown}`,
          `must be the id of a check from GET /api/v1/rules: there is no ${rules?.[unknown]}`
        )
      return yield* starts.verify(account, run, rules === undefined ? null : [...new Set(rules)].toSorted(), key)
    })

    return { verify }
  })
}) {}
