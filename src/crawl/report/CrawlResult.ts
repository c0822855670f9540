import * as Schema from "effect/Schema"
import { Finding } from "./Finding.ts"
import { MeasuredPage } from "./MeasuredPage.ts"
import { AnyScore } from "./SiteScore.ts"
import { Summary } from "./Summary.ts"
import { Verification } from "./Verification.ts"

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
