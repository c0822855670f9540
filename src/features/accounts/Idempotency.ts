import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Migrations from "../../foundation/database/Migrations.ts"
import * as Query from "../../foundation/database/Query.ts"
import { apiError, withApiErrors } from "../../foundation/http/ApiError.ts"
import { jsonResponse, PublicUrl } from "../../foundation/http/Request.ts"
import { Cipher, installationLayer, Sealed } from "../../foundation/secrets/Cipher.ts"
import { Caller } from "./Authorized.ts"
import { AccountId } from "./Domain.ts"

const OfKey = Schema.Struct({ account: AccountId, key: Schema.String })

const Known = Schema.Struct({
  request: Schema.String,
  /** Null for the key of a run. */
  answer: Schema.NullOr(
    Schema.Struct({
      data: Schema.Unknown,
      /** The field of the response's secret; absent without a secret. */
      field: Schema.optionalWith(Schema.String, { exact: true }),
      location: Schema.String,
      /** Whether the outcome of the creation is still unknown, because other services take part in it. */
      open: Schema.optionalWith(Schema.Boolean, { exact: true })
    })
  ),
  /** The secret of the response, kept for a day. */
  secret: Schema.NullOr(Sealed)
})
type Known = typeof Known.Type

const First = Schema.Struct({
  ...OfKey.fields,
  request: Schema.String,
  answer: Schema.String,
  secret: Schema.NullOr(Sealed)
})

export class IdempotencyRepo extends Effect.Service<IdempotencyRepo>()("accounts/IdempotencyRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Lets one request with this key at a time continue, until its transaction ends. */
    const lock = Query.none({
      Request: OfKey,
      execute: ({ account, key }) =>
        sql`SELECT ${Migrations.lock(sql, sql`hashtextextended(${account}, hashtext(${key}))`)}`
    })

    const find = Query.first({
      Request: OfKey,
      Result: Known,
      execute: ({ account, key }) => sql`
        SELECT request::text AS request, answer,
          CASE WHEN created_at > clock_timestamp() - interval '1 day' THEN secret END AS secret
        FROM idempotency_keys WHERE account_id = ${account} AND key = ${key}`
    })

    /** Stores the first response; returns no row when another request took the key meanwhile. */
    const keep = Query.first({
      Request: First,
      Result: Schema.Struct({ key: Schema.String }),
      execute: ({ account, answer, key, request, secret }) => sql`
        INSERT INTO idempotency_keys (account_id, key, request, answer, secret)
        VALUES (${account}, ${key}, ${request}::json, ${answer}::json, ${secret})
        ON CONFLICT DO NOTHING RETURNING key`
    })

    /** Replaces the response of an open creation. */
    const amend = Query.none({
      Request: Schema.Struct({ ...OfKey.fields, answer: Schema.String }),
      execute: ({ account, answer, key }) =>
        sql`UPDATE idempotency_keys SET answer = ${answer}::json WHERE account_id = ${account} AND key = ${key}`
    })

    const forgetSecrets = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        UPDATE idempotency_keys SET secret = NULL
        WHERE secret IS NOT NULL AND created_at <= clock_timestamp() - interval '1 day'`
    })

    return { amend, find, forgetSecrets: forgetSecrets(undefined), keep, lock, transaction: Query.transaction(sql) }
  })
}) {}

const conflict = apiError(
  "idempotency_conflict",
  "This Idempotency-Key was used for a different request. Use a new key"
)

const purpose = "answer to idempotency key"

/** The header and payload of a request to create. */
interface CreateRequest<E, R> {
  readonly headers: { readonly "idempotency-key"?: string }
  readonly payload: unknown
  /** Decides by the created thing whether a repeated request gets the first response. */
  readonly mayRepeat?: (data: unknown) => Effect.Effect<void, E, R>
}

/** The result of a creation: the thing, encoded, and its path. */
interface CreateResult {
  readonly data: object
  readonly location: string
  /** Whether the thing existed before: 200 instead of 201. */
  readonly existing?: boolean
  /** Whether the created thing still has work to do: 202. */
  readonly accepted?: boolean
  /** Whether a part of an existing thing was created: 200. */
  readonly changed?: boolean
}

/** Fields that are shown once: the secret of a subscription, the text of a key. */
const secretFields = ["secret", "key"] as const
const isText = Schema.is(Schema.String)

/** The field that is shown once and not stored; undefined without such a field. */
const secretOf = (data: object) => {
  const found = Object.entries(data).find(([name]) => secretFields.some((secret) => secret === name))
  return found !== undefined && isText(found[1]) ? { field: found[0], text: found[1] } : undefined
}

const answered = (status: number, path: string, data: unknown, meta?: object) =>
  Effect.map(PublicUrl.location(path), (location) =>
    jsonResponse({ data, ...(meta === undefined ? {} : { meta }) }, { headers: { location }, status })
  )

const created = ({ accepted = false, changed = false, data, existing, location }: CreateResult) => {
  if (existing === true) return answered(200, location, data, { existing })
  if (changed) return answered(200, location, data)
  return answered(accepted ? 202 : 201, location, data)
}

/** Handles requests that create. With an Idempotency-Key, a repeated request creates one thing. */
export class IdempotentCreate extends Effect.Service<IdempotentCreate>()("accounts/IdempotentCreate", {
  dependencies: [IdempotencyRepo.Default, installationLayer],
  effect: Effect.gen(function* () {
    const repo = yield* IdempotencyRepo
    const cipher = yield* Cipher

    const shownOf = Effect.fnUntraced(function* (owner: string, secret: Known["secret"], field: string | undefined) {
      return secret === null || field === undefined
        ? {}
        : { [field]: Redacted.value(yield* Effect.orDie(cipher.open(purpose, owner, secret))) }
    })

    const keep = Effect.fnUntraced(function* (
      account: AccountId,
      key: string,
      request: string,
      made: CreateResult,
      open: boolean
    ) {
      const secret = secretOf(made.data)
      const sealed =
        secret === undefined ? null : yield* cipher.seal(purpose, `${account}/${key}`, Redacted.make(secret.text))
      const data = { ...made.data, ...(secret !== undefined && { [secret.field]: undefined }) }
      const answer = JSON.stringify({ data, field: secret?.field, location: made.location, ...(open && { open }) })
      if (sealed !== null) yield* repo.forgetSecrets
      const kept = yield* repo.keep({ account, answer, key, request, secret: sealed })
      if (Option.isNone(kept)) return yield* conflict
    })

    /** The earlier use of a key. */
    const known = Effect.fnUntraced(function* (account: AccountId, key: string, request: string) {
      const found = yield* repo.find({ account, key })
      if (Option.isSome(found) && found.value.request !== request) return yield* conflict
      return found
    })

    /**
     * Handles a request to create. One transaction stores the key and the thing. `before` and `after` have the requests to other services, and no connection to
     * the database waits for them. A replay skips `before`. `after` gets the stored thing, does the remaining work and returns the thing's new state; a request
     * that is repeated before its end continues this work.
     */
    const creating = <E, R, E2 = never, R2 = never, E3 = never, R3 = never, E4 = never, R4 = never>(
      { headers: { "idempotency-key": key }, mayRepeat = () => Effect.void, payload }: CreateRequest<E4, R4>,
      make: (account: AccountId) => Effect.Effect<CreateResult, E, R>,
      before: Effect.Effect<void, E2, R2> = Effect.void,
      after?: (account: AccountId, data: unknown) => Effect.Effect<object, E3, R3>
    ) =>
      withApiErrors(
        Effect.gen(function* () {
          const { accountId: account } = yield* Caller
          const { url } = yield* HttpServerRequest.HttpServerRequest
          if (key === undefined) {
            const made = yield* Effect.zipRight(before, make(account))
            return yield* created(after === undefined ? made : { ...made, data: yield* after(account, made.data) })
          }
          const request = JSON.stringify([url.split("?", 1)[0] ?? "", payload])

          const settled = Effect.fnUntraced(function* (data: unknown, location: string) {
            if (after === undefined) return Object(data)
            const now = yield* after(account, data)
            yield* repo.amend({ account, answer: JSON.stringify({ data: now, location }), key })
            return now
          })

          const replayed = Effect.fnUntraced(function* ({ answer, secret }: Known) {
            if (answer === null) return yield* conflict
            const { data, field, location, open = false } = answer
            yield* mayRepeat(data)
            const shown = yield* shownOf(`${account}/${key}`, secret, field)
            const now = open ? yield* settled(data, location) : Object(data)
            return yield* answered(200, location, { ...now, ...shown }, { idempotent_replay: true })
          })

          const earlier = yield* known(account, key, request)
          if (Option.isSome(earlier)) return yield* replayed(earlier.value)
          yield* before
          const stored = yield* Effect.gen(function* () {
            yield* repo.lock({ account, key })
            const meanwhile = yield* known(account, key, request)
            if (Option.isSome(meanwhile)) return { before: meanwhile.value }
            const made = yield* make(account)
            yield* keep(account, key, request, made, after !== undefined)
            return { answer: yield* created(made), made }
          }).pipe(repo.transaction)
          if (stored.before !== undefined) return yield* replayed(stored.before)
          if (after === undefined) return stored.answer
          return yield* created({ ...stored.made, data: yield* settled(stored.made.data, stored.made.location) })
        })
      )

    return { creating }
  })
}) {}
