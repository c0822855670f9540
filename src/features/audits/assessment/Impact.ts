import type { Category } from "../Domain.ts"
import type { AuditEntry, AuditRef, CategoryEntry } from "../report/LighthouseReport.ts"

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

/** Sum of the weights that count in a category: those of checks with a verdict. */
export const totalWeight = (category: CategoryEntry, audits: ReadonlyMap<string, AuditEntry>): number =>
  category.refs.reduce((sum, ref) => sum + (typeof audits.get(ref.id)?.score === "number" ? ref.weight : 0), 0)

/**
 * Points that repairing a check is worth: what it would give back to its category's score, or for performance what
 * Lighthouse estimates (100 ms or a layout shift of 0.01 make one point), whichever is more.
 */
export const impactOf = (audit: AuditEntry, category: Category, ref: AuditRef, total: number): number => {
  const regained = total > 0 ? (100 * ref.weight * (1 - (audit.score ?? 1))) / total : 0
  return category === "performance" ? Math.max(regained, claimed(audit)) : regained
}
