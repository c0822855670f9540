import * as SqlClient from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { AccountId } from "../../../accounts/Domain.ts"
import { Pause } from "../Settings.ts"

/** Requests to one server that may wait for each other: as many accounts, because each has one. */
const waitingAtMost = 60

/** Requests to servers, at a distance from each other over all nodes, projects and accounts. */
export class PaceRepo extends Effect.Service<PaceRepo>()("backlinks/PaceRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pause = Duration.toSeconds(yield* Pause)
    const longest = waitingAtMost * pause

    /**
     * Reserves the next request to a server by its addresses and its domain, with the seconds until then; not reserved, the account has another one to come
     * there, and may ask again after so many seconds. None where its turn would come later than in `within` seconds.
     */
    const reserve = Query.first({
      Request: Schema.Struct({ account: AccountId, names: Schema.Array(Schema.String), within: Schema.Number }),
      Result: Schema.Struct({ isReserved: Schema.Boolean, wait: Schema.Number }),
      execute: ({ account, names, within }) => sql`
        SELECT wait, is_reserved AS "isReserved" FROM reserve_look(${account}, ${names}, ${pause}, ${within}, ${longest})`
    })

    /** Forgets servers that may be asked again, and what a clock said that was set back since. */
    const sweep = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        WITH old AS (
          DELETE FROM backlink_turns WHERE at < clock_timestamp() - interval '1 minute' OR at > clock_timestamp() + ${2 * longest} * interval '1 second'
        )
        DELETE FROM backlink_hosts
        WHERE next_at < clock_timestamp() - interval '1 minute' OR next_at > clock_timestamp() + ${2 * longest} * interval '1 second'`
    })

    return { pause: 1000 * pause, reserve, sweep: sweep(undefined) }
  })
}) {}
