import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiError } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { KeyApi } from "./Api.ts"
import { Caller } from "./Authorized.ts"
import { AccountsRepo } from "./Repo.ts"

const none = apiError("not_found", "The request was not sent with a key")

export const layer = HttpApiBuilder.group(apiRoot.add(KeyApi), "key", (handlers) =>
  Effect.map(AccountsRepo, (repo) =>
    handlers.handle("get", () =>
      Effect.map(
        Effect.flatMap(Caller, ({ keyId }) => (keyId === null ? none : repo.own({ id: keyId }))),
        (data) => ({ data })
      )
    )
  )
).pipe(Layer.provide(AccountsRepo.Default))
