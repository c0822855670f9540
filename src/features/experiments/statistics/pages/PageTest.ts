/** What a test over pages says; `isSignificant` exactly when the interval excludes 0, and exactly when `pValue` is below 0.05. */
export interface PageTest {
  readonly method: "page_clustered" | "page_permutation"
  readonly pValue: number
  readonly isSignificant: boolean
  readonly lower: number
  readonly upper: number
  /** Too few pages for any effect to become significant. */
  readonly isPowerless: boolean
}

export const ALPHA = 0.05

/** Differences of rates lie in [−2, 2]. */
export const RANGE = 2
