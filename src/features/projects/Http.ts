import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { apiError } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { Outbound } from "../../foundation/outbound/Outbound.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { localName } from "../../foundation/schema/Scalars.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { Caller } from "../accounts/Authorized.ts"
import { type AccountId, grants, lacks } from "../accounts/Domain.ts"
import { answer, type Batch, byCreation, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { ProjectsApi } from "./Api.ts"
import { type Included, ProjectHealth, ProjectRankings, scopeOf } from "./Included.ts"
import { Projects } from "./Projects.ts"

const noHealth = {
  run_id: null,
  finished_at: null,
  score: null,
  delta: null,
  findings: null,
  running_run_id: null,
  failed: null,
  next_at: null,
  scores: []
}

/** The projects of an account, with included data of other rooms. */
export class Listing extends Effect.Service<Listing>()("projects/Listing", {
  dependencies: [Projects.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const healthOf = yield* ProjectHealth
    const rankingsOf = yield* ProjectRankings

    /** A page of projects; each kind of included data is read once for all projects. */
    const list = Traced.fn("Listing.list")(function* (
      account: AccountId,
      included: ReadonlyArray<Included>,
      batch: Batch
    ) {
      const page = yield* projects.list(account, batch)
      const ids = page.map(({ id }) => id)
      const health = included.includes("health") ? yield* healthOf(account, ids) : undefined
      const rankings = included.includes("rankings") ? yield* rankingsOf(account, ids) : undefined
      return page.map((project) => ({
        ...project,
        ...(health === undefined ? {} : { health: health.get(project.id) ?? noHealth }),
        ...(rankings === undefined ? {} : { rankings: rankings.get(project.id) ?? null })
      }))
    })

    return { list }
  })
}) {}

/** Fails unless the key has the scopes of all included data. */
const allowed = (included: ReadonlyArray<Included>) =>
  Effect.flatMap(Caller, ({ scopes }) => {
    const lacking = included.map((name) => scopeOf[name]).find((scope) => !grants(scopes, scope))
    return lacking === undefined ? Effect.void : apiError<"insufficient_scope">("insufficient_scope", lacks(lacking))
  })

/**
 * Refuses a host of one word without an address: a server of the intranet has an address, a typing error has none. The first crawl looks up other names,
 * because a site may be added before it exists.
 */
const findable = Effect.gen(function* () {
  const outbound = yield* Outbound
  const projects = yield* Projects
  return Effect.fnUntraced(function* (account: AccountId, url: string) {
    const name = localName(url)
    if (name === undefined || (yield* projects.has(account, url))) return
    // The handler is uninterruptible, and would block the look-up's time-out.
    const found = yield* Effect.either(Effect.interruptible(outbound.vet(new URL(url))))
    if (Either.isRight(found) || found.left.reason !== "dns") return
    const message = `must have a host that DNS can resolve, such as example.com: ${name} is unknown`
    return yield* new Invalid({ details: [{ message, path: "url" }], message: `url ${message}` })
  })
})

export const layer = HttpApiBuilder.group(apiRoot.add(ProjectsApi), "projects", (handlers) =>
  Effect.gen(function* () {
    const projects = yield* Projects
    const { list } = yield* Listing
    const { creating } = yield* IdempotentCreate
    const mayBeFound = yield* findable
    return handlers
      .handle("list", ({ urlParams: { cursor, include = [], limit } }) =>
        Effect.zipRight(
          allowed(include),
          // `include` is no filter: a cursor is valid with any `include`.
          listPage({ cursor, limit, of: ["projects"] }, (account, batch) => list(account, include, batch), byCreation)
        )
      )
      .handle(
        "create",
        (request) =>
          Effect.zipRight(
            forCaller((account) => mayBeFound(account, request.payload.url)),
            creating(request, (account) =>
              Effect.map(projects.ensure(account, request.payload), ({ existing, project }) => ({
                data: project,
                existing,
                location: `/api/v1/projects/${project.id}`
              }))
            )
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
