import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { hashOf } from "../../foundation/text/Compressed.ts"
import { Caller } from "../accounts/Authorized.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { ConnectorsApi, InterventionsApi } from "./Api.ts"
import { type Planned, Proposals, Rollbacks } from "./Changes.ts"
import { Connectors } from "./Connectors.ts"
import { Intervention } from "./Domain.ts"
import * as GitHub from "./GitHub.ts"
import { Interventions, Watching } from "./Interventions.ts"

const decode = Schema.decodeUnknown(Schema.Struct({ id: Intervention.fields.id }))

export const layer = HttpApiBuilder.group(apiRoot.add(InterventionsApi), "interventions", (handlers) =>
  Effect.gen(function* () {
    const interventions = yield* Interventions
    const proposals = yield* Proposals
    const { rollBack } = yield* Rollbacks
    const { begun, refresh, settled } = yield* Watching
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle(
        "create",
        ({ headers, path: { project_id }, payload }) =>
          Effect.flatMap(Ref.make(Option.none<Planned>()), (planned) =>
            creating(
              // The idempotency key stores a hash of the change, which may have half a megabyte of files.
              { headers, payload: hashOf([JSON.stringify(payload)], []) },
              (account) =>
                Effect.flatMap(Ref.get(planned), (plan) =>
                  Effect.map(proposals.store(account, project_id, Option.getOrThrow(plan)), (data) => ({
                    data,
                    location: `/api/v1/projects/${project_id}/interventions/${data.id}`
                  }))
                ),
              Effect.flatMap(Caller, ({ accountId }) =>
                Effect.flatMap(proposals.plan(accountId, project_id, payload), (plan) =>
                  Ref.set(planned, Option.some(plan))
                )
              ),
              (account, data) => Effect.flatMap(Effect.orDie(decode(data)), ({ id }) => begun(account, project_id, id))
            )
          ),
        whole
      )
      .handle("list", ({ path: { project_id }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["interventions", project_id] },
          (account, batch) => interventions.list(account, project_id, batch),
          byCreation
        )
      )
      .handle("get", ({ path: { intervention_id, project_id } }) =>
        answer((account) => interventions.get(account, project_id, intervention_id))
      )
      .handle(
        "rollBack",
        ({ path: { intervention_id, project_id }, payload }) =>
          answer((account) =>
            Effect.zipRight(
              rollBack(account, project_id, intervention_id, payload),
              settled(account, project_id, intervention_id)
            )
          ),
        whole
      )
      .handle(
        "refresh",
        ({ path: { intervention_id, project_id } }) =>
          answer((account) => refresh(account, project_id, intervention_id)),
        whole
      )
  })
).pipe(
  Layer.provide([
    IdempotentCreate.Default,
    Interventions.Default,
    Proposals.Default,
    Rollbacks.Default,
    Watching.Default
  ]),
  Layer.provide(GitHub.layer)
)

export const connectorsLayer = HttpApiBuilder.group(apiRoot.add(ConnectorsApi), "connectors", (handlers) =>
  Effect.gen(function* () {
    const { get, putGitHub, putWordPress, remove } = yield* Connectors
    return handlers
      .handle("getGitHub", ({ path: { project_id } }) => answer((account) => get("github")(account, project_id)))
      .handle(
        "putGitHub",
        ({ path: { project_id }, payload: { token } }) => answer((account) => putGitHub(account, project_id, token)),
        whole
      )
      .handle(
        "removeGitHub",
        ({ path: { project_id } }) => forCaller((account) => remove("github")(account, project_id)),
        whole
      )
      .handle("getWordPress", ({ path: { project_id } }) => answer((account) => get("wordpress")(account, project_id)))
      .handle(
        "putWordPress",
        ({ path: { project_id }, payload }) => answer((account) => putWordPress(account, project_id, payload)),
        whole
      )
      .handle(
        "removeWordPress",
        ({ path: { project_id } }) => forCaller((account) => remove("wordpress")(account, project_id)),
        whole
      )
  })
).pipe(Layer.provide(Connectors.Default))
