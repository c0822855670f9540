import type { Severity } from "../report/Finding.ts"

/** What a failing rule leaves of a page's worth. */
export const keeps: Readonly<Record<Severity, number>> = { critical: 0.5, warning: 0.85, info: 0.97 }

/** What a failing rule leaves of the whole value when it is charged once for the site. */
export const keepsOnce = (severity: Severity): number => 1 - (1 - keeps[severity]) / 2

/** What it leaves of the whole value for one URL outside of the assessed pages, by the number of known pages. */
export const keepsOutside = (severity: Severity, known: number): number =>
  1 - (1 - keeps[severity]) / Math.max(1, known)

/** A rule that fails, once. */
export interface Fault {
  readonly rule: string
  readonly severity: Severity
  /** All that fails it are elements that other pages have as well, so that the rule may be charged once for the site. */
  readonly isShared: boolean
}

export const product = (parts: ReadonlyArray<number>): number => parts.reduce((total, part) => total * part, 1)
