import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../Api.ts"
import { Caller } from "../accounts/Authorized.ts"
import { apiError } from "../http/Failure.ts"
import { Audits } from "./Audits.ts"

const notHere = apiError(
  "not_implemented",
  "Audits cannot be created through the API; an operator runs or schedules them"
)

export const layer = HttpApiBuilder.group(Api, "audits", (handlers) =>
  Effect.gen(function* () {
    const audits = yield* Audits
    return handlers
      .handle("create", () => notHere)
      .handle("get", ({ path }) =>
        Effect.flatMap(Caller, ({ accountId }) => Effect.map(audits.get(accountId, path.id), (data) => ({ data })))
      )
      .handle("fixes", ({ path }) =>
        Effect.flatMap(Caller, ({ accountId }) => Effect.map(audits.fixes(accountId, path.id), (data) => ({ data })))
      )
  })
).pipe(Layer.provide(Audits.Default))
