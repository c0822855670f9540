import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { answer, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/IdempotentCreate.ts"
import { GrowthProjectResource } from "./GrowthProject.ts"
import { GrowthProjects } from "./GrowthProjects.ts"
import { GrowthProjectsApi } from "./GrowthProjectsApi.ts"

const encode = Schema.encodeSync(GrowthProjectResource)

export const layer = HttpApiBuilder.group(apiRoot.add(GrowthProjectsApi), "growth-projects", (handlers) =>
  Effect.gen(function* () {
    const growthProjects = yield* GrowthProjects
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams }) =>
        listPage({ ...urlParams, of: ["growth-projects"] }, growthProjects.page, (project) => [
          project.created_at,
          project.id
        ])
      )
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) =>
            Effect.map(growthProjects.create(account, asked.payload.domain), (project) => ({
              data: encode(project),
              location: `/api/v1/growth-projects/${project.id}`
            }))
          ),
        whole
      )
      .handle("get", ({ path }) => answer((account) => growthProjects.get(account, path.id)))
      .handle(
        "patch",
        ({ path, payload }) => answer((account) => growthProjects.patch(account, path.id, payload)),
        whole
      )
      .handle("remove", ({ path }) => forCaller((account) => growthProjects.remove(account, path.id)), whole)
  })
).pipe(Layer.provide([IdempotentCreate.Default, GrowthProjects.Default]))
