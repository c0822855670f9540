import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { catalogue } from "../rules/Catalogue.ts"
import { assess, finding } from "../rules/Findings.ts"
import { scoreOf } from "../score/Score.ts"
import { ledgerOf } from "../score/ScoreLedger.ts"
import type { CrawlResult } from "./CrawlResult.ts"
import { pageEntry } from "./PageEntry.ts"
import { summaryOf } from "./SummaryReport.ts"

/** The result of a run, from its analysis alone. */
export const reportOf = (site: AnalysedSite): CrawlResult => {
  const checks = assess(catalogue, site)
  return {
    summary: summaryOf(site),
    pages: site.pages.map(pageEntry),
    findings: checks.map(finding),
    score: scoreOf(ledgerOf(site, checks))
  }
}
