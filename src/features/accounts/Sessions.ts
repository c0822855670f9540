import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { every } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import { withApiErrors } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { sha256 } from "../../foundation/http/Digest.ts"
import { jsonResponse, PublicUrl } from "../../foundation/http/Request.ts"
import { NotFound } from "../../foundation/schema/DomainError.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import { Accounts } from "./Accounts.ts"
import { AccountId } from "./Domain.ts"
import { whole } from "./Handlers.ts"
import { type ConsoleCode, ConsoleSessionsApi, codeBytes, codeMinutes } from "./SessionsApi.ts"

const Scopes = Schema.Array(Schema.String)

/** The codes of links to the console, by hash. */
export class CodesRepo extends Effect.Service<CodesRepo>()("accounts/CodesRepo", {
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

    /** Uses up a code; of several concurrent requests, one gets it. Returns the rights and the end of its key. */
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

/** The session of a link. */
interface Link {
  readonly scopes: ReadonlyArray<string>
  /** Lifetime of its key. */
  readonly seconds: number
}

const unknown = new NotFound({
  message: "This sign-in link has expired or has already been used. Ask your administrator for a new one"
})

/** Sessions of the console: a link with a code, and the key in exchange for the code. */
export class Sessions extends Effect.Service<Sessions>()("accounts/Sessions", {
  dependencies: [Accounts.Default, CodesRepo.Default, Entropy.layer],
  effect: Effect.gen(function* () {
    const accounts = yield* Accounts
    const entropy = yield* Entropy.Entropy
    const repo = yield* CodesRepo

    /** A code for one session of the account. Only its hash is stored, so this is the only chance to read the code. */
    const invite = Traced.fn("Sessions.invite")(function* (account: AccountId, { scopes, seconds }: Link) {
      const code = Encoding.encodeBase64Url(yield* entropy.bytes(codeBytes))
      const { expires } = yield* repo.insert({ account, hash: sha256(code), scopes, seconds })
      return { code, expires_at: expires, scopes }
    })

    /** Exchanges a code for a key, once. */
    const enter = Traced.fn("Sessions.enter")(function* (code: ConsoleCode) {
      const { account, expires, scopes } = yield* Effect.mapError(
        Effect.flatten(repo.take(sha256(code))),
        () => unknown
      )
      const { key } = yield* accounts.issueKey(account, scopes, "live", { expires, name: "console", origin: "session" })
      return { key, expires_at: expires, scopes }
    }, repo.transaction)

    return { enter, invite, purge: repo.purge }
  })
}) {}

/** Removes codes that have expired, every ten minutes. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Sessions, ({ purge }) => every("10 minutes", "Old sign-in codes could not be removed")(purge))
).pipe(Layer.provide(Sessions.Default))

export const handlers = HttpApiBuilder.group(apiRoot.add(ConsoleSessionsApi), "console-sessions", (handlers) =>
  Effect.map(Sessions, ({ enter }) =>
    handlers.handle(
      "enter",
      ({ payload }) =>
        Effect.zipWith(withApiErrors(enter(payload.code)), PublicUrl.location("/api/v1/key"), (data, location) =>
          jsonResponse({ data }, { headers: { location }, status: 201 })
        ),
      whole
    )
  )
).pipe(Layer.provide(Sessions.Default))
