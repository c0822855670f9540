/** Edits (one letter replaced, inserted or deleted) that turn one word into the other: the Levenshtein distance. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  Array.from(from).forEach((letter, line) => {
    const next = [line + 1]
    for (let at = 1; at <= to.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  })
  return row.at(-1) ?? 0
}

/** The known word nearest to `word`, if it is at most two edits, or a third of the word's letters, away. */
export const nearest = (word: string, known: Iterable<string>): string | undefined => {
  const [best] = Array.from(known, (name) => ({ far: distance(word, name), name })).sort((a, b) => a.far - b.far)
  return best !== undefined && best.far <= Math.max(2, word.length / 3) ? best.name : undefined
}

const isAscii = (text: string) => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/**
 * The form in which query texts are compared: NFKC unites composed and decomposed spellings, wide letters and ligatures; case is dropped; letters that
 * change with case or language are united: `ß` is `ss`, the Turkish `İ` and `ı` are `i`, `ς` is `σ`.
 */
export const fold = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKC")
        .toLowerCase()
        .replaceAll("i\u0307", "i")
        .replaceAll("ı", "i")
        .replaceAll("ß", "ss")
        .replaceAll("ς", "σ")
        .normalize("NFC")

/** A count with its noun: `1 page`, `2 pages`. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
