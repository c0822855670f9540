import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../Api.ts"
import { Caller } from "../accounts/Authorized.ts"
import { page } from "../http/Paging.ts"
import { Runs } from "./Runs.ts"
import { Start, type Started } from "./Start.ts"

const metas = { created: {}, joined: { joined_in_flight: true }, replayed: { idempotent_replay: true } } as const

const startAnswer = ({ how, run }: Started) =>
  HttpServerResponse.unsafeJson(
    { data: run, meta: metas[how] },
    { headers: { location: `/api/v1/runs/${run.id}` }, status: how === "created" ? 202 : 200 }
  )

export const layer = HttpApiBuilder.group(Api, "site-health", (handlers) =>
  Effect.gen(function* () {
    const runs = yield* Runs
    const { start } = yield* Start
    return handlers
      .handle(
        "start",
        ({ headers, path, payload }) =>
          Effect.flatMap(Caller, ({ accountId }) =>
            Effect.map(start(accountId, path.project_id, payload, headers["idempotency-key"]), startAnswer)
          ),
        { uninterruptible: true }
      )
      .handle("list", ({ path: { project_id: project }, urlParams: { cursor, limit } }) =>
        Effect.flatMap(Caller, ({ accountId }) =>
          page(
            { cursor, limit, of: ["runs", project] },
            (after, count) => runs.list(accountId, project, after, count),
            (run) => [run.created_at, run.id]
          )
        )
      )
      .handle("latest", ({ path }) =>
        Effect.flatMap(Caller, ({ accountId }) =>
          Effect.map(runs.latest(accountId, path.project_id), (data) => ({ data }))
        )
      )
      .handle("get", ({ path, urlParams }) =>
        Effect.flatMap(Caller, ({ accountId }) =>
          Effect.map(
            urlParams.include === "result"
              ? runs.getWithResult(accountId, path.run_id)
              : runs.get(accountId, path.run_id),
            (data) => ({ data })
          )
        )
      )
      .handle(
        "cancel",
        ({ path }) =>
          Effect.flatMap(Caller, ({ accountId }) =>
            Effect.map(runs.cancel(accountId, path.run_id), (data) => ({ data }))
          ),
        { uninterruptible: true }
      )
  })
).pipe(Layer.provide([Runs.Default, Start.Default]))
