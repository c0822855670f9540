import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { catalogue } from "../../crawl/rules/Catalogue.ts"
import { apiRoot, negotiated } from "../../foundation/http/Contract.ts"
import { jsonResponse, PublicUrl } from "../../foundation/http/Request.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { answer, byCreation, forCaller, listPage, pageForCaller, whole } from "../accounts/Handlers.ts"
import { RulesApi, SiteHealthApi } from "./Api.ts"
import type { RunId } from "./Domain.ts"
import { History } from "./History.ts"
import { Following, Runs, Waiting } from "./Runs.ts"
import { Start, type Started, Verify } from "./Start.ts"

const metas = { created: {}, joined: { joined_in_flight: true }, replayed: { idempotent_replay: true } } as const

const startAnswer = ({ how, run }: Started) =>
  Effect.map(PublicUrl.location(`/api/v1/runs/${run.id}`), (location) =>
    jsonResponse({ data: run, meta: metas[how] }, { headers: { location }, status: how === "created" ? 202 : 200 })
  )

const runsLayer = HttpApiBuilder.group(apiRoot.add(SiteHealthApi), "site-health", (handlers) =>
  Effect.gen(function* () {
    const { followed } = yield* Following
    const history = yield* History
    const runs = yield* Runs
    const { start } = yield* Start
    const { verify } = yield* Verify
    const { waited } = yield* Waiting
    /** The response to a start, after the wait that the caller prefers. */
    const beginning = <E>(
      { headers: { prefer } }: HttpServerRequest,
      begin: (account: AccountId) => Effect.Effect<Started, E>
    ) =>
      Effect.flatMap(
        forCaller((account) =>
          Effect.flatMap(begin(account), ({ how, run }) =>
            Effect.map(waited(account, run, prefer), (run) => ({ how, run }))
          )
        ),
        startAnswer
      )
    const following = (id: RunId, include: "result" | undefined) =>
      forCaller((account) =>
        Effect.gen(function* () {
          if (include !== undefined)
            return yield* Invalid.of(
              "include",
              "cannot be combined with application/x-ndjson: the stream has no results"
            )
          return yield* followed(account, id)
        })
      )
    return handlers
      .handle(
        "start",
        ({ headers, path, payload, request }) =>
          beginning(request, (account) => start(account, path.project_id, payload, headers["idempotency-key"])),
        whole
      )
      .handle("list", ({ path: { project_id: project }, urlParams: { cursor, limit, status } }) =>
        listPage(
          { cursor, limit, of: ["runs", project, status ?? ""] },
          (account, batch) => runs.list(account, project, status, batch),
          byCreation
        )
      )
      .handle("history", ({ path: { project_id: project }, urlParams: { cursor, limit, rule } }) =>
        Effect.map(
          pageForCaller(
            { cursor, limit, of: ["history", project, rule ?? ""] },
            (account, batch) => history.list(account, project, rule, batch),
            byCreation
          ),
          ({ data, ...page }) => jsonResponse({ data: data.map(({ point }) => point), ...page })
        )
      )
      .handle("latest", ({ path }) => answer((account) => runs.latest(account, path.project_id)))
      .handle("get", ({ path: { run_id: id }, request, urlParams: { include } }) =>
        Effect.gen(function* () {
          if ((yield* negotiated) === "application/x-ndjson") return yield* following(id, include)
          return yield* answer((account) =>
            Effect.gen(function* () {
              const run = yield* waited(account, yield* runs.get(account, id), request.headers.prefer)
              return include === "result" ? yield* runs.getWithResult(account, id) : run
            })
          )
        })
      )
      .handle("cancel", ({ path }) => answer((account) => runs.cancel(account, path.run_id)), whole)
      .handle("remove", ({ path }) => forCaller((account) => runs.remove(account, path.run_id)), whole)
      .handle(
        "verify",
        ({ headers, path, payload, request }) =>
          beginning(request, (account) => verify(account, path.run_id, payload, headers["idempotency-key"])),
        whole
      )
  })
).pipe(
  Layer.provide([Following.Default, History.Default, Runs.Default, Start.Default, Verify.Default, Waiting.Default])
)

const data = catalogue.map(({ category, fix, id, means, name = id, severity, source }) => ({
  rule: id,
  title: name,
  category,
  severity,
  means,
  fix,
  source
}))

const rulesLayer = HttpApiBuilder.group(apiRoot.add(RulesApi), "rules", (handlers) =>
  handlers.handle("list", () => Effect.succeed({ data }))
)

/** Handlers for runs and the catalogue of checks. */
export const layer = Layer.merge(runsLayer, rulesLayer)
