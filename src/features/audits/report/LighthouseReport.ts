import type { VitalsDiagnostics, VitalsMetrics } from "../CoreWebVitals.ts"
import type { AuditFailure, Category, Device } from "../Domain.ts"

/** Estimated gain of a repair: milliseconds, except `cls` (unitless); 0 when the report claims none. */
export interface Savings {
  readonly lcp: number
  readonly fcp: number
  readonly tbt: number
  readonly inp: number
  readonly cls: number
  /** `details.overallSavingsMs` of Lighthouse up to 12. */
  readonly overallMs: number
  /** Whether the report gives savings by metric (Lighthouse 11 and later); older ones give only `overallMs`. */
  readonly byMetric: boolean
}

/** One check of a report. `details` is content of the page and of Lighthouse: untrusted, read only as evidence. */
export interface AuditEntry {
  readonly id: string
  /** 0 to 1, or null when the check gives no verdict. */
  readonly score: number | null
  readonly mode: string
  readonly savings: Savings
  readonly details: unknown
}

/** How a category uses a check. */
export interface AuditRef {
  readonly id: string
  readonly weight: number
  readonly group: string | null
}

/** One of the four categories with its score from 0 to 1, null when a weighted check of it went wrong. */
export interface CategoryEntry {
  readonly category: Category
  readonly score: number | null
  readonly refs: ReadonlyArray<AuditRef>
}

/** A Lighthouse result of any version from 6 on, reduced to what an audit needs. */
export interface LighthouseReport {
  readonly version: string
  /** The requested address. */
  readonly url: string
  /** Every address of the page: requested, document, final. */
  readonly addresses: ReadonlyArray<string>
  readonly fetchTime: string | null
  readonly device: Device | null
  readonly categories: ReadonlyArray<CategoryEntry>
  readonly audits: ReadonlyMap<string, AuditEntry>
  readonly lab: VitalsMetrics
  readonly diagnostics: VitalsDiagnostics
  /** Set when Lighthouse itself says that the run failed. */
  readonly runtimeError: AuditFailure | null
}
