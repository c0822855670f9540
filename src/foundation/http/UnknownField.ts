import { nearest } from "../text/Words.ts"

/** The schema library's message for an unknown field, with the known ones. */
const unexpected = /^is unexpected, expected: (.+)$/

const quoted = /"((?:[^"\\]|\\.)*)"/g

/** Names are compared by their letters: people mean `max_pages` by `maxPages` and `max-pages`. */
const letters = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** The most similar of the known names, however far; undefined where there is none. */
export const mostSimilar = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const spelled = new Map(known.map((other) => [letters(other), other]))
  return spelled.get(nearest(letters(name.slice(0, 100)), spelled.keys(), Number.POSITIVE_INFINITY) ?? "")
}

/** The message for a problem with a field; for an unknown field it names the nearest known one. */
export const worded = (path: string, message: string): string => {
  const expected = unexpected.exec(message)?.[1]
  if (expected === undefined) return message
  const known = Array.from(expected.matchAll(quoted), ([, name = ""]) => name)
  const close = mostSimilar(path.split(".").at(-1) ?? path, known)
  return close === undefined ? "is not known here" : `is not a known field, the nearest is ${close}`
}
