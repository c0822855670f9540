import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { catalogue } from "../../crawl/rules/Catalogue.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { RulesApi } from "./RulesApi.ts"

const data = catalogue.map(({ category, fix, id, means, name = id, severity, source }) => ({
  rule: id,
  title: name,
  category,
  severity,
  means,
  fix,
  source
}))

export const layer = HttpApiBuilder.group(apiRoot.add(RulesApi), "rules", (handlers) =>
  handlers.handle("list", () => Effect.succeed({ data }))
)
