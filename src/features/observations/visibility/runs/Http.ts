import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../../foundation/http/Contract.ts"
import { jsonResponse } from "../../../../foundation/http/JsonResponse.ts"
import { answer, byCreation, listPage, whole } from "../../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../../accounts/IdempotentCreate.ts"
import { GeoRunsApi } from "./Api.ts"
import { Runs } from "./Runs.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(GeoRunsApi), "geo-runs", (handlers) =>
  Effect.gen(function* () {
    const runs = yield* Runs
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle(
        "create",
        (asked) => {
          const { path, payload } = asked
          return payload.dry_run
            ? Effect.map(
                answer((account) => runs.estimate(account, path.project_id, payload)),
                (body) => jsonResponse(body)
              )
            : creating(asked, (account) =>
                Effect.map(runs.start(account, path.project_id, payload), (run) => ({
                  accepted: true,
                  data: run,
                  location: `/api/v1/projects/${path.project_id}/geo/runs/${run.id}`
                }))
              )
        },
        whole
      )
      .handle("get", ({ path: { project_id, run_id } }) => answer((account) => runs.get(account, project_id, run_id)))
      .handle("list", ({ path: { project_id: project }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["geo runs", project] },
          (account, batch) => runs.list(account, project, batch),
          byCreation
        )
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Runs.Default]))
