/** Scripts written without spaces: each character counts as a word. */
const unspaced =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}]"
const spaced = (characters: string): string => `[[${characters}]--${unspaced}]`

const pattern = new RegExp(`${unspaced}|${spaced("\\p{L}\\p{N}")}${spaced("\\p{L}\\p{N}\\p{M}'’")}*`, "gv")

/** Words are looked for in pieces of about so many characters, cut at spaces. */
const pieceLength = 16_384

/** The words of a text, case-folded; whitespace is expected to be collapsed to single spaces. */
export function* words(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(" ", at + pieceLength)
    const end = space === -1 ? text.length : space
    yield* text.slice(at, end).toLowerCase().match(pattern) ?? []
    at = end
  }
}
