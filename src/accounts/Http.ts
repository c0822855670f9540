import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { findable } from "../http/Findable.ts"
import { KeyApi } from "./Api.ts"
import { Caller } from "./Authorized.ts"
import { AccountsRepo } from "./Repo.ts"

export const layer = HttpApiBuilder.group(findable.add(KeyApi), "key", (handlers) =>
  Effect.map(AccountsRepo, (repo) =>
    handlers.handle("get", () =>
      Effect.map(
        Effect.flatMap(Caller, ({ keyId }) => repo.own({ id: keyId })),
        (data) => ({ data })
      )
    )
  )
).pipe(Layer.provide(AccountsRepo.Default))
