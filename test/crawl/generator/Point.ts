/** One thing that was to be found, or was found, on one URL. */
export interface Point {
  /** The rule or verdict. */
  readonly about: string
  readonly url: string
  readonly outcome: "found" | "false" | "missed"
  /** What was expected and what was reported, for messages. */
  readonly detail: string
}

export const point = (about: string, url: string, outcome: Point["outcome"], detail = ""): Point => ({
  about,
  url,
  outcome,
  detail
})

/** Compares a value that is too various for a line of its own in the table. */
export const equal = (about: string, url: string, expected: unknown, actual: unknown): ReadonlyArray<Point> =>
  expected === actual
    ? [point(about, url, "found")]
    : [point(about, url, "missed", `expected ${expected}, reported ${actual}`), point(about, url, "false")]
