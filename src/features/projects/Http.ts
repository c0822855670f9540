import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiError } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { Caller } from "../accounts/Authorized.ts"
import { grants } from "../accounts/Domain.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/IdempotentCreate.ts"
import { ProjectsApi } from "./Api.ts"
import { type Included, scopeOf } from "./Included.ts"
import { Listing } from "./Listing.ts"
import { Projects } from "./Projects.ts"

/** Fails unless the key has the scope of all that is included. */
const allowed = (included: ReadonlyArray<Included>) =>
  Effect.flatMap(Caller, ({ scopes }) => {
    const lacking = included.map((name) => scopeOf[name]).find((scope) => !grants(scopes, scope))
    return lacking === undefined
      ? Effect.void
      : apiError<"insufficient_scope">("insufficient_scope", `The key lacks the scope ${lacking}`)
  })

export const layer = HttpApiBuilder.group(apiRoot.add(ProjectsApi), "projects", (handlers) =>
  Effect.gen(function* () {
    const projects = yield* Projects
    const { list } = yield* Listing
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams: { cursor, include = [], limit } }) =>
        Effect.zipRight(
          allowed(include),
          // What is included is no filter: a cursor is good for every choice of it.
          listPage({ cursor, limit, of: ["projects"] }, (account, batch) => list(account, include, batch), byCreation)
        )
      )
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
).pipe(Layer.provide([IdempotentCreate.Default, Listing.Default, Projects.Default]))
