import * as Schema from "effect/Schema"
import { Finding } from "./Finding.ts"
import { MeasuredPage } from "./MeasuredPage.ts"
import { AnyScore } from "./SiteScore.ts"
import { Summary } from "./Summary.ts"

/** The whole result of a crawl: one declaration for HTTP answers, storage and webhook payloads. */
export const CrawlResult = Schema.Struct({
  summary: Summary,
  pages: Schema.Array(MeasuredPage),
  findings: Schema.Array(Finding),
  score: AnyScore
}).annotations({ identifier: "SiteHealthResult" })
export type CrawlResult = typeof CrawlResult.Type
