import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { answerList } from "../accounts/Exports.ts"
import { answer } from "../accounts/Handlers.ts"
import { KeywordsApi } from "./Api.ts"
import { KeywordRanking } from "./Domain.ts"
import { Keywords } from "./keywords/Keywords.ts"
import { Records } from "./keywords/Records.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(KeywordsApi), "keywords", (handlers) =>
  Effect.gen(function* () {
    const keywords = yield* Keywords
    const records = yield* Records
    return handlers
      .handle("get", ({ path }) => answer((account) => records.get(account, path.id)))
      .handle("series", ({ path, urlParams }) => answer((account) => records.series(account, path.id, urlParams)))
      .handle("list", ({ urlParams: { cursor, limit, ...filters } }) =>
        Effect.suspend(() => {
          let coverage = "[]"
          return answerList(
            {
              read: (account, batch) =>
                Effect.map(keywords.list(account, filters, batch), (found) => {
                  coverage = found.coverage
                  return found.records
                }),
              columns: Object.keys(KeywordRanking.fields),
              json: ({ json }) => json,
              position: Keywords.position(filters.sort),
              query: {
                cursor,
                limit,
                of: Keywords.identity(filters)
              }
            },
            ({ data, links, meta }) => {
              const head = JSON.stringify(meta).slice(0, -1)
              return Effect.succeed(
                HttpServerResponse.text(
                  `{"data":[${data.map(({ json }) => json).join(",")}],"meta":${head},"coverage":${coverage}},"links":${JSON.stringify(links)}}`,
                  { contentType: "application/json" }
                )
              )
            }
          )
        })
      )
  })
).pipe(Layer.provide([Keywords.Default, Records.Default]))
