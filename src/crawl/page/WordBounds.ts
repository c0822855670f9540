import type { Steps } from "../../foundation/schema/Steps.ts"

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

/** Letters and digits of ASCII, lower or upper case. */
const isPlain = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a)

const apostrophe = 0x27

/** Where the next word begins, or the end of the text. Most text is ASCII, for which a loop takes a third of the pattern's time. */
const startOf = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return endOf(gap, text, at)
    if (isPlain(unit)) return at
  }
  return text.length
}

/** Where the word that begins here ends; -1 when none begins here. */
const wordEnd = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return endOf(word, text, from)
    if (!isPlain(unit) && unit !== apostrophe) return at
  }
  return from < text.length ? text.length : -1
}

/** Characters of text that are looked through in one step. */
const stepLength = 16_384

/** Where the words of a text begin and end, in order; a large page has too many of them to make a string of each. */
export function* eachWord(text: string, onWord: (from: number, to: number) => void): Steps<void> {
  let looked = 0
  for (let at = 0; ; ) {
    if (at - looked >= stepLength) {
      yield at - looked
      looked = at
    }
    const from = startOf(text, at)
    const to = wordEnd(text, from)
    if (to === -1) return
    onWord(from, to)
    at = to
  }
}
