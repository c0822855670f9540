import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../../foundation/http/Contract.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../../accounts/IdempotentCreate.ts"
import { GeoSchedulesApi } from "./Api.ts"
import { Schedules } from "./Schedules.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(GeoSchedulesApi), "geo-schedules", (handlers) =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) =>
            Effect.map(schedules.create(account, asked.path.project_id, asked.payload), (schedule) => ({
              data: schedule,
              location: `/api/v1/projects/${schedule.project_id}/geo/schedules/${schedule.id}`
            }))
          ),
        whole
      )
      .handle("list", ({ path: { project_id: project }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["geo schedules", project] },
          (account, batch) => schedules.list(account, project, batch),
          byCreation
        )
      )
      .handle("get", ({ path }) => answer((account) => schedules.get(account, path.project_id, path.schedule_id)))
      .handle(
        "change",
        ({ path, payload }) =>
          answer((account) => schedules.change(account, path.project_id, path.schedule_id, payload)),
        whole
      )
      .handle(
        "remove",
        ({ path }) => forCaller((account) => schedules.remove(account, path.project_id, path.schedule_id)),
        whole
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Schedules.Default]))
