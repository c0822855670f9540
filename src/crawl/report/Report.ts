import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { assess, finding } from "../rules/Findings.ts"
import type { Rule } from "../rules/Rule.ts"
import { scoreOf } from "../score/Score.ts"
import { ledgerOf } from "../score/ScoreLedger.ts"
import type { CrawlResult } from "./CrawlResult.ts"
import { pageEntry } from "./PageEntry.ts"
import type { CrawlRecord } from "./Summary.ts"
import { summaryOf } from "./SummaryReport.ts"

/** The result of a run, from its analysis, the record of when it was made, and the rules that judge it. */
export const reportOf = (site: AnalysedSite, crawl: CrawlRecord, rules: ReadonlyArray<Rule>): CrawlResult => {
  const checks = assess(rules, site)
  return {
    summary: { crawl, ...summaryOf(site) },
    pages: site.pages.map(pageEntry),
    findings: checks.map(finding),
    score: scoreOf(ledgerOf(site, checks))
  }
}
