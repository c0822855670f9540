import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import * as InstallationKey from "../../../foundation/secrets/InstallationKey.ts"
import { answer, forCaller, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/IdempotentCreate.ts"
import { RankingSourceApi } from "./Api.ts"
import { Connections } from "./Connections.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(RankingSourceApi), "ranking-source", (handlers) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("get", ({ path: { project_id } }) => answer((account) => connections.get(account, project_id)))
      .handle(
        "put",
        ({ path: { project_id }, payload: { every: everyHours, ...request } }) =>
          answer((account) => connections.put(account, project_id, { ...request, everyHours })),
        whole
      )
      .handle(
        "remove",
        ({ path: { project_id } }) => forCaller((account) => connections.remove(account, project_id)),
        whole
      )
      .handle(
        "sync",
        ({ headers, path: { project_id }, payload }) =>
          creating({ headers, payload }, (account) =>
            Effect.map(connections.ask(account, project_id, payload.days), (data) => ({
              accepted: true,
              data,
              location: `/api/v1/projects/${project_id}/rankings/source/syncs/${data.id}`
            }))
          ),
        whole
      )
      .handle("getSync", ({ path: { project_id, sync_id } }) =>
        answer((account) => connections.sync(account, project_id, sync_id))
      )
  })
).pipe(Layer.provide([Connections.Default.pipe(Layer.provide(InstallationKey.layer)), IdempotentCreate.Default]))
