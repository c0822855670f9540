import type { Category } from "../Domain.ts"
import type { Severity } from "../FixDirective.ts"
import type { AuditEntry, AuditRef } from "../report/LighthouseReport.ts"

/** Lighthouse's own threshold: a check with at least this score is passed. */
export const passScore = 0.9

const alwaysCritical = new Set(["is-crawlable", "http-status-code", "is-on-https"])

/** Lighthouse weighs axe's impacts 1, 3, 7 and 10; 7 and 10 are serious and critical. */
const seriousWeight = 7
const criticalSavingsMs = 1_000
const criticalShift = 0.1

/** How bad a failed check is in one category. */
export const severityOf = (audit: AuditEntry, category: Category, ref: AuditRef): Severity => {
  const { byMetric, cls, fcp, inp, lcp, overallMs, tbt } = audit.savings
  // The older report's one estimate is as good as its successor's estimates by metric: the verdict must not depend on the version.
  const savedMs = byMetric ? Math.max(lcp, fcp, tbt, inp) : overallMs
  const slow = savedMs >= criticalSavingsMs || cls >= criticalShift
  const critical =
    alwaysCritical.has(audit.id) ||
    (category === "accessibility" && ref.weight >= seriousWeight) ||
    (category === "performance" && slow)
  return critical ? "critical" : "warning"
}
