import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { Category } from "../report/Finding.ts"
import { healthStateOf, isOpen } from "../report/States.ts"
import type { Checked } from "../rules/Findings.ts"
import { isRead } from "../rules/Rule.ts"
import type { ScoreLedger } from "./Score.ts"

/** Categories whose rules judge a page by what it refers to. */
const crossing: ReadonlySet<Category> = new Set(["links", "canonicals", "redirects", "international", "sitemaps"])

/** How many pages may refer to a URL that could not be verified: what it turns out to be may speak against them too. */
const referring = (unverified: ReadonlyArray<AnalysedPage>): number =>
  unverified.reduce((count, { record }) => count + record.linkedFromCount, 0)

/** Books the findings on the pages of a run. */
export const ledgerOf = (site: AnalysedSite, checks: ReadonlyArray<Checked>): ScoreLedger => {
  const assessed = site.pages.filter((page) => isRead(page) || healthStateOf[page.reason] === "failed")
  const unverified = site.pages.filter(({ reason }) => isOpen(reason))
  const isCut = site.termination !== "complete" || site.unlisted > 0
  const unsure = isCut || unverified.length > 0
  return {
    assessedPages: assessed.length,
    unverifiedPages: unverified.length + site.unlisted,
    touchedPages: isCut ? assessed.length : Math.min(assessed.length, referring(unverified)),
    outcomes: checks.map(({ check, rule }) => ({
      rule: rule.id,
      scope: rule.scope,
      severity: rule.severity,
      failing: check._tag === "Assessed" ? check.failures.length : 0,
      open: unsure && (check._tag === "NotAssessed" || crossing.has(rule.category))
    }))
  }
}
