import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type LeaseLost, worker } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import { every } from "../../../foundation/database/Outages.ts"
import { installationLayer } from "../../../foundation/secrets/Cipher.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { dueRows } from "../../projects/Schedules.ts"
import { Generations } from "../generation/Generations.ts"
import * as SearchAnalytics from "../searchconsole/SearchAnalytics.ts"
import { defaultDays, type SyncError } from "./Api.ts"
import { Sync, SyncsRepo } from "./Sync.ts"

/** A worker's claim of a source; the id is the project's. */
const Claim = LeaseQueue.Held(ProjectId)

/** The queue of sources: due sources, and their next time. */
export class DueRepo extends Effect.Service<DueRepo>()("rankings/sync/DueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { ending, queue } = yield* dueRows({
      claim: Claim,
      columns: "site_id AS site",
      key: "site_id",
      name: "synchronisations",
      table: "ranking_sources"
    })
    return {
      /** The next attempt is due after 15 minutes, doubled after each further failure, and never later than the schedule's next time. */
      fail: ending(
        Schema.String,
        (error) => sql`failures = failures + 1, last_error = ${error}, next_at = CASE WHEN every_hours IS NOT NULL THEN
          clock_timestamp() + least(every_hours * interval '1 hour', interval '15 minutes' * 2 ^ least(failures, 10)) END`
      ),
      queue,
      /** The interval counts from now, because a source has no slots, and a synchronisation may take long. */
      succeed: ending(
        Schema.Void,
        () => sql`failures = 0, last_error = NULL, synced_at = clock_timestamp(),
          next_at = clock_timestamp() + every_hours * interval '1 hour'`
      )
    }
  })
}) {}

/** Why a synchronisation failed; none after success. */
type End = Option.Option<SyncError>

const failed = (code: SyncError["code"], message: string) => (): End => Option.some({ code, message })

const advice: Readonly<Record<SearchAnalytics.Kind, readonly [code: SyncError["code"], advice: string]>> = {
  forbidden: ["forbidden", "In Search Console, give the account of these credentials access to the property"],
  invalid_request: ["refused", "Check the name of the property"],
  invalid_response: ["unavailable", "Try again later"],
  quota: ["quota", "The API quota of the property or of the Google Cloud project is used up: try again later"],
  unauthorised: ["unauthorised", "Connect the site again with valid credentials"],
  unavailable: ["unavailable", "Try again later"]
}

const failedOf = (error: Exclude<Effect.Effect.Error<ReturnType<Sync["run"]>>, LeaseLost>): SyncError => {
  if (error._tag !== "SearchConsoleFailed") return { code: "refused", message: error.message }
  const [code, what] = advice[error.kind]
  return { code, message: `${error.message}. ${what}` }
}

/** Synchronises due sites. Times are hours apart, so a look every second is soon enough. */
const synchronising = Effect.gen(function* () {
  const { fail, queue, succeed } = yield* DueRepo
  const sync = yield* Sync
  const syncs = yield* SyncsRepo
  yield* worker({
    broken: failed("failed", "Server error: the server's log has the cause"),
    lost: failed(
      "worker_lost",
      `The sync stopped unexpectedly ${LeaseQueue.attemptsAtMost} times in a row. See the server's log, then sync again`
    ),
    called: "synchronization",
    name: "synchronisation",
    outcome: Option.match({ onNone: () => "completed", onSome: () => "failed" }),
    queue,
    store: (claim, end: End) =>
      Effect.zipRight(
        Option.match(end, { onNone: () => succeed(claim, undefined), onSome: ({ message }) => fail(claim, message) }),
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
              Effect.as(Effect.logWarning("The site could not be synchronized", error), Option.some(failedOf(error)))
          )
        )
      })
  })
})

/** Removes rankings that no cursor can refer to. */
const cleaner = Effect.flatMap(Generations, ({ purge }) =>
  every("10 minutes", "Old rankings could not be removed")(purge)
)

/** The worker over a given Search Console and cipher. */
export const layerNoDeps = Layer.scopedDiscard(Effect.zipRight(cleaner, synchronising)).pipe(
  Layer.provide([DueRepo.Default, Generations.Default, Sync.Default, SyncsRepo.Default])
)

/** Synchronises connected sites when they are due, each by one node, until the scope closes. */
export const layer = layerNoDeps.pipe(Layer.provide([installationLayer, SearchAnalytics.layer]))
