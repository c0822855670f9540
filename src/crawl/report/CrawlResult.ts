import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { Finding } from "./Finding.ts"
import { MeasuredPage } from "./MeasuredPage.ts"
import { AnyScore } from "./SiteScore.ts"
import { Summary } from "./Summary.ts"

export const VerifyVerdict = Schema.Literal("fixed", "still_failing", "not_assessable").annotations({
  identifier: "VerifyVerdict",
  description: "`fixed`: requested, judged, and it passes. `not_assessable`: it could not be judged; `detail` says why"
})
export type VerifyVerdict = typeof VerifyVerdict.Type

/** What became of one fault: a rule on a URL that failed in an earlier run. */
export const Verification = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the rule that failed" }),
  url: Schema.String.annotations({ description: "URL on which it failed" }),
  verdict: field(VerifyVerdict, "What is true now"),
  detail: Schema.String.annotations({
    description: "What is seen now, or why nothing can be said; empty where the verdict says it all"
  })
}).annotations({
  identifier: "SiteHealthVerification",
  description: "What became of one fault, a rule on a URL that failed in an earlier run"
})
export type Verification = typeof Verification.Type

/** The whole result of a crawl: one declaration for HTTP answers, storage and webhook payloads. */
export const CrawlResult = Schema.Struct({
  summary: field(Summary, "What was crawled and how far: robots.txt, sitemaps, dead links, limits"),
  pages: Schema.Array(MeasuredPage).annotations({
    description: "Every URL that the run met, reached or not, in the order in which it met them"
  }),
  findings: Schema.Array(Finding).annotations({ description: "One for each rule of the catalogue, in its order" }),
  score: field(
    AnyScore,
    "Score of the site; results that were stored by an earlier version keep the score of that version"
  ),
  verification: Schema.optionalWith(Schema.Array(Verification), { exact: true }).annotations({
    description: "What became of the faults of the run that this one verifies; absent in other results"
  })
}).annotations({ identifier: "SiteHealthResult", description: "The whole result of a crawl" })
export type CrawlResult = typeof CrawlResult.Type
