import * as SqlClient from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { Pause } from "../Settings.ts"

/** Requests to one host that may wait for each other. */
const waitingAtMost = 60

/** Requests to hosts, at a distance from each other over all nodes, projects and accounts. */
export class PaceRepo extends Effect.Service<PaceRepo>()("backlinks/PaceRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pause = Duration.toSeconds(yield* Pause)

    /** Reserves the next request to a host; answers the milliseconds until then, and nothing where too many wait for it already. */
    const reserve = Query.first({
      Request: Schema.String,
      Result: Schema.Struct({ wait: Schema.Number }),
      execute: (host) => sql`
        INSERT INTO backlink_hosts AS h (host, next_at) VALUES (${host}, clock_timestamp() + ${pause} * interval '1 second')
        ON CONFLICT (host) DO UPDATE SET next_at = greatest(h.next_at, clock_timestamp()) + ${pause} * interval '1 second'
          WHERE h.next_at < clock_timestamp() + ${waitingAtMost * pause} * interval '1 second'
        RETURNING greatest(0, extract(epoch FROM next_at - clock_timestamp()) - ${pause})::float8 * 1000 AS wait`
    })

    /** Forgets hosts that may be asked again, and what a clock said that was set back since. */
    const sweep = Query.none({
      Request: Schema.Void,
      execute: () =>
        sql`DELETE FROM backlink_hosts WHERE next_at < clock_timestamp() - interval '1 minute' OR next_at > clock_timestamp() + ${2 * waitingAtMost * pause} * interval '1 second'`
    })

    return {
      reserve: (host: string) =>
        Effect.map(
          reserve(host),
          Option.map(({ wait }) => wait)
        ),
      sweep: sweep(undefined)
    }
  })
}) {}
