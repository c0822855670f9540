import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"

/** Places of names in a web graph. */
export class RanksRepo extends Effect.Service<RanksRepo>()("backlinks/RanksRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const clear = Query.none({ Request: Schema.Void, execute: () => sql`DELETE FROM backlink_ranks` })

    const add = Query.none({
      Request: Schema.Struct({
        asOf: Schema.DateTimeUtc,
        domains: Schema.Array(Schema.String),
        ranks: Schema.Array(Schema.Int)
      }),
      execute: ({ asOf, domains, ranks }) => sql`
        INSERT INTO backlink_ranks (domain, rank, as_of)
        SELECT domain, rank, ${asOf}::timestamptz FROM unnest(${domains}::text[], ${ranks}::int[]) AS given (domain, rank)
        ON CONFLICT (domain) DO UPDATE SET rank = least(backlink_ranks.rank, excluded.rank)`
    })

    return { add, clear: clear(undefined), transaction: Query.transaction(sql) }
  })
}) {}
