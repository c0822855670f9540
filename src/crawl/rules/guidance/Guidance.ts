/** How a fault of one rule is repaired in code: our own words, never a value of the site. */
export interface Guidance {
  readonly why: string
  /** What is true when the repair is done; an imperative without a full stop. */
  readonly goal: string
  /** Where the origin is looked for. */
  readonly find: string
  /** What is done, in its order. */
  readonly steps: readonly [string, string, ...ReadonlyArray<string>]
  /** The repair that would only hide the fault. */
  readonly never: string
}

/** Guidance for the rules of one subject, by rule id; each rule takes its own from there. */
export type GuidanceTable = Readonly<Record<string, Guidance>>
