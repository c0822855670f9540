import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { answerList } from "../../accounts/Exports.ts"
import { forCaller } from "../../accounts/Handlers.ts"
import { type Beside, OpportunitiesApi } from "./Api.ts"
import { Opportunity } from "./Domain.ts"
import { Opportunities } from "./Opportunities.ts"

const nothing: Beside = { not_assessed: [], windows: null }

export const layer = HttpApiBuilder.group(apiRoot.add(OpportunitiesApi), "opportunities", (handlers) =>
  Effect.gen(function* () {
    const opportunities = yield* Opportunities
    return handlers
      .handle("curve", ({ path }) => forCaller((account) => opportunities.curve(account, path.project_id)))
      .handle("list", ({ path: { project_id }, urlParams: { cursor, limit, ...filters } }) =>
        Effect.flatMap(Ref.make(nothing), (beside) =>
          answerList(
            {
              read: (account, batch) =>
                Effect.flatMap(opportunities.list(account, project_id, filters, batch), (found) =>
                  Effect.as(Ref.set(beside, found.beside), found.records)
                ),
              columns: Object.keys(Opportunity.fields),
              json: ({ json }) => json,
              position: Opportunities.position,
              query: {
                cursor,
                limit,
                of: ["opportunities", project_id, JSON.stringify(Object.entries(filters).sort())]
              }
            },
            ({ data, links, meta }) =>
              Effect.map(Ref.get(beside), (beside) =>
                HttpServerResponse.text(
                  `{"data":[${data.map(({ json }) => json).join(",")}],"meta":${JSON.stringify({ ...meta, ...beside })},"links":${JSON.stringify(links)}}`,
                  { contentType: "application/json" }
                )
              )
          )
        )
      )
  })
).pipe(Layer.provide(Opportunities.Default))
