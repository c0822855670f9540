/** Texts about one kind of finding: constants, never values of a report. */
export interface Guidance {
  /** The failing state in one clause, without a full stop. */
  readonly summary: string
  /** The effect on the people who use the page. */
  readonly why: string
  /** The one thing to achieve, as an imperative without a full stop. */
  readonly goal: string
  /** One to four concrete steps, in order. */
  readonly steps: readonly [string, ...Array<string>]
  /** Public documentation of the check. */
  readonly docs?: string
}

/** Guidance by Lighthouse audit id. */
export type GuidanceTable = Readonly<Record<string, Guidance>>
