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
const widthOf = (character: string): number => (marks.test(character) ? 0 : wide.test(character) ? 2 : 1)

const total = (characters: ReadonlyArray<string>): number =>
  characters.reduce((width, character) => width + widthOf(character), 0)

/** The longest beginning that fits. */
const head = (characters: ReadonlyArray<string>, width: number): ReadonlyArray<string> => {
  let used = 0
  const end = characters.findIndex((character) => {
    used += widthOf(character)
    return used > width
  })
  return end === -1 ? characters : characters.slice(0, end)
}

/** The text shortened to `width` columns with the middle left out, so both ends of a URL stay. */
export const fit = (text: string, width: number): string => {
  const characters = [...safe(text)]
  if (total(characters) <= width) return characters.join("")
  const tail = Math.floor((width - 1) / 3)
  const end = [...head([...characters].reverse(), tail)].reverse()
  return `${head(characters, width - 1 - tail).join("")}…${end.join("")}`
}

/** Words broken into lines of at most `width` columns, each after the first indented. */
export const wrap = (text: string, width: number, indent: string): string => {
  const lines: Array<string> = []
  let line = ""
  for (const word of safe(text).split(/ +/)) {
    if (line !== "" && total([...line]) + 1 + total([...word]) > width) {
      lines.push(line)
      line = ""
    }
    line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => fit(each, width)).join(`\n${indent}`)
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
