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
