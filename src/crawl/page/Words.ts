/** Scripts written without spaces: each character counts as a word. */
const unspaced =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}]"
const spaced = (characters: string): string => `[[${characters}]--${unspaced}]`

const pattern = new RegExp(`${unspaced}|${spaced("\\p{L}\\p{N}")}${spaced("\\p{L}\\p{N}\\p{M}'’")}*`, "gv")

/** The words of a text, case-folded. */
export const words = (text: string): ReadonlyArray<string> => text.toLowerCase().match(pattern) ?? []
