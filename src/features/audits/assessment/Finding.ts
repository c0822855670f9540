import type { Category } from "../Category.ts"
import type { Severity } from "../FixDirective.ts"
import type { AuditEntry } from "../report/LighthouseReport.ts"

/** A failed check: the category that owns it, how bad it is, and the points that repairing it is worth. */
export interface Finding {
  readonly audit: AuditEntry
  readonly category: Category
  readonly severity: Severity
  /** Estimated gain on a scale of category points (0 to 100 and beyond); only for ordering. */
  readonly impact: number
}
