import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { fileOf } from "../../../foundation/http/Request.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/Idempotency.ts"
import { DropDay } from "../import/Imports.ts"
import { RankingImportsApi } from "./Api.ts"
import { Uploads } from "./Uploads.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(RankingImportsApi), "ranking-imports", (handlers) =>
  Effect.gen(function* () {
    const dropDay = yield* DropDay
    const uploads = yield* Uploads
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("create", ({ headers, path: { project_id }, urlParams }) =>
        forCaller((account) =>
          Effect.gen(function* () {
            const { date = null, dimensions = null, format, property = null, replace = "false" } = urlParams
            const reading = { date, dimensions, format, property, replaces: replace === "true" }
            const body = fileOf(yield* HttpServerRequest.HttpServerRequest)
            const request = { body, key: headers["idempotency-key"] ?? null, reading }
            return yield* uploads.receiving(account, project_id, request, (hash, queued) =>
              creating({ headers, payload: { ...reading, hash } }, () =>
                Effect.map(queued, (data) => ({
                  accepted: true,
                  data,
                  location: `/api/v1/projects/${project_id}/rankings/imports/${data.id}`
                }))
              )
            )
          })
        )
      )
      .handle("list", ({ path: { project_id }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["ranking-imports", project_id] },
          (account, batch) => uploads.list(account, project_id, batch),
          byCreation
        )
      )
      .handle("get", ({ path: { import_id, project_id } }) =>
        answer((account) => uploads.get(account, project_id, import_id))
      )
      .handle(
        "remove",
        ({ path: { import_id, project_id } }) => forCaller((account) => uploads.remove(account, project_id, import_id)),
        whole
      )
      .handle(
        "removeDay",
        ({ path: { day, project_id } }) => forCaller((account) => dropDay.atOnce(account, project_id, day)),
        whole
      )
  })
).pipe(Layer.provide([DropDay.Default, IdempotentCreate.Default, Uploads.Default]))
