import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { held, type LeaseLost, worker } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import { every } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { installationLayer } from "../../../foundation/secrets/Cipher.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Generations } from "../generation/Generations.ts"
import * as SearchAnalytics from "../searchconsole/SearchAnalytics.ts"
import { defaultDays, type SyncError } from "./Api.ts"
import { Sync, SyncsRepo } from "./Sync.ts"

/** A source in a worker's hands; its id is the project's. */
const Claim = LeaseQueue.Held(ProjectId)
type Claim = typeof Claim.Type

const OfSite = Schema.Struct({ site: ProjectId })

/** The sources as a queue: what is due, and when it is due again. */
export class DueRepo extends Effect.Service<DueRepo>()("rankings/sync/DueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const over = LeaseQueue.over(sql)

    const queue = LeaseQueue.make(sql, {
      account: sql`(SELECT account_id FROM projects WHERE projects.id = site_id)`,
      attemptsAtMost: LeaseQueue.attemptsAtMost,
      claim: Claim,
      columns: sql`site_id AS site`,
      due: sql`next_sync_at <= (SELECT clock_timestamp())`,
      key: "site_id",
      name: "synchronisations",
      oldest: "next_sync_at",
      table: "ranking_sources"
    })

    const succeed = Query.first({
      Request: Claim,
      Result: OfSite,
      execute: ({ id, lease }) => sql`
        UPDATE ranking_sources SET ${over}, failures = 0, last_error = NULL,
          synced_at = clock_timestamp(), next_sync_at = clock_timestamp() + every_hours * interval '1 hour'
        WHERE site_id = ${id} AND lease = ${lease} RETURNING site_id AS site`
    })

    /** The next attempt is due after 15 minutes, twice as long after each further failure, and never later than the schedule has it. */
    const fail = Query.first({
      Request: Schema.Struct({ error: Schema.String, ...Claim.fields }),
      Result: OfSite,
      execute: ({ error, id, lease }) => sql`
        UPDATE ranking_sources SET ${over}, failures = failures + 1, last_error = ${error},
          next_sync_at = CASE WHEN every_hours IS NOT NULL THEN
            clock_timestamp() + least(every_hours * interval '1 hour', interval '15 minutes' * 2 ^ least(failures, 10)) END
        WHERE site_id = ${id} AND lease = ${lease} RETURNING site_id AS site`
    })

    return {
      fail: (claim: Claim, error: string) => held(fail({ ...claim, error })),
      queue,
      succeed: (claim: Claim) => held(succeed(claim))
    }
  })
}) {}

/** Why a synchronisation failed; nothing when it went well. */
type End = Option.Option<SyncError>

const failed = (code: SyncError["code"], message: string) => (): End => Option.some({ code, message })

const advice: Readonly<Record<SearchAnalytics.Kind, readonly [code: SyncError["code"], advice: string]>> = {
  forbidden: ["forbidden", "Give the account of the credentials access to the property in Search Console"],
  invalid_request: ["refused", "Check the property"],
  invalid_response: ["unavailable", "Try again later"],
  quota: ["quota", "Try again later: the quota of the property or of the credentials' project is used up"],
  unauthorised: ["unauthorised", "Connect the project again, with valid credentials"],
  unavailable: ["unavailable", "Try again later"]
}

const failedOf = (error: Exclude<Effect.Effect.Error<ReturnType<Sync["run"]>>, LeaseLost>): SyncError => {
  if (error._tag !== "SearchConsoleFailed") return { code: "refused", message: error.message }
  const [code, what] = advice[error.kind]
  return { code, message: `${error.message}. ${what}` }
}

/** Synchronises the connected sites that are due. They become so hours apart, so looking each second is soon enough. */
const synchronising = Effect.gen(function* () {
  const { fail, queue, succeed } = yield* DueRepo
  const sync = yield* Sync
  const syncs = yield* SyncsRepo
  yield* worker({
    broken: failed("failed", "A fault of the server, which its log describes"),
    lost: failed(
      "worker_lost",
      `The worker of this synchronisation stopped, ${LeaseQueue.attemptsAtMost} times in a row`
    ),
    name: "synchronisation",
    outcome: Option.match({ onNone: () => "completed", onSome: () => "failed" }),
    queue,
    store: (claim, end: End) =>
      Effect.zipRight(
        Option.match(end, { onNone: () => succeed(claim), onSome: ({ message }) => fail(claim, message) }),
        syncs.end({ error: Option.getOrNull(end), site: claim.id })
      ),
    work: (claim) =>
      Effect.gen(function* () {
        const begun = yield* syncs.begin(claim, defaultDays)
        const watch = (done: number, all: number) =>
          syncs.progress(claim, { done: begun.done + done, sync: begun.sync, total: begun.done + all })
        return yield* sync.run(claim.id, begun.days, watch).pipe(
          Effect.as<End>(Option.none()),
          Effect.catchIf(
            (error) => error._tag !== "LeaseLost",
            (error) =>
              Effect.as(Effect.logWarning("The site could not be synchronised", error), Option.some(failedOf(error)))
          )
        )
      })
  })
})

/** Removes rankings that no cursor can refer to any more. */
const cleaner = Effect.flatMap(Generations, ({ purge }) =>
  every("10 minutes", "Old rankings could not be removed")(purge)
)

/** The worker over a given Search Console and cipher. */
export const layerNoDeps = Layer.scopedDiscard(Effect.zipRight(cleaner, synchronising)).pipe(
  Layer.provide([DueRepo.Default, Generations.Default, Sync.Default, SyncsRepo.Default])
)

/** Synchronises connected sites when they are due, each by one node, for as long as it lives. */
export const layer = layerNoDeps.pipe(Layer.provide([installationLayer, SearchAnalytics.layer]))
