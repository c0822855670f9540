/** The schema library's message for an unknown field, with the known ones. */
const unexpected = /^is unexpected, expected: (.+)$/

const quoted = /"((?:[^"\\]|\\.)*)"/g

/** Names are compared by their letters: people mean `max_pages` by `maxPages` and `max-pages`. */
const letters = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** Single-letter edits between two words (Levenshtein). */
const edits = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [at, letter] of Array.from(from).entries()) {
    const next = [at + 1]
    for (const [index, other] of Array.from(to).entries()) {
      next.push(
        Math.min((next[index] ?? 0) + 1, (row[index + 1] ?? 0) + 1, (row[index] ?? 0) + (letter === other ? 0 : 1))
      )
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The most similar of the known names; undefined where there is none. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined =>
  known
    .map((other) => ({ distance: edits(letters(name.slice(0, 100)), letters(other)), other }))
    .sort((a, b) => a.distance - b.distance)[0]?.other

/** The message for a problem with a field; for an unknown field it names the nearest known one. */
export const worded = (path: string, message: string): string => {
  const expected = unexpected.exec(message)?.[1]
  if (expected === undefined) return message
  const known = Array.from(expected.matchAll(quoted), ([, name = ""]) => name)
  const close = nearest(path.split(".").at(-1) ?? path, known)
  return close === undefined ? "is not known here" : `is not a known field, the nearest is ${close}`
}
