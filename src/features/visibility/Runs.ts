import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Aging from "../../foundation/database/Aging.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { Owned, OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import { isNamed } from "./Changes.ts"
import { CallId, type Engine, type Estimate, GeoRun, PromptId, RunId } from "./Domain.ts"
import { dialects } from "./engines/Client.ts"
import { type Price, Prices, usual } from "./engines/Prices.ts"
import { DailyUsd, Engines, GeoRetentionDays, variableOf } from "./engines/Settings.ts"

/** Runs per batch, because each may have thousands of answers. */
const runsAtOnce = 4

/** Removes old runs with their answers. Baselines stay, and the latest run with answers for each engine of a site. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("visibility/RetentionRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    batch: Query.one({
      Request: Aging.Asked,
      Result: Aging.Done,
      execute: ({ after, days }) => sql`
        WITH old AS MATERIALIZED (
          SELECT id, project_id, engines, finished_at AS at FROM visibility_runs
          WHERE finished_at < statement_timestamp() - ${days} * interval '1 day'
            AND (finished_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
          ORDER BY finished_at, id LIMIT ${runsAtOnce} FOR UPDATE SKIP LOCKED
        ), removed AS (
          DELETE FROM visibility_runs WHERE id IN (
            SELECT id FROM old WHERE NOT EXISTS (SELECT FROM visibility_baselines b WHERE b.run_id = old.id)
              AND NOT EXISTS (SELECT FROM unnest(old.engines) AS e WHERE NOT EXISTS (
                SELECT FROM visibility_runs r WHERE r.project_id = old.project_id AND r.status IN ('completed', 'partial')
                  AND e = ANY (r.engines) AND (r.finished_at, r.id) > (old.at, old.id)))
          ) RETURNING id
        )
        SELECT (SELECT count(*)::int FROM removed) AS removed,
          (SELECT json_build_object('at', iso(at), 'id', id) FROM old ORDER BY at DESC, id DESC LIMIT 1) AS last`
    })
  }))
}) {}

/** Removes runs older than FINDABLE_GEO_RETENTION_DAYS, until its scope ends. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([GeoRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("AI visibility runs", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))

const Id = Schema.Struct({ id: CallId })
const Charged = Schema.Struct({ usd: Schema.Number })

/**
 * The budget of a UTC day, one per database. The statement that marks a call as sent charges its upper price before the request; the real cost replaces the
 * price when known. A doubtful call stays charged.
 */
export class BudgetRepo extends Effect.Service<BudgetRepo>()("visibility/BudgetRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const today = sql`(clock_timestamp() AT TIME ZONE 'UTC')::date`
    const transaction = Query.transaction(sql)

    /** The amount charged today. */
    const charged = Query.one({
      Request: Schema.Void,
      Result: Charged,
      execute: () =>
        sql`SELECT coalesce((SELECT charged_usd FROM visibility_budgets WHERE day = ${today}), 0)::float8 AS usd`
    })

    /** Whether the day has no room for a price, and no running call can return a part of its upper price. */
    const isOver = Query.one({
      Request: Schema.Struct({ daily: Schema.Number, usd: Schema.Number }),
      Result: Schema.Struct({ over: Schema.Boolean }),
      execute: ({ daily, usd }) => sql`
        SELECT coalesce((SELECT charged_usd FROM visibility_budgets WHERE day = ${today}), 0) + ${usd}::numeric > ${daily}::numeric
          AND NOT EXISTS (
            SELECT FROM visibility_calls c JOIN visibility_runs r ON r.id = c.run_id WHERE c.status = 'sent' AND r.leased_until > clock_timestamp()
          ) AS over`
    })

    const holding = Query.first({
      Request: LeaseQueue.Held(RunId),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ id, lease }) => sql`SELECT id FROM visibility_runs WHERE id = ${id} AND lease = ${lease} FOR SHARE`
    })

    const charge = Query.first({
      Request: Schema.Struct({ daily: Schema.Number, usd: Schema.Number }),
      Result: Schema.Struct({ day: Schema.String }),
      execute: ({ daily, usd }) => sql`
        INSERT INTO visibility_budgets AS b (day, charged_usd) SELECT ${today}, ${usd}::numeric WHERE ${usd}::numeric <= ${daily}::numeric
        ON CONFLICT (day) DO UPDATE SET charged_usd = b.charged_usd + excluded.charged_usd
        WHERE b.charged_usd + excluded.charged_usd <= ${daily}::numeric
        RETURNING day::text`
    })

    /**
     * Charges a call to the day of its first try. After midnight a further try charges its upper price to the new day too, so neither day exceeds its budget.
     */
    const send = Query.first({
      Request: Schema.Struct({ day: Schema.String, id: CallId, usd: Schema.Number }),
      Result: Id,
      execute: ({ day, id, usd }) => sql`
        UPDATE visibility_calls SET status = 'sent', reserved_usd = reserved_usd + ${usd}::numeric, reserved_on = coalesce(reserved_on, ${day}::date)
        WHERE id = ${id} AND status IN ('planned', 'sent') RETURNING id`
    })

    /** Returns the charge of a call that the engine refused before working on it. */
    const release = Query.none({
      Request: Schema.Struct({ id: CallId, usd: Schema.Number }),
      execute: ({ id, usd }) => sql`
        WITH call AS (
          UPDATE visibility_calls SET reserved_usd = reserved_usd - ${usd}::numeric WHERE id = ${id} AND status = 'sent' RETURNING reserved_on
        )
        UPDATE visibility_budgets SET charged_usd = greatest(charged_usd - ${usd}::numeric, 0) WHERE day = (SELECT reserved_on FROM call)`
    })

    return { charge, charged: charged(undefined), holding, isOver, release, send, transaction }
  })
}) {}

/** A configured engine: its model with the price, and the version of its search tool. */
interface Offer {
  readonly engine: Engine
  readonly model: string
  readonly price: Price
  readonly tool: string
}

const missing = (setting: string) =>
  apiError("not_configured", `AI visibility is off: the administrator must set ${setting}`)

/** The administrator's settings of engines, prices and budget. */
export class Configured extends Effect.Service<Configured>()("visibility/Configured", {
  effect: Effect.gen(function* () {
    const engines = yield* Engines
    const prices = yield* Prices
    const daily = yield* DailyUsd

    const offer = (engine: Engine): Option.Option<Offer> => {
      const { model } = engines[engine]
      return Option.map(Option.fromNullable(prices[model]), (price) => ({
        engine,
        model,
        price,
        tool: dialects[engine].tool
      }))
    }

    /** Configured engines with their model prices; every model needs a price. */
    const offers = (asked: ReadonlyArray<Engine>) =>
      Effect.forEach(asked, (engine, at) =>
        Option.match(offer(engine), {
          onNone: () =>
            Invalid.of(
              `engines.${at}`,
              `uses the model ${engines[engine].model}, which has no price: the administrator must add it to FINDABLE_GEO_PRICES`
            ),
          onSome: Effect.succeed
        })
      )

    /** Fails with `not_configured` unless there is a budget, and each engine has a key. */
    const ready = (asked: ReadonlyArray<Engine>) => {
      const without = asked.find((engine) => Option.isNone(engines[engine].key))
      if (without !== undefined) return missing(`FINDABLE_${variableOf[without]}_KEY`)
      return Option.match(daily, { onNone: () => missing("FINDABLE_GEO_DAILY_USD"), onSome: Effect.succeed })
    }

    return { daily, engines, offers, prices, ready }
  })
}) {}

const Project = OwnedId(ProjectId)
const texts = Schema.Array(Schema.String)

/** Creates runs, and reads them for their owners. */
export class RunsRepo extends Effect.Service<RunsRepo>()("visibility/RunsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Locks the site: its prompts and runs change one at a time. */
    const lock = Query.none({
      Request: Project,
      execute: (project) => sql`SELECT FROM projects WHERE id = ${project} FOR NO KEY UPDATE`
    })

    const prompts = Query.all({
      Request: Project,
      Result: Schema.Struct({ id: PromptId, text: Schema.String }),
      execute: (project) =>
        sql`SELECT id, text FROM visibility_prompts WHERE project_id = ${project} ORDER BY created_at, id`
    })

    const inProgress = Query.first({
      Request: Project,
      Result: Schema.Struct({ id: RunId }),
      execute: (project) => sql`SELECT id FROM visibility_runs WHERE project_id = ${project} AND finished_at IS NULL`
    })

    const insert = Query.one({
      Request: Schema.Struct({
        engines: texts,
        host: Schema.String,
        names: texts,
        project: Project,
        repeats: Schema.Int
      }),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ engines, host, names, project, repeats }) => sql`
        INSERT INTO visibility_runs (account_id, project_id, engines, repeats, names, host, prompt_set)
        SELECT account_id, id, ${engines}::text[], ${repeats}, ${names}::text[], ${host}, (
          SELECT md5(string_agg(md5(locale || ' ' || text), ',' ORDER BY md5(locale || ' ' || text)))
          FROM visibility_prompts WHERE project_id = projects.id
        ) FROM projects WHERE id = ${project} RETURNING id`
    })

    /** Inserts every question of a run; each prompt is asked once before any is repeated. */
    const plan = Query.none({
      Request: Schema.Struct({
        engines: texts,
        models: texts,
        named: Schema.Array(PromptId),
        run: RunId,
        tools: texts
      }),
      execute: ({ engines, models, named, run, tools }) => sql`
        INSERT INTO visibility_calls (run_id, project_id, number, prompt_id, prompt, locale, is_named, engine, model, tool, repeat, created_at)
        SELECT r.id, r.project_id, row_number() OVER (ORDER BY repeat, p.created_at, p.id, e.place), p.id, p.text, p.locale,
          p.id = ANY (${named}::uuid[]), e.engine, e.model, e.tool, repeat, r.created_at
        FROM visibility_runs r JOIN visibility_prompts p ON p.project_id = r.project_id
          CROSS JOIN unnest(${engines}::text[], ${models}::text[], ${tools}::text[]) WITH ORDINALITY AS e (engine, model, tool, place)
          CROSS JOIN generate_series(1, r.repeats) AS repeat
        WHERE r.id = ${run}`
    })

    const columns =
      sql.literal(`r.id, r.status, r.engines, r.repeats, c.planned, c.answered, c.errors, c.cost_usd, r.reason,
      iso(r.created_at) AS created_at, iso(r.finished_at) AS finished_at`)
    const runs = sql`visibility_runs r CROSS JOIN LATERAL (
        SELECT count(*)::int AS planned, count(*) FILTER (WHERE outcome <> 'error')::int AS answered,
          count(*) FILTER (WHERE outcome = 'error')::int AS errors,
          coalesce(sum(coalesce(cost_usd, reserved_usd)), 0)::float8 AS cost_usd
        FROM visibility_calls WHERE run_id = r.id
      ) c`

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: RunId }),
      Result: Schema.Struct({ ...GeoRun.fields, project: ProjectId }),
      execute: ({ account, id }) => sql`
        SELECT ${columns}, r.project_id AS project FROM ${runs} WHERE r.id = ${id} AND r.account_id = ${account}`
    })

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: Project }),
      Result: GeoRun,
      table: "r",
      rows: ({ project }) => sql`SELECT ${columns} FROM ${runs} WHERE r.project_id = ${project}`
    })

    return { find, inProgress, insert, list, lock, plan, prompts, transaction: Query.transaction(sql) }
  })
}) {}

/** Engines to ask, and repetitions. */
interface Terms {
  readonly engines: ReadonlyArray<Engine>
  readonly repeats: number
}

/** Amounts in millionths of a dollar. */
const rounded = (usd: number) => Math.round(usd * 1e6) / 1e6

const noPrompts = new Conflict({ message: "The site has no prompts. Add at least one first" })

/** The runs of an account's sites. */
export class Runs extends Effect.Service<Runs>()("visibility/Runs", {
  dependencies: [BudgetRepo.Default, Configured.Default, Projects.Default, RunsRepo.Default],
  effect: Effect.gen(function* () {
    const budget = yield* BudgetRepo
    const configured = yield* Configured
    const projects = yield* Projects
    const repo = yield* RunsRepo
    const mine = Owned.by(repo.find, "run")

    const estimate = Traced.fn("GeoRuns.estimate")(function* (
      account: AccountId,
      id: ProjectId,
      { engines, repeats }: Terms
    ) {
      const project = yield* projects.own(account, id)
      const offers = yield* configured.offers(engines)
      const prompts = (yield* repo.prompts(project)).length * repeats
      const { usd } = yield* budget.charged
      return {
        budget_left_usd: Option.match(configured.daily, {
          onNone: () => 0,
          onSome: (daily) => rounded(Math.max(0, daily - usd))
        }),
        calls: prompts * offers.length,
        price: {
          high_usd: rounded(offers.reduce((sum, { price }) => sum + price.call, 0) * prompts),
          low_usd: rounded(offers.reduce((sum, { price }) => sum + usual(price), 0) * prompts)
        }
      } satisfies Estimate
    })

    const start = Traced.fn("GeoRuns.start")(function* (
      account: AccountId,
      id: ProjectId,
      { engines, repeats }: Terms
    ) {
      const project = yield* projects.own(account, id)
      const offers = yield* configured.offers(engines)
      yield* configured.ready(engines)
      yield* repo.lock(project)
      if (Option.isSome(yield* repo.inProgress(project)))
        return yield* new Conflict({ message: "A run of the site is in progress. Try again when it is finished" })
      const prompts = yield* repo.prompts(project)
      if (prompts.length === 0) return yield* noPrompts
      const { brand_terms: names, url } = project.value
      const run = yield* repo.insert({ engines, host: new URL(url).hostname, names, project, repeats })
      yield* repo.plan({
        engines,
        models: offers.map(({ model }) => model),
        named: prompts.flatMap(({ id, text }) => (isNamed(text, names) ? [id] : [])),
        run: run.id,
        tools: offers.map(({ tool }) => tool)
      })
      return yield* get(account, id, run.id)
    }, repo.transaction)

    /** The site's run, with the proof that the account owns it. */
    const own = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: RunId) {
      const run = yield* mine(account, id)
      return run.value.project === project ? run : yield* NotFound.of("run")
    })

    const get = (account: AccountId, project: ProjectId, id: RunId) =>
      Effect.map(own(account, project, id), ({ value: { project: _, ...run } }) => run)

    const list = Traced.fn("GeoRuns.list")(function* (account: AccountId, project: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    return { estimate, get, list, own, start }
  })
}) {}
