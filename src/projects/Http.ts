import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { answer, answerPage } from "../accounts/Answers.ts"
import { findable } from "../http/Findable.ts"
import { ProjectsApi } from "./Api.ts"
import { Projects } from "./Projects.ts"

export const layer = HttpApiBuilder.group(findable.add(ProjectsApi), "projects", (handlers) =>
  Effect.gen(function* () {
    const projects = yield* Projects
    return handlers
      .handle("list", ({ urlParams }) =>
        answerPage({ ...urlParams, of: ["projects"] }, projects.list, (project) => [project.created_at, project.id])
      )
      .handle("create", ({ payload }) => answer((account) => projects.create(account, payload)))
      .handle("get", ({ path }) => answer((account) => projects.get(account, path.project_id)))
  })
).pipe(Layer.provide(Projects.Default))
