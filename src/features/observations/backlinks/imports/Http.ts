import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../../foundation/http/Contract.ts"
import { fileOf } from "../../../../foundation/http/FileOf.ts"
import { answer, byCreation, forCaller, listPage } from "../../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../../accounts/IdempotentCreate.ts"
import { BacklinkImportsApi } from "./Api.ts"
import { Imports } from "./Imports.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(BacklinkImportsApi), "backlink-imports", (handlers) =>
  Effect.gen(function* () {
    const imports = yield* Imports
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("create", ({ headers, path: { project_id }, urlParams: { format } }) =>
        forCaller((account) =>
          Effect.gen(function* () {
            const body = fileOf(yield* HttpServerRequest.HttpServerRequest)
            return yield* imports.receiving(account, project_id, format, body, (hash, queued) =>
              creating({ headers, payload: { format, hash } }, () =>
                Effect.map(queued, (data) => ({
                  accepted: true,
                  data,
                  location: `/api/v1/projects/${project_id}/backlinks/imports/${data.id}`
                }))
              )
            )
          })
        )
      )
      .handle("list", ({ path: { project_id }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["backlink-imports", project_id] },
          (account, batch) => imports.list(account, project_id, batch),
          byCreation
        )
      )
      .handle("get", ({ path: { import_id, project_id } }) =>
        answer((account) => imports.get(account, project_id, import_id))
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Imports.Default]))
