import * as Schema from "effect/Schema"
import { Finding } from "./Finding.ts"
import { MeasuredPage } from "./MeasuredPage.ts"
import { AnyScore } from "./SiteScore.ts"
import { Summary } from "./Summary.ts"

export const VerifyVerdict = Schema.Literal("fixed", "still_failing", "not_assessable")
export type VerifyVerdict = typeof VerifyVerdict.Type

/** What became of one fault: a rule on a URL that failed in an earlier run. */
export const Verification = Schema.Struct({
  rule: Schema.String,
  url: Schema.String,
  verdict: VerifyVerdict,
  /** What is seen now, or why nothing can be said; empty where the verdict says it all. */
  detail: Schema.String
}).annotations({ identifier: "SiteHealthVerification" })
export type Verification = typeof Verification.Type

/** The whole result of a crawl: one declaration for HTTP answers, storage and webhook payloads. */
export const CrawlResult = Schema.Struct({
  summary: Summary,
  pages: Schema.Array(MeasuredPage),
  findings: Schema.Array(Finding),
  score: AnyScore,
  /** Only of a run that verifies another: what became of its faults. */
  verification: Schema.optionalWith(Schema.Array(Verification), { exact: true })
}).annotations({ identifier: "SiteHealthResult" })
export type CrawlResult = typeof CrawlResult.Type
