import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../Api.ts"
import { Caller } from "../accounts/Authorized.ts"
import { page } from "../http/Paging.ts"
import { Keywords } from "./keywords/Keywords.ts"

export const layer = HttpApiBuilder.group(Api, "keywords", (handlers) =>
  Effect.gen(function* () {
    const keywords = yield* Keywords
    return handlers.handle("list", ({ urlParams: { cursor, limit, ...filters } }) =>
      Effect.gen(function* () {
        const { accountId } = yield* Caller
        yield* keywords.owned(accountId, filters)
        const { query, site_id, status } = filters
        const of = ["keywords", accountId, site_id?.toLowerCase() ?? "", status ?? "", query ?? ""]
        const { data, links, meta } = yield* page(
          { cursor, limit, of },
          (after, count) => keywords.list(accountId, filters, after, count),
          ({ position }) => position
        )
        return HttpServerResponse.text(
          `{"data":[${data.map(({ json }) => json).join(",")}],"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)}}`,
          { contentType: "application/json" }
        )
      })
    )
  })
).pipe(Layer.provide(Keywords.Default))
