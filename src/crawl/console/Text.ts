import { escapeInvisible as visible } from "../../foundation/text/EscapeInvisible.ts"

/** Widest line of the terminal report. */
export const columns = 100

/** Control and bidirectional characters, with which a page could rewrite the terminal or the report. */
const unsafe = /[\p{Cc}\p{Bidi_Control}]/gu

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u
const marks = /\p{Mn}|\p{Me}|\p{Default_Ignorable_Code_Point}/u

/** Text from a crawled site as it may be shown: one line, no control characters, and nothing that hides. */
export const safe = (text: string): string => visible(text.replace(unsafe, " "))

/** Columns that a terminal gives one character. */
const widthOfOne = (character: string): number => (marks.test(character) ? 0 : wide.test(character) ? 2 : 1)

const total = (characters: ReadonlyArray<string>): number =>
  characters.reduce((width, character) => width + widthOfOne(character), 0)

/** Columns that a terminal gives a text. */
export const widthOf = (text: string): number => total([...text])

/** The longest beginning that fits. */
const head = (characters: ReadonlyArray<string>, width: number): ReadonlyArray<string> => {
  let used = 0
  const end = characters.findIndex((character) => {
    used += widthOfOne(character)
    return used > width
  })
  return end === -1 ? characters : characters.slice(0, end)
}

/** The text in at most `width` columns; what does not fit is left out at its end. */
export const fit = (text: string, width: number): string => {
  const characters = [...safe(text)]
  return total(characters) <= width ? characters.join("") : `${head(characters, width - 1).join("")}…`
}

/** Words broken into lines of at most `width` columns, each after the first indented. A longer word, mostly an address, stays whole: a part of it is of no use. */
export const wrap = (text: string, width: number, indent: string): string => {
  const lines: Array<string> = []
  let line = ""
  for (const word of safe(text).split(/ +/)) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = ""
    }
    line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${indent}`)
}

/** A label and an address beside it, or below it where the line would become too long; `paint` colours the address. */
export const beside = (
  label: string,
  address: string,
  indent: number,
  paint: (text: string) => string = (text) => text
): ReadonlyArray<string> => {
  const shown = safe(address)
  return widthOf(label) + 2 + widthOf(shown) <= columns
    ? [`${label}  ${paint(shown)}`]
    : [label.trimEnd(), `${" ".repeat(indent)}${paint(shown)}`]
}

/** Colours of the terminal report. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly yellow: (text: string) => string
  readonly green: (text: string) => string
}

const sgr = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`
const plain = (text: string): string => text

/** ANSI colours, or none. */
export const paintOf = (color: boolean): Paint =>
  color
    ? { bold: sgr(1, 22), dim: sgr(2, 22), red: sgr(31, 39), yellow: sgr(33, 39), green: sgr(32, 39) }
    : { bold: plain, dim: plain, red: plain, yellow: plain, green: plain }
