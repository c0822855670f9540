import { mapped, type Steps } from "../../foundation/schema/Steps.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { CrawlRecord } from "../report/Summary.ts"
import { assess, finding } from "../rules/Findings.ts"
import type { Rule } from "../rules/Rule.ts"
import { scoreOf } from "../score/Score.ts"
import { ledgerOf } from "../score/ScoreLedger.ts"
import { pageEntry } from "./PageEntry.ts"
import { summaryOf } from "./SummaryReport.ts"

/** Cost of the entry of a page and that of a rule, in characters. */
const worthOfPage = 32
const worthOfRule = 2048

/** The result of a run, from its analysis, the record of when it was made, and the rules that judge it. */
export function* reportOf(site: AnalysedSite, crawl: CrawlRecord, rules: ReadonlyArray<Rule>): Steps<CrawlResult> {
  const checks = yield* assess(rules, site)
  return {
    summary: { crawl, ...(yield* summaryOf(site)) },
    pages: yield* mapped(site.pages, worthOfPage, pageEntry),
    findings: yield* mapped(checks, worthOfRule, finding),
    score: scoreOf(yield* ledgerOf(site, checks))
  }
}
