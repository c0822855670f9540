import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/IdempotentCreate.ts"
import { DropDay } from "../import/DropDay.ts"
import { RankingImportsApi } from "./Api.ts"
import { type Body, Uploads } from "./Uploads.ts"

const brokeOff = Invalid.of("body", "ended too early")

/** The body as it arrives. One that announces no bytes has no stream. */
const bodyOf = (request: HttpServerRequest.HttpServerRequest): Body<Invalid> => {
  const announced = request.headers["content-length"]
  const length = announced === undefined ? undefined : Number(announced)
  const isEmpty = length === 0 || (length === undefined && request.headers["transfer-encoding"] === undefined)
  return {
    bytes: isEmpty ? Stream.empty : Stream.mapError(request.stream, () => brokeOff),
    length
  }
}

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
            const body = bodyOf(yield* HttpServerRequest.HttpServerRequest)
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
