import * as Order from "effect/Order"
import type { FindingsSummary } from "../Audit.ts"
import type { Category } from "../Domain.ts"
import type { Severity } from "../FixDirective.ts"
import type { AuditEntry, AuditRef, LighthouseReport } from "../report/LighthouseReport.ts"
import { impactOf, totalWeight } from "./Impact.ts"
import { passScore, severityOf } from "./Severity.ts"

/** A failed check: the category that owns it, how bad it is, and the points that repairing it is worth. */
export interface Finding {
  readonly audit: AuditEntry
  readonly category: Category
  readonly severity: Severity
  /** Estimated gain on a scale of category points (0 to 100 and beyond); only for ordering. */
  readonly impact: number
}

/** Neither is a finding: findings act on metrics, and reports do not show hidden checks. */
const skippedGroups = new Set(["hidden", "metrics"])
const verdictless = new Set(["manual", "notApplicable", "not-applicable", "informative", "error"])
const rank = { critical: 0, warning: 1, info: 2 } as const

/** Worst severity first, then the largest impact, then the audit id: a total order, the same on every machine. */
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
 * The failed checks of the four categories in order, and the counts. A check counts once however many categories use it;
 * the category where it is worst owns it. Checks without a verdict count nowhere.
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
