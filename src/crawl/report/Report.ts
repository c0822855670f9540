import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { catalogue } from "../rules/Catalogue.ts"
import { assess, finding } from "../rules/Findings.ts"
import { scoreOf } from "../score/Score.ts"
import { ledgerOf } from "../score/ScoreLedger.ts"
import type { CrawlResult } from "./CrawlResult.ts"
import { pageEntry } from "./PageEntry.ts"
import type { CrawlRecord } from "./Summary.ts"
import { summaryOf } from "./SummaryReport.ts"

/** The result of a run, from its analysis and the record of when it was made. */
export const reportOf = (site: AnalysedSite, crawl: CrawlRecord): CrawlResult => {
  const checks = assess(catalogue, site)
  return {
    summary: { crawl, ...summaryOf(site) },
    pages: site.pages.map(pageEntry),
    findings: checks.map(finding),
    score: scoreOf(ledgerOf(site, checks))
  }
}
