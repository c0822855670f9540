import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/IdempotentCreate.ts"
import { ProjectsApi } from "./Api.ts"
import { Projects } from "./Projects.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(ProjectsApi), "projects", (handlers) =>
  Effect.gen(function* () {
    const projects = yield* Projects
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams }) => listPage({ ...urlParams, of: ["projects"] }, projects.list, byCreation))
      .handle(
        "create",
        (request) =>
          creating(request, (account) =>
            Effect.map(projects.ensure(account, request.payload), ({ existing, project }) => ({
              data: project,
              existing,
              location: `/api/v1/projects/${project.id}`
            }))
          ),
        whole
      )
      .handle(
        "patch",
        ({ path, payload }) => answer((account) => projects.patch(account, path.project_id, payload)),
        whole
      )
      .handle("remove", ({ path }) => forCaller((account) => projects.remove(account, path.project_id)), whole)
      .handle("get", ({ path }) => answer((account) => projects.get(account, path.project_id)))
  })
).pipe(Layer.provide([IdempotentCreate.Default, Projects.Default]))
