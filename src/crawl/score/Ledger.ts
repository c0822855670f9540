import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { type HealthReason, healthStateOf } from "../report/States.ts"
import type { Checked } from "../rules/Findings.ts"
import { isRead } from "../rules/Rule.ts"
import type { Ledger } from "./Score.ts"

/** Reasons that leave open what a page would be: it may be anything. A file that is no HTML is no page to assess. */
const open: ReadonlySet<HealthReason> = new Set([
  "timed_out",
  "connection_failed",
  "rate_limited",
  "bot_challenge",
  "robots_unreachable",
  "too_large",
  "limit_reached"
])

/** Books the findings on the pages of a run. */
export const ledgerOf = (site: AnalysedSite, checks: ReadonlyArray<Checked>): Ledger => ({
  assessedPages: site.pages.filter((page) => isRead(page) || healthStateOf[page.reason] === "failed").length,
  unverifiedPages: site.pages.filter(({ reason }) => open.has(reason)).length + site.unlisted,
  outcomes: checks.map(({ check, rule }) => ({
    rule: rule.id,
    scope: rule.scope,
    severity: rule.severity,
    assessed: check._tag === "Assessed",
    failing: check._tag === "Assessed" ? check.failures.length : 0
  }))
})
