/** How many letters must be changed, added or left out to make one word of another (Levenshtein's distance). */
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

/** The known word that somebody who wrote `word` meant, if one is near: at most a third of its letters differ. */
export const nearest = (word: string, known: Iterable<string>): string | undefined => {
  const [best] = Array.from(known, (name) => ({ far: distance(word, name), name })).sort((a, b) => a.far - b.far)
  return best !== undefined && best.far <= Math.max(2, word.length / 3) ? best.name : undefined
}
