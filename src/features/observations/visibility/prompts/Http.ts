import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../../foundation/http/Contract.ts"
import { byCreation, forCaller, listPage, whole } from "../../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../../accounts/IdempotentCreate.ts"
import { GeoPromptsApi } from "./Api.ts"
import { Prompts } from "./Prompts.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(GeoPromptsApi), "geo-prompts", (handlers) =>
  Effect.gen(function* () {
    const prompts = yield* Prompts
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) =>
            Effect.map(prompts.create(account, asked.path.project_id, asked.payload), ({ existing, prompt }) => ({
              data: prompt,
              existing,
              location: `/api/v1/projects/${asked.path.project_id}/geo/prompts`
            }))
          ),
        whole
      )
      .handle("list", ({ path: { project_id: project }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["geo prompts", project] },
          (account, batch) => prompts.list(account, project, batch),
          byCreation
        )
      )
      .handle("clear", ({ path }) => forCaller((account) => prompts.clear(account, path.project_id)), whole)
      .handle(
        "remove",
        ({ path }) => forCaller((account) => prompts.remove(account, path.project_id, path.prompt_id)),
        whole
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Prompts.Default]))
