import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiError, withApiErrors } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { Keys, type Manager } from "./Accounts.ts"
import { KeyApi, KeysApi } from "./Api.ts"
import { KeysRepo } from "./ApiKeys.ts"
import { Caller } from "./Authorized.ts"
import { granted, type KeyId, type NewManagedKey } from "./Domain.ts"
import { answer, byCreation, listPage, whole } from "./Handlers.ts"
import { IdempotentCreate } from "./Idempotency.ts"

const none = apiError("not_found", "This caller does not use an API key")

/** Runs a use case for the id of the request's key. */
const ofCaller = <A, E, R>(run: (id: KeyId) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Caller, ({ keyId }): Effect.Effect<A, E | typeof none, R> => (keyId === null ? none : run(keyId)))

const own = HttpApiBuilder.group(apiRoot.add(KeyApi), "key", (handlers) =>
  Effect.map(KeysRepo, (repo) =>
    handlers
      .handle("get", () =>
        Effect.map(
          ofCaller((id) => repo.ofHolder({ id })),
          (key) => ({ data: { ...key, grants: granted(key.scopes) } })
        )
      )
      .handle("remove", () => Effect.asVoid(ofCaller((id) => repo.revoke({ id }))))
  )
).pipe(Layer.provide(KeysRepo.Default))

/** Runs a use case for the request's key as a manager of keys. */
const asManager = <A, E, R>(run: (manager: Manager) => Effect.Effect<A, E, R>) =>
  withApiErrors(Effect.flatMap(Caller, ({ accountId: account, keyId: key, scopes }) => run({ account, key, scopes })))

const made = (key: typeof NewManagedKey.Type) => ({ data: key, location: `/api/v1/keys/${key.id}` })

const managed = HttpApiBuilder.group(apiRoot.add(KeysApi), "keys", (handlers) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { creating } = yield* IdempotentCreate
    const mayRepeat = (data: unknown) => asManager((manager) => keys.mayRepeat(manager, data))
    return handlers
      .handle("list", ({ urlParams }) => listPage({ ...urlParams, of: ["keys"] }, keys.page, byCreation))
      .handle(
        "create",
        (asked) =>
          creating({ ...asked, mayRepeat }, () =>
            asManager((manager) => Effect.map(keys.create(manager, asked.payload), made))
          ),
        whole
      )
      .handle("get", ({ path }) => answer((account) => keys.get(account, path.id)))
      .handle(
        "patch",
        ({ path, payload }) =>
          Effect.map(
            asManager((manager) => keys.patch(manager, path.id, payload)),
            (data) => ({ data })
          ),
        whole
      )
      .handle("remove", ({ path }) => asManager((manager) => keys.remove(manager, path.id)), whole)
      .handle(
        "rotate",
        ({ headers, path, payload }) =>
          creating({ headers, mayRepeat, payload }, () =>
            asManager((manager) => Effect.map(keys.rotate(manager, path.id, payload.overlap), made))
          ),
        whole
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Keys.Default]))

export const layer = Layer.merge(own, managed)
