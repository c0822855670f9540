import * as Either from "effect/Either"
import * as Compressed from "./Compressed.ts"

/** Receives one record and the line it starts on; the array is reused. Returns the reason to stop, or undefined. */
export type OnRecord = (cells: ReadonlyArray<string>, line: number) => string | undefined

/** A record that cannot be read or was refused. */
interface CsvProblem {
  readonly line: number
  readonly reason: string
}

/** Reads delimited text (RFC 4180) in pieces of any size. */
interface CsvReader {
  readonly push: (text: string, last: boolean, onRecord: OnRecord) => CsvProblem | undefined
  /** The line of the next record, 1-based. */
  readonly line: () => number
}

/** The longest record, in characters: an unclosed quote must not pull a whole file into memory. */
const longest = 1 << 20

/**
 * Makes a reader. Records end with LF or CRLF. A quote counts only at the start of a cell, and lets the cell hold the delimiter, line ends and doubled quotes.
 * Empty lines are skipped. The reader keeps a mark beyond the record for the next record, and so searches no input twice.
 */
export const reader = (delimiter: string): CsvReader => {
  const cells: Array<string> = []
  let rest = ""
  let line = 1
  const push = (text: string, last: boolean, onRecord: OnRecord): CsvProblem | undefined => {
    const input = rest === "" ? text : rest + text
    const quotes = finder(input, '"')
    const cuts = finder(input, delimiter)
    let at = 0
    while (at < input.length) {
      const newline = input.indexOf("\n", at)
      const stop = newline === -1 ? input.length : newline
      const isPlain = quotes(at) >= stop
      if (isPlain && newline === -1 && !last) break
      if (isPlain) split(input, at, stop, cuts, cells)
      const read = isPlain ? { end: stop + 1 } : quoted(input, at, last, delimiter, cells)
      if (read === undefined) break
      if ("reason" in read) return { line, reason: read.reason }
      const problem = cells.length === 1 && cells[0] === "" ? undefined : onRecord(cells, line)
      if (problem !== undefined) return { line, reason: problem }
      line += isPlain ? 1 : newlines(input, at, read.end)
      at = read.end
    }
    rest = input.slice(at)
    if (rest.length > longest) return { line, reason: "the row is too long: a quote may be missing its closing quote" }
    return undefined
  }
  return { push, line: () => line }
}

/** Finds the next mark at or after a position that never decreases; the input's length without a mark. */
const finder = (input: string, mark: string) => {
  let found = -1
  return (from: number) => {
    if (found < from) {
      const next = input.indexOf(mark, from)
      found = next === -1 ? input.length : next
    }
    return found
  }
}

/** Splits a record without quotes into `cells`. */
const split = (input: string, from: number, stop: number, cuts: (from: number) => number, cells: Array<string>) => {
  const end = stop > from && input.charCodeAt(stop - 1) === 13 ? stop - 1 : stop
  cells.length = 0
  let start = from
  for (let cut = cuts(start); cut < end; cut = cuts(start)) {
    cells.push(input.slice(start, cut))
    start = cut + 1
  }
  cells.push(input.slice(start, end))
}

/** The end of a record, where the next one begins, or the reason why the record cannot be read. */
type Ended = { readonly end: number } | { readonly reason: string }

/** Splits a record with quotes into `cells`; undefined until the record's end has arrived. */
const quoted = (
  input: string,
  from: number,
  last: boolean,
  delimiter: string,
  cells: Array<string>
): Ended | undefined => {
  cells.length = 0
  let at = from
  for (;;) {
    if (input.startsWith('"', at)) {
      const close = closingQuote(input, at + 1)
      if (close === -1 || (close === input.length - 1 && !last))
        return last ? { reason: "a quote has no closing quote" } : undefined
      cells.push(input.slice(at + 1, close).replaceAll('""', '"'))
      at = close + 1
    } else {
      const end = cellEnd(input, at, delimiter)
      if (end === input.length && !last) return undefined
      const isLastOfLine = end === input.length || input.startsWith("\n", end)
      cells.push(input.slice(at, isLastOfLine && input.charCodeAt(end - 1) === 13 && end > at ? end - 1 : end))
      at = end
    }
    if (at === input.length) return last ? { end: at } : undefined
    if (input.startsWith("\r\n", at)) return { end: at + 2 }
    if (input.startsWith("\n", at)) return { end: at + 1 }
    if (at === input.length - 1 && input.charCodeAt(at) === 13) return last ? { end: at + 1 } : undefined
    if (!input.startsWith(delimiter, at))
      return { reason: "text follows a closing quote: put the cell in quotes, or double the quotes in it" }
    at += 1
  }
}

const closingQuote = (input: string, from: number) => {
  let at = input.indexOf('"', from)
  while (at !== -1 && input.charCodeAt(at + 1) === 34) at = input.indexOf('"', at + 2)
  return at
}

const cellEnd = (input: string, from: number, delimiter: string) => {
  let at = from
  const stop = delimiter.charCodeAt(0)
  while (at < input.length && input.charCodeAt(at) !== 10 && input.charCodeAt(at) !== stop) at++
  return at
}

const newlines = (input: string, from: number, to: number) => {
  let count = 0
  for (let at = input.indexOf("\n", from); at !== -1 && at < to; at = input.indexOf("\n", at + 1)) count++
  return count
}

/** Spreadsheets run a text with such a beginning as a formula, or skip the first character and look at the next. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const isRisky = /^[=+\-@\u0000-\u001f\u007f-\u009f]/

const quotedCell = (text: string) => (text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Puts an apostrophe before text that a spreadsheet could run. */
const inert = (text: string): string => (isRisky.test(text) ? `'${text}` : text)

const isList = (value: object): value is ReadonlyArray<unknown> => Array.isArray(value)

/** A value as one line for people: a list as its items, an object as its fields that are not null. */
const readable = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "string") return inert(value)
  if (typeof value !== "object") return String(value)
  if (isList(value)) return value.map(readable).join("; ")
  return Object.entries(value)
    .flatMap(([name, field]) => (field === null || field === undefined ? [] : `${name}: ${readable(field)}`))
    .join(", ")
}

/**
 * A value as a cell: numbers unchanged, also negative ones; an apostrophe before text that a spreadsheet could run; objects and lists as text. Null is an empty
 * cell, the empty text a quoted one.
 */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  return typeof value === "string" || typeof value === "object" ? quotedCell(inert(readable(value))) : String(value)
}

/** A record of CSV (RFC 4180) with its line end. */
export const record = (values: ReadonlyArray<unknown>): string => `${values.map(cell).join(",")}\r\n`

/** More characters than the header line of any file has. */
const longestHeader = 65536

/** Reads a delimited file from its bytes. */
interface CsvFile {
  /** Reads a piece. A problem of the file ends the reading. */
  readonly push: (bytes: Uint8Array, last: boolean, onRecord: OnRecord) => CsvProblem | undefined
}

/** Whether the first line of a text ends with CR alone, as in old spreadsheets; undefined until its end has arrived. */
const endsWithReturn = (text: string, last: boolean): boolean | undefined => {
  const at = text.search(/[\r\n]/)
  if (at === -1 || text[at] === "\n") return at === -1 ? undefined : false
  return at + 1 === text.length && !last ? undefined : text[at + 1] !== "\n"
}

/**
 * Reads a delimited file piece by piece. The first bytes decide the encoding; the first line decides the delimiter, and whether CR alone ends lines. A preamble
 * `sep=` sets the delimiter.
 */
export const csvReader = (): CsvFile => {
  const decode = Compressed.reader()
  let csv: CsvReader | undefined
  let head = ""
  let hasReturns: boolean | undefined
  const withNewlines = (text: string) => (hasReturns === true ? text.replaceAll("\r", "\n") : text)
  const push: CsvFile["push"] = (bytes, last, onRecord) => {
    const decoded = decode(bytes, last)
    if (Either.isLeft(decoded)) return { line: csv?.line() ?? 1, reason: decoded.left }
    if (csv !== undefined) return csv.push(withNewlines(decoded.right), last, onRecord)
    head += decoded.right
    hasReturns ??= endsWithReturn(head, last)
    head = withNewlines(head)
    const newline = head.indexOf("\n")
    if (newline === -1 && !last && head.length < longestHeader) return undefined
    const preamble = /^sep=(.)\r?\n/i.exec(head)
    csv = reader(preamble?.[1] ?? delimiterOf(newline === -1 ? head : head.slice(0, newline)))
    if (preamble !== null) csv.push(preamble[0], false, () => undefined)
    const input = preamble === null ? head : head.slice(preamble[0].length)
    head = ""
    return csv.push(input, last, onRecord)
  }
  return { push }
}

/** The candidate that splits the header, without its quoted parts, into most cells; else a comma. */
const delimiterOf = (header: string) => {
  const bare = header.replace(/"[^"]*"/g, "")
  const [best] = [",", ";", "\t"]
    .map((delimiter) => ({ delimiter, cells: bare.split(delimiter).length }))
    .sort((a, b) => b.cells - a.cells)
  return best?.delimiter ?? ","
}
