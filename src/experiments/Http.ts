import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../Api.ts"
import { Caller } from "../accounts/Authorized.ts"
import { page } from "../http/Paging.ts"
import { Experiments } from "./Experiments.ts"

export const layer = HttpApiBuilder.group(Api, "experiments", (handlers) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    return handlers
      .handle("list", ({ urlParams: { cursor, limit, project_id: project, site_id: site, status } }) =>
        Effect.flatMap(Caller, ({ accountId }) =>
          page(
            { cursor, limit, of: ["experiments", accountId, site ?? "", project ?? "", status ?? ""] },
            (after, count) => experiments.list(accountId, { project, site, status }, { after, count }),
            (experiment) => [experiment.created_at, experiment.id]
          )
        )
      )
      .handle(
        "create",
        ({ payload }) =>
          Effect.flatMap(Caller, ({ accountId }) =>
            Effect.map(experiments.create(accountId, payload), (data) => ({ data }))
          ),
        { uninterruptible: true }
      )
      .handle("get", ({ path }) =>
        Effect.flatMap(Caller, ({ accountId }) => Effect.map(experiments.get(accountId, path.id), (data) => ({ data })))
      )
      .handle(
        "start",
        ({ path }) =>
          Effect.flatMap(Caller, ({ accountId }) =>
            Effect.map(experiments.start(accountId, path.id), (data) => ({ data }))
          ),
        { uninterruptible: true }
      )
      .handle(
        "evaluate",
        ({ path, payload }) =>
          Effect.flatMap(Caller, ({ accountId }) =>
            Effect.map(experiments.evaluate(accountId, path.id, payload), (data) => ({ data }))
          ),
        { uninterruptible: true }
      )
  })
).pipe(Layer.provide(Experiments.Default))
