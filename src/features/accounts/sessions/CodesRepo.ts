import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { AccountId } from "../Domain.ts"
import { codeMinutes } from "./Domain.ts"

const Scopes = Schema.Array(Schema.String)

/** The codes of links to the console, by their hashes. */
export class CodesRepo extends Effect.Service<CodesRepo>()("accounts/sessions/CodesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const insert = Query.one({
      Request: Schema.Struct({
        account: AccountId,
        hash: Schema.Uint8ArrayFromSelf,
        scopes: Scopes,
        seconds: Schema.Number
      }),
      Result: Schema.Struct({ expires: Timestamp }),
      execute: ({ account, hash, scopes, seconds }) => sql`
        INSERT INTO console_codes (hash, account_id, scopes, lasts, expires_at)
        VALUES (${hash}, ${account}, ${scopes}, ${seconds} * interval '1 second', clock_timestamp() + ${codeMinutes} * interval '1 minute')
        RETURNING iso(expires_at) AS expires`
    })

    /** Uses a code up: of several requests at once one gets it. Answers what its key may do, and until when. */
    const take = Query.first({
      Request: Schema.Uint8ArrayFromSelf,
      Result: Schema.Struct({ account: AccountId, expires: Timestamp, scopes: Scopes }),
      execute: (hash) => sql`
        DELETE FROM console_codes WHERE hash = ${hash} AND expires_at > clock_timestamp()
        RETURNING account_id AS account, scopes, iso(clock_timestamp() + lasts) AS expires`
    })

    const purge = Query.none({
      Request: Schema.Void,
      execute: () => sql`DELETE FROM console_codes WHERE expires_at <= clock_timestamp()`
    })

    return { insert, purge: purge(undefined), take, transaction: Query.transaction(sql) }
  })
}) {}
