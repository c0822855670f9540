import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { answerPage } from "../accounts/Answers.ts"
import { findable } from "../http/Findable.ts"
import { KeywordsApi } from "./Api.ts"
import { Keywords } from "./keywords/Keywords.ts"

export const layer = HttpApiBuilder.group(findable.add(KeywordsApi), "keywords", (handlers) =>
  Effect.gen(function* () {
    const keywords = yield* Keywords
    return handlers.handle("list", ({ urlParams: { cursor, limit, ...filters } }) =>
      Effect.map(
        answerPage(
          {
            cursor,
            limit,
            of: ["keywords", filters.site_id?.toLowerCase() ?? "", filters.status ?? "", filters.query ?? ""]
          },
          (account, batch) => keywords.list(account, filters, batch),
          ({ position }) => position
        ),
        ({ data, links, meta }) =>
          HttpServerResponse.text(
            `{"data":[${data.map(({ json }) => json).join(",")}],"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)}}`,
            { contentType: "application/json" }
          )
      )
    )
  })
).pipe(Layer.provide(Keywords.Default))
