import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../Api.ts"
import { Caller } from "../accounts/Authorized.ts"
import { page } from "../http/Paging.ts"
import { Projects } from "./Projects.ts"

export const layer = HttpApiBuilder.group(Api, "projects", (handlers) =>
  Effect.gen(function* () {
    const projects = yield* Projects
    return handlers
      .handle("list", ({ urlParams: { cursor, limit } }) =>
        Effect.flatMap(Caller, ({ accountId }) =>
          page(
            { cursor, limit, of: ["projects", accountId] },
            (after, count) => projects.list({ account: accountId, after, count }),
            (project) => [project.created_at, project.id]
          )
        )
      )
      .handle("create", ({ payload }) =>
        Effect.flatMap(Caller, ({ accountId }) => Effect.map(projects.create(accountId, payload), (data) => ({ data })))
      )
      .handle("get", ({ path }) =>
        Effect.flatMap(Caller, ({ accountId }) =>
          Effect.map(projects.get(accountId, path.project_id), (data) => ({ data }))
        )
      )
  })
).pipe(Layer.provide(Projects.Default))
