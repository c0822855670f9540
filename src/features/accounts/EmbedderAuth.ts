import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Shares from "../../foundation/database/Shares.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { knownParameters, limited, middlewares, type Refusal, unauthorized } from "./Authorize.ts"
import { Keyless } from "./Authorized.ts"
import { type AccountId, grants } from "./Domain.ts"
import { Standing } from "./OpenRequests.ts"

/** The caller, as identified by the embedding program. */
export interface Visitor {
  /** An account of this database; the request sees only things of this account. */
  readonly account: AccountId
  /** Names of scopes; `*` grants all scopes except `site-health:write`, `geo:write`, `interventions:write` and `keys:manage`, which can be listed beside it. */
  readonly scopes: ReadonlyArray<string>
}

/** The caller was not identified; the response is 401. */
export class NotAuthorized extends Data.TaggedError("NotAuthorized")<{
  readonly reason: Refusal
  readonly message: string
}> {}

/** The caller must wait; the response is 429. */
export class TooMany extends Data.TaggedError("TooMany")<{
  /** Allowed requests in the window. */
  readonly limit: number
  /** Seconds until the next allowed request. */
  readonly wait: number
}> {}

/** The middlewares of all scopes for a program that identifies its callers itself. Callers need no key of this product, and its rate limits do not apply. */
export const layer = <R>(
  identify: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Visitor, NotAuthorized | TooMany, R>
) =>
  Layer.unwrapEffect(
    Effect.map(Effect.context<R>(), (context) =>
      // The program limits requests without a key.
      Layer.merge(
        Layer.succeed(Keyless, knownParameters),
        middlewares((scope, name) =>
          Effect.gen(function* () {
            const request = yield* HttpServerRequest.HttpServerRequest
            const { account, scopes } = yield* Effect.provide(identify(request), context)
            if (scope !== "any" && !grants(scopes, scope)) {
              return yield* apiError("insufficient_scope", `This caller lacks the scope ${scope}`)
            }
            yield* FiberRef.set(Shares.current, account)
            const caller = { accountId: account, keyId: null, scopes }
            const gone = unauthorized(name, "auth_unavailable", "The account was deleted")
            yield* (yield* Standing).admit({ caller, refusal: (now) => (Option.isNone(now) ? gone : undefined) })
            return caller
          }).pipe(
            Effect.catchTags({
              NotAuthorized: ({ message, reason }) => unauthorized(name, reason, message),
              TooMany: ({ limit, wait }) => limited(limit, wait, `Too many requests: try again in ${wait} s`)
            })
          )
        )
      )
    )
  )
