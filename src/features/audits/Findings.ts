import * as Order from "effect/Order"
import type { Category, FindingsSummary, Severity } from "./Domain.ts"
import type { AuditEntry, AuditRef, CategoryEntry, LighthouseReport } from "./report/LighthouseReport.ts"

const msPerPoint = 100
const shiftPerPoint = 0.01

const claimed = (audit: AuditEntry): number => {
  const { cls, fcp, inp, lcp, overallMs, tbt } = audit.savings
  return Math.max(
    lcp / msPerPoint,
    fcp / msPerPoint,
    tbt / msPerPoint,
    inp / msPerPoint,
    overallMs / msPerPoint,
    cls / shiftPerPoint
  )
}

/** Sum of the weights of a category's checks with a verdict. */
const totalWeight = (category: CategoryEntry, audits: ReadonlyMap<string, AuditEntry>): number =>
  category.refs.reduce((sum, ref) => sum + (typeof audits.get(ref.id)?.score === "number" ? ref.weight : 0), 0)

/**
 * Points for fixing a check: the points that its category's score would regain, or for performance the points of Lighthouse's estimate if they are more (100
 * ms or a layout shift of 0.01 make one point).
 */
const impactOf = (audit: AuditEntry, category: Category, ref: AuditRef, total: number): number => {
  const regained = total > 0 ? (100 * ref.weight * (1 - (audit.score ?? 1))) / total : 0
  return category === "performance" ? Math.max(regained, claimed(audit)) : regained
}

/** Lighthouse's own threshold: a check passes with at least this score. */
export const passScore = 0.9

const alwaysCritical = new Set(["is-crawlable", "http-status-code", "is-on-https"])

/** Lighthouse weighs axe's impacts 1, 3, 7 and 10; 7 and 10 are serious and critical. */
const seriousWeight = 7
const criticalSavingsMs = 1_000
const criticalShift = 0.1

/** The severity of a failed check in one category. */
const severityOf = (audit: AuditEntry, category: Category, ref: AuditRef): Severity => {
  const { byMetric, cls, fcp, inp, lcp, overallMs, tbt } = audit.savings
  // The single estimate of older reports counts like the later estimates by metric, so severity does not depend on the version.
  const savedMs = byMetric ? Math.max(lcp, fcp, tbt, inp) : overallMs
  const slow = savedMs >= criticalSavingsMs || cls >= criticalShift
  const critical =
    alwaysCritical.has(audit.id) ||
    (category === "accessibility" && ref.weight >= seriousWeight) ||
    (category === "performance" && slow)
  return critical ? "critical" : "warning"
}

/** A failed check: its category, its severity, and the points for fixing it. */
export interface Finding {
  readonly audit: AuditEntry
  readonly category: Category
  readonly severity: Severity
  /** Estimated gain on a scale of category points (0 to 100 and beyond); only for ordering. */
  readonly impact: number
}

/** Groups without findings: findings change metrics, and reports do not show hidden checks. */
const skippedGroups = new Set(["hidden", "metrics"])
const verdictless = new Set(["manual", "notApplicable", "not-applicable", "informative", "error"])
const rank = { critical: 0, warning: 1, info: 2 } as const

/** Worst severity first, then the largest impact, then the audit id: a total order, so every machine sorts equally. */
export const findingOrder: Order.Order<Finding> = Order.combineAll([
  Order.mapInput(Order.number, (finding: Finding) => rank[finding.severity]),
  Order.reverse(Order.mapInput(Order.number, (finding: Finding) => finding.impact)),
  Order.mapInput(Order.string, (finding: Finding) => finding.audit.id)
])

interface Verdicts {
  readonly findings: ReadonlyArray<Finding>
  readonly summary: FindingsSummary
}

const isAssessed = (ref: AuditRef) => !skippedGroups.has(ref.group ?? "")

/**
 * The failed checks of the four categories in order, and the counts. A check counts once, in the category with its worst severity. Checks without a verdict
 * do not count.
 */
export const findVerdicts = (report: LighthouseReport): Verdicts => {
  const passed = new Set<string>()
  const failed = new Map<string, Finding>()
  for (const entry of report.categories) {
    const total = totalWeight(entry, report.audits)
    for (const ref of entry.refs.filter(isAssessed)) {
      const audit = report.audits.get(ref.id)
      if (audit === undefined || audit.score === null || verdictless.has(audit.mode)) continue
      if (audit.score >= passScore) {
        passed.add(audit.id)
        continue
      }
      const { category } = entry
      const severity = severityOf(audit, category, ref)
      const known = failed.get(audit.id)
      if (known === undefined || rank[severity] < rank[known.severity])
        failed.set(audit.id, { audit, category, severity, impact: impactOf(audit, category, ref, total) })
    }
  }
  const findings = [...failed.values()].sort(findingOrder)
  const critical = findings.filter((finding) => finding.severity === "critical").length
  return { findings, summary: { critical, warning: findings.length - critical, passed: passed.size } }
}
