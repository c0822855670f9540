import * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { held, worker } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import { every } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { IndexesRepo } from "../generation/ComputeRepo.ts"
import { Imports } from "../import/Imports.ts"
import { bulkWork, Site, SitesRepo } from "../Site.ts"
import { Traffic } from "../traffic/Traffic.ts"
import { Compute } from "./Compute.ts"

const Held = LeaseQueue.Held(Schema.String)
type Held = typeof Held.Type

/** A worker's claim of a generation; `revision` counts the changes of its site's facts so far. */
const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  newest_day: Schema.String,
  number: Schema.Int,
  revision: Schema.String,
  site: ProjectId
})
type Claim = typeof Claim.Type

const OfSite = Schema.Struct({ site: ProjectId })

/** Current generations without computed opportunities; large ones are not indexed yet either. */
export class QueueRepo extends Effect.Service<QueueRepo>()("rankings/opportunities/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ofSite = (column: "number" | "revision") =>
      sql`(SELECT ${sql(column)} FROM ranking_sites s WHERE s.site_id = ranking_generations.site_id) AS ${sql(column)}`

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost: LeaseQueue.attemptsAtMost,
      claim: Claim,
      columns: sql`site_id AS site, account_id AS account, period_end::text AS newest_day, ${ofSite("number")}, ${ofSite("revision")}`,
      due: sql`opportunities_due_at <= (SELECT clock_timestamp())`,
      key: "id",
      name: "opportunities",
      oldest: "opportunities_due_at",
      table: "ranking_generations"
    })

    const unindexed = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ id }) => sql`SELECT id::text FROM ranking_generations WHERE id = ${id}::bigint AND NOT is_indexed`
    })

    /** Has lists read the indexes. Returns no row when the generation was superseded. */
    const indexed = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ id, lease }) => sql`
        UPDATE ranking_generations SET is_indexed = true WHERE id = ${id}::bigint AND lease = ${lease} RETURNING id::text`
    })

    /** Makes the lists visible. Returns no row when the generation was superseded, or when facts of its site have changed meanwhile. */
    const publish = Query.first({
      Request: Schema.Struct({
        brand: Schema.Array(Schema.String),
        number: Schema.Int,
        revision: Schema.String,
        summary: Schema.String,
        ...Held.fields
      }),
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ brand, id, lease, number, revision, summary }) => sql`
        UPDATE ranking_generations SET opportunities = ${summary}::json, brand_folded = ${brand}::text[],
          opportunities_due_at = NULL, ${LeaseQueue.over(sql)}
        WHERE id = ${id}::bigint AND lease = ${lease} AND EXISTS (SELECT FROM ranking_sites WHERE number = ${number} AND revision = ${revision}::bigint)
        RETURNING id::text`
    })

    /** Delays the next attempt by half a minute, doubled after each further one, up to two hours. */
    const putOff = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ id, lease }) => sql`
        UPDATE ranking_generations SET opportunities_due_at = clock_timestamp() + interval '15 seconds' * 2 ^ least(attempts, 9),
          lease = NULL, leased_until = NULL
        WHERE id = ${id}::bigint AND lease = ${lease} RETURNING id::text`
    })

    /** Whether the opportunities of a site are due, or being computed. */
    const isWaiting = Query.one({
      Request: OfSite,
      Result: Schema.Struct({ waiting: Schema.Boolean }),
      execute: ({ site }) => sql`
        SELECT EXISTS (SELECT FROM ranking_generations WHERE site_id = ${site} AND opportunities_due_at IS NOT NULL
          AND (lease IS NOT NULL OR opportunities_due_at <= clock_timestamp())) AS waiting`
    })

    return {
      indexed,
      isWaiting: (site: ProjectId) => Effect.map(isWaiting({ site }), ({ waiting }) => waiting),
      publish,
      putOff: (claim: Held) => Effect.asVoid(held(putOff(claim))),
      queue,
      transaction: <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Query.transaction(sql)(Effect.zipRight(bulkWork(sql), work)),
      unindexed
    }
  })
}) {}

/** The result is outdated: the generation was superseded, its facts have changed, or the project is gone. */
class Outdated extends Data.TaggedError("Outdated") {}

type End = "completed" | "failed" | "outdated" | "worker_lost"

/**
 * Indexes published generations and computes their opportunities, each in a transaction, until the scope closes, and publishes events of traffic drops with the
 * opportunities. A generation that could not be computed stays in the queue.
 */
const computing = Effect.gen(function* () {
  const { run } = yield* Compute
  const indexes = yield* IndexesRepo
  const { indexed, publish, putOff, queue, transaction, unindexed } = yield* QueueRepo
  const { stay } = yield* SitesRepo
  const traffic = yield* Traffic

  /** The look is repeated with the work, which may have been interrupted after the commit. */
  const index = (claim: Claim) =>
    Effect.gen(function* () {
      if (Option.isNone(yield* unindexed(claim))) return false
      yield* indexes.make(claim.id)
      yield* Effect.flatten(stay({ site: claim.site }))
      yield* Effect.flatten(indexed(claim))
      return true
    }).pipe(
      Effect.mapError(() => new Outdated()),
      transaction,
      Effect.tap((isNew) => Effect.when(Effect.zipRight(indexes.settleSearch, indexes.analyse), () => isNew))
    )

  const compute = ({ account, id, lease, newest_day: newestDay, number, revision, site }: Claim) =>
    Effect.gen(function* () {
      const { brand, decay, summary } = yield* run({ generation: id, newestDay, site: number })
      yield* Effect.flatten(stay({ site }))
      if (decay !== null) yield* traffic.publishBegun({ decay, newestDay, number, site: { account, id: site } })
      yield* Effect.flatten(publish({ brand, id, lease, number, revision, summary: JSON.stringify(summary) }))
    }).pipe(
      Effect.mapError(() => new Outdated()),
      transaction
    )

  yield* worker({
    broken: (): End => "failed",
    lost: (): End => "worker_lost",
    name: "computation of opportunities",
    outcome: identity,
    queue,
    store: (claim, end: End) => (end === "completed" ? Effect.void : putOff(claim)),
    work: (claim) =>
      Effect.match(Effect.zipRight(index(claim), compute(claim)), {
        onFailure: (): End => "outdated",
        onSuccess: (): End => "completed"
      })
  })
})

const services = Layer.mergeAll(
  Compute.Default,
  IndexesRepo.Default,
  QueueRepo.Default,
  SitesRepo.Default,
  Traffic.Default
)

/** Computes due opportunities until none of a site are due, for a command that may run without a node. Only warnings of the worker are logged. */
export const untilComputed = (site: ProjectId) =>
  Effect.gen(function* () {
    const { isWaiting } = yield* QueueRepo
    yield* computing
    yield* Effect.repeat(isWaiting(site), { schedule: Schedule.spaced("100 millis"), while: identity<boolean> })
  }).pipe(Effect.scoped, Effect.provide(services), Logger.withMinimumLogLevel(LogLevel.Warning))

/** Sites with lists of outdated brand terms. */
export class OutdatedRepo extends Effect.Service<OutdatedRepo>()("rankings/opportunities/OutdatedRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Lists that are not computed yet will use the current terms.
    const differ = sql`g.published IS NOT NULL AND g.superseded IS NULL AND g.brand_folded <> p.brand_folded`

    /** Sites with changed brand terms since their lists were computed. A few at a time; the next pass finds the rest. */
    const outdated = Query.all({
      Request: Schema.Void,
      Result: Site,
      execute: () => sql`
        SELECT p.id, p.account_id AS account, p.host, p.url FROM ranking_generations g JOIN projects p ON p.id = g.site_id
        WHERE ${differ} AND p.account_id IS NOT NULL ORDER BY g.id LIMIT 20`
    })

    const mark = Query.none({
      Request: OfSite,
      execute: ({ site }) => sql`
        UPDATE ranking_sites s SET is_stale = true WHERE site_id = ${site} AND EXISTS (
          SELECT FROM ranking_generations g JOIN projects p ON p.id = g.site_id WHERE g.site_id = s.site_id AND ${differ})`
    })

    return { mark, outdated: () => outdated(undefined) }
  })
}) {}

/** Recomputes a generation after a change of brand terms. */
export class Renewals extends Effect.Service<Renewals>()("rankings/opportunities/Renewals", {
  dependencies: [Imports.Default, OutdatedRepo.Default],
  effect: Effect.gen(function* () {
    const imports = yield* Imports
    const repo = yield* OutdatedRepo

    /** Recomputes one site after the other, each after the site's imports. */
    const run = Traced.fn("Renewals.run")(function* () {
      yield* Effect.forEach(
        yield* repo.outdated(),
        (site) => Effect.zipRight(repo.mark({ site: site.id }), imports.renew(site)),
        { discard: true }
      )
    })

    return { run }
  })
}) {}

const renewing = Effect.flatMap(Renewals, ({ run }) =>
  every("5 seconds", "Rankings could not be recomputed after a change of brand terms")(run())
)

/** Computes opportunities, and updates them after changes of brand terms, until the scope closes. */
export const layer = Layer.scopedDiscard(Effect.zipRight(computing, renewing)).pipe(
  Layer.provide([Renewals.Default, services])
)
