import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about, described } from "../../foundation/http/Contract.ts"
import { Data } from "../../foundation/http/RequestSchemas.ts"
import { field } from "../../foundation/schema/Field.ts"
import { AnyKey } from "../accounts/Authorized.ts"

/** A rule of the crawl, in words. */
export const RuleWords = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the rule, as findings name it" }),
  title: Schema.String.annotations({ description: "Name of the rule for readers, a short noun phrase" }),
  category: field(Schema.String, "Subject of the rule"),
  severity: field(Schema.Literal("critical", "warning", "info"), "What it costs when it fails"),
  means: Schema.String.annotations({ description: "What it means that the rule fails" }),
  fix: Schema.String.annotations({ description: "What to do about it" }),
  source: Schema.String.annotations({
    description: "Where the rule comes from: a standard, or a search engine's documentation"
  })
}).annotations({ identifier: "Rule", description: "A rule of the crawl, in words" })

/** The catalogue of the crawl. */
export class RulesApi extends HttpApiGroup.make("rules")
  .annotateContext(about("The rules of a crawl, each with its source."))
  .add(
    HttpApiEndpoint.get("list", "/rules")
      .annotateContext(described("List the rules", "Every rule of a crawl, in the order of the report."))
      .addSuccess(Data(Schema.Array(RuleWords)))
      .middleware(AnyKey)
  )
  .prefix("/api/v1") {}
