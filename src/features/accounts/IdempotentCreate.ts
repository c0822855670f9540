import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { apiError, withApiErrors } from "../../foundation/http/ApiError.ts"
import { firstName } from "../../foundation/http/Deprecations.ts"
import { jsonResponse } from "../../foundation/http/JsonResponse.ts"
import { PublicUrl } from "../../foundation/http/PublicUrl.ts"
import { Cipher } from "../../foundation/secrets/Cipher.ts"
import * as InstallationKey from "../../foundation/secrets/InstallationKey.ts"
import { Caller } from "./Authorized.ts"
import type { AccountId } from "./Domain.ts"
import { IdempotencyRepo, type Known } from "./IdempotencyRepo.ts"

const conflict = apiError("idempotency_conflict", "The Idempotency-Key was used with a different request")

const purpose = "answer to idempotency key"

/** The header and payload of a request to create. */
interface CreateRequest {
  readonly headers: { readonly "idempotency-key"?: string }
  readonly payload: unknown
}

/** The result of a creation: the thing, encoded, and its path. */
interface CreateResult {
  readonly data: object
  readonly location: string
  /** It existed before: 200 instead of 201. */
  readonly existing?: boolean
  /** It is created, but its work is still to be done: 202. */
  readonly accepted?: boolean
  /** A part of it is created; the thing itself existed before: 200. */
  readonly changed?: boolean
}

/** Fields that are shown once: the secret of a subscription, the text of a key. */
const secretFields = ["secret", "key"] as const
const isText = Schema.is(Schema.String)

/** A field that is shown once, so the stored answer lacks it; undefined when there is none. */
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

/** Answers requests that create: with an Idempotency-Key a repeated request creates one thing. */
export class IdempotentCreate extends Effect.Service<IdempotentCreate>()("accounts/IdempotentCreate", {
  dependencies: [IdempotencyRepo.Default, InstallationKey.layer],
  effect: Effect.gen(function* () {
    const repo = yield* IdempotencyRepo
    const cipher = yield* Cipher

    const replay = Effect.fnUntraced(function* (owner: string, { answer, secret }: Known) {
      if (answer === null) return yield* conflict
      const { data, field = "secret", location } = answer
      const shown =
        secret === null ? {} : { [field]: Redacted.value(yield* Effect.orDie(cipher.open(purpose, owner, secret))) }
      return yield* answered(200, location, { ...Object(data), ...shown }, { idempotent_replay: true })
    })

    const keep = Effect.fnUntraced(function* (account: AccountId, key: string, request: string, made: CreateResult) {
      const secret = secretOf(made.data)
      const sealed =
        secret === undefined ? null : yield* cipher.seal(purpose, `${account}/${key}`, Redacted.make(secret.text))
      const data = { ...made.data, ...(secret !== undefined && { [secret.field]: undefined }) }
      const answer = JSON.stringify({ data, field: secret?.field, location: made.location })
      if (sealed !== null) yield* repo.forgetSecrets
      const kept = yield* repo.keep({ account, answer, key, request, secret: sealed })
      if (Option.isNone(kept)) return yield* conflict
    })

    /** The answer to a request whose key was used before. */
    const known = Effect.fnUntraced(function* (account: AccountId, key: string, request: string) {
      const found = yield* repo.find({ account, key })
      if (Option.isNone(found)) return Option.none()
      if (found.value.request !== request) return yield* conflict
      return Option.some(yield* replay(`${account}/${key}`, found.value))
    })

    /**
     * The answer to a request to create. The key and the thing are stored in one transaction. `before` holds the requests to other services: a replay
     * skips it, and no connection to the database waits for it.
     */
    const creating = <E, R, E2 = never, R2 = never>(
      { headers: { "idempotency-key": key }, payload }: CreateRequest,
      make: (account: AccountId) => Effect.Effect<CreateResult, E, R>,
      before: Effect.Effect<void, E2, R2> = Effect.void
    ) =>
      withApiErrors(
        Effect.gen(function* () {
          const { accountId: account } = yield* Caller
          const { url } = yield* HttpServerRequest.HttpServerRequest
          if (key === undefined) return yield* created(yield* Effect.zipRight(before, make(account)))
          const request = JSON.stringify([firstName(url.split("?", 1)[0] ?? ""), payload])
          const earlier = yield* known(account, key, request)
          if (Option.isSome(earlier)) return earlier.value
          yield* before
          return yield* Effect.gen(function* () {
            yield* repo.lock({ account, key })
            const meanwhile = yield* known(account, key, request)
            if (Option.isSome(meanwhile)) return meanwhile.value
            const made = yield* make(account)
            yield* keep(account, key, request, made)
            return yield* created(made)
          }).pipe(repo.transaction)
        })
      )

    return { creating }
  })
}) {}
