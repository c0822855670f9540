import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { answer, byCreation, forCaller, pageForCaller, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/IdempotentCreate.ts"
import { AuditSchedulesApi } from "./Api.ts"
import { resourceOf, ScheduleResource } from "./ScheduleResource.ts"
import { Schedules } from "./Schedules.ts"

const encode = Schema.encodeSync(ScheduleResource)

export const layer = HttpApiBuilder.group(apiRoot.add(AuditSchedulesApi), "audit-schedules", (handlers) =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams }) =>
        pageForCaller(
          { ...urlParams, of: ["audit-schedules"] },
          (account, batch) => Effect.map(schedules.page(account, batch), (rows) => rows.map(resourceOf)),
          byCreation
        )
      )
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) => {
            const { every, ...schedule } = asked.payload
            return Effect.map(schedules.create(account, { ...schedule, every_minutes: every }), (made) => ({
              data: encode(resourceOf(made.schedule)),
              existing: made.existing,
              location: `/api/v1/audit-schedules/${made.schedule.id}`
            }))
          }),
        whole
      )
      .handle("get", ({ path }) =>
        answer((account) => Effect.map(schedules.get(account, path.schedule_id), resourceOf))
      )
      .handle(
        "patch",
        ({ path, payload: { every, source } }) =>
          answer((account) =>
            Effect.map(schedules.change(account, path.schedule_id, { every_minutes: every, source }), resourceOf)
          ),
        whole
      )
      .handle("remove", ({ path }) => forCaller((account) => schedules.end(account, path.schedule_id)), whole)
  })
).pipe(Layer.provide([IdempotentCreate.Default, Schedules.Default]))
