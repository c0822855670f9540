/** One thing that was expected, or was reported, on one URL. */
export interface Point {
  /** The check or state. */
  readonly about: string
  readonly url: string
  readonly outcome: "found" | "false" | "missed"
  /** The expected and the reported value, for messages. */
  readonly detail: string
}

export const point = (about: string, url: string, outcome: Point["outcome"], detail = ""): Point => ({
  about,
  url,
  outcome,
  detail
})

/** Compares a value that is too varied for its own line in the table. */
export const equal = (about: string, url: string, expected: unknown, actual: unknown): ReadonlyArray<Point> =>
  expected === actual
    ? [point(about, url, "found")]
    : [point(about, url, "missed", `expected ${expected}, reported ${actual}`), point(about, url, "false")]
