import { maskedText } from "../page/Credentials.ts"
import { keep } from "../page/Text.ts"

/** A place in a file, with the text of its line, cut to fit. */
export interface Place {
  /** From 1. */
  readonly line: number
  /** From 1, in characters. */
  readonly column: number
  readonly text: string
}

/** Maximum characters of a shown line, and maximum before the place. */
const most = 200
const before = 100
/** Characters to search beyond the shown ones for the end of a user name or password. */
const beyond = 2048

const lineBreak = /\r\n?|\n/g

const lastBreak = (text: string, end: number): number =>
  end === 0 ? -1 : Math.max(text.lastIndexOf("\n", end - 1), text.lastIndexOf("\r", end - 1))

/** User information that begins before the text, and user information that ends after it. */
const cutAtStart = /^[\\/]?[^\s\\/?#"'<>]*@/
const cutAtEnd = /([\\/]{2})[^\s\\/?#"'<>:]*:[^\s\\/?#"'<>]*$/
/** User information without the scheme of its URL. */
const withoutScheme = /[^\s\\/?#"'<>:@]{1,2048}:[^\s\\/?#"'<>@]{1,2048}@(?=[\w-])/g

/** The text around a place of a line, without user names and passwords. */
const excerptOf = (text: string, at: number): string => {
  const lineStart = lastBreak(text, at) + 1
  const start = Math.max(lineStart, at - before)
  const [line = ""] = text.slice(start, at + most + beyond).split(/[\r\n]/, 1)
  const whole = start > lineStart ? line.replace(cutAtStart, "***@") : line
  const masked = maskedText(whole).replace(withoutScheme, "***@").replace(cutAtEnd, "$1")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const shown = masked.slice(0, most).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/g, "\uFFFD")
  return keep(`${start > lineStart ? "…" : ""}${shown.trim()}${masked.length > most ? "…" : ""}`, most + 2)
}

/** The place of a character in a text that begins after `linesBefore` lines and `columnsBefore` characters. */
export const placeIn = (text: string, at: number, linesBefore: number, columnsBefore: number): Place => {
  const breaks = text.slice(0, at).match(lineBreak)?.length ?? 0
  const column = breaks === 0 ? columnsBefore + at + 1 : at - lastBreak(text, at)
  return { line: linesBefore + breaks + 1, column, text: excerptOf(text, at) }
}

/** The latest text of a streamed file, from a little before the last complete markup. */
export class Recent {
  private text = ""
  /** Number of characters before the text. */
  private dropped = 0

  /** Number of lines before the text, and of characters before it in its first line. */
  constructor(
    private lines: number,
    private columns: number
  ) {}

  add(piece: string): void {
    this.text += piece
  }

  /** Drops text that no later excerpt needs, given the next character of interest. */
  settle(at: number): void {
    const index = at - this.dropped - 2 * before
    if (index < this.text.length / 2) return
    const gone = this.text.slice(0, index)
    // A CR keeps its LF.
    const end = gone.endsWith("\r") ? index - 1 : index
    const { column, line } = placeIn(this.text, end, this.lines, this.columns)
    this.lines = line - 1
    this.columns = column - 1
    this.text = keep(this.text.slice(end), this.text.length)
    this.dropped += end
  }

  /** The text from a character of the file on. */
  since(at: number): string {
    return this.text.slice(Math.max(0, at - this.dropped))
  }

  /** The kept text up to a character of the file. */
  until(at: number): string {
    return this.text.slice(0, Math.max(0, at - this.dropped))
  }

  place(at: number): Place {
    const index = Math.min(Math.max(0, at - this.dropped), this.text.length)
    return placeIn(this.text, index, this.lines, this.columns)
  }
}
