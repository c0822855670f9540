import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiError } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { answer, byCreation, listPage } from "../accounts/Handlers.ts"
import { AuditsApi } from "./Api.ts"
import { Audits } from "./Audits.ts"

const notHere = apiError(
  "not_implemented",
  "Audits cannot be created through the API; an operator runs or schedules them"
)

export const layer = HttpApiBuilder.group(apiRoot.add(AuditsApi), "audits", (handlers) =>
  Effect.gen(function* () {
    const audits = yield* Audits
    return handlers
      .handle("list", ({ urlParams: { cursor, device, limit, status, url } }) => {
        const address = url === undefined ? undefined : new URL(url).href
        return listPage(
          { cursor, limit, of: ["audits", address ?? "", device ?? "", status ?? ""] },
          (account, batch) => audits.page(account, { device, status, url: address }, batch),
          byCreation
        )
      })
      .handle("create", () => notHere)
      .handle("get", ({ path }) => answer((account) => audits.get(account, path.id)))
      .handle("fixes", ({ path }) => answer((account) => audits.fixes(account, path.id)))
  })
).pipe(Layer.provide(Audits.Default))
