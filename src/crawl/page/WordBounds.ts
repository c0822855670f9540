/** Scripts written without spaces: each character counts as a word. */
const unspaced =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}]"
const spaced = (characters: string): string => `[[${characters}]--${unspaced}]`
const start = spaced("\\p{L}\\p{N}")

const word = new RegExp(`${unspaced}|${start}${spaced("\\p{L}\\p{N}\\p{M}'’")}*`, "vy")
const gap = new RegExp(`[^\\p{L}\\p{N}${unspaced}]*`, "vy")

const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** Where the words of a text begin and end, in order; a large page has too many of them to make a string of each. */
export const eachWord = (text: string, tell: (from: number, to: number) => void): void => {
  for (let at = 0; ; ) {
    const from = endOf(gap, text, at)
    const to = endOf(word, text, from)
    if (to === -1) return
    tell(from, to)
    at = to
  }
}
