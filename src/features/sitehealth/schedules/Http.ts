import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/IdempotentCreate.ts"
import { scheduleHandlers } from "../../projects/schedules/Handlers.ts"
import { SiteHealthSchedulesApi } from "./Api.ts"
import { Schedules } from "./Schedules.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(SiteHealthSchedulesApi), "site-health-schedules", (handlers) =>
  Effect.gen(function* () {
    const { change, create, get, list, remove } = yield* scheduleHandlers(yield* Schedules, "site-health")
    return handlers
      .handle("create", create, whole)
      .handle("list", list)
      .handle("get", get)
      .handle("change", change, whole)
      .handle("remove", remove, whole)
  })
).pipe(Layer.provide([IdempotentCreate.Default, Schedules.Default]))
