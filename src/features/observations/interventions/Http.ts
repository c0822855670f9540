import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { hashOf } from "../../../foundation/text/FileHash.ts"
import { Caller } from "../../accounts/Authorized.ts"
import { answer, byCreation, listPage, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/IdempotentCreate.ts"
import { InterventionsApi } from "./Api.ts"
import { Intervention } from "./Domain.ts"
import * as GitHub from "./github/GitHub.ts"
import { Interventions } from "./Interventions.ts"
import { type Planned, Proposals } from "./Proposals.ts"
import { Rollbacks } from "./Rollbacks.ts"
import { Watching } from "./Watching.ts"

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
              // A key keeps the hash of a change, which may have half a megabyte of files.
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
