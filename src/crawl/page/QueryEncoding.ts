import { tableOf } from "./Encoder.ts"

/** Encodings in which nothing is written: documents in them write UTF-8 (Encoding standard, get an output encoding). */
const readOnly = new Set(["replacement", "utf-16be", "utf-16le"])

/** What stands for a character that the encoding lacks: its character reference, escaped (URL standard, percent-encode after encoding). */
const missing = (character: string): string => `%26%23${character.codePointAt(0) ?? 0}%3B`

/** Bytes that a query holds only escaped: controls, space, quotes, `#`, `<`, `>`, and all above `~` (URL standard, special-query percent-encode set). */
const escaped = (byte: number): string =>
  byte <= 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x23 || byte === 0x27 || byte === 0x3c || byte === 0x3e
    ? `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    : String.fromCharCode(byte)

const written = (bytes: Iterable<number>): string => Array.from(bytes, escaped).join("")

/** Supplementary characters of GB 18030 follow from their number (Encoding standard, index gb18030 ranges). */
const supplementary = (point: number): ReadonlyArray<number> => {
  const pointer = point - 0x10000 + 189_000
  return [
    0x81 + Math.floor(pointer / 12_600),
    0x30 + (Math.floor(pointer / 1260) % 10),
    0x81 + (Math.floor(pointer / 10) % 126),
    0x30 + (pointer % 10)
  ]
}

const bytesOf = (character: string, encoding: string): Iterable<number> | undefined => {
  const point = character.codePointAt(0) ?? 0
  if (point < 0x80) return [point]
  const found = tableOf(encoding).get(character)
  return found === undefined && encoding === "gb18030" && point > 0xffff ? supplementary(point) : found
}

const toJis = "\x1b$B"
const toAscii = "\x1b(B"

/** ISO-2022-JP switches between one and two bytes a character, and ends as it began; half-width katakana it writes full. */
const iso2022jp = (text: string): string => {
  let out = ""
  let isWide = false
  const say = (bytes: string) => {
    for (const byte of bytes) out += escaped(byte.charCodeAt(0))
  }
  const turn = (wide: boolean) => {
    if (wide !== isWide) say(wide ? toJis : toAscii)
    isWide = wide
  }
  for (const character of text) {
    const full = /[\uFF61-\uFF9F]/.test(character) ? character.normalize("NFKC") : character
    const [lead, trail] = tableOf("euc-jp").get(full) ?? []
    const isPair = full.charCodeAt(0) > 0x7f && lead !== undefined && trail !== undefined
    turn(isPair)
    if (isPair) say(String.fromCharCode(lead & 0x7f, trail & 0x7f))
    else out += full.charCodeAt(0) > 0x7f ? missing(full) : escaped(full.charCodeAt(0))
  }
  turn(false)
  return out
}

/** A query in the encoding of its document, with everything escaped that the URL parser would escape in UTF-8. */
const encoded = (query: string, encoding: string): string => {
  if (encoding === "iso-2022-jp") return iso2022jp(query)
  let out = ""
  for (const character of query.toWellFormed()) {
    const bytes = bytesOf(character, encoding)
    out += bytes === undefined ? missing(character) : written(bytes)
  }
  return out
}

/**
 * A reference as the URL parser is to read it in a document of this encoding: its query is encoded as the document is, path
 * and fragment always are in UTF-8 (HTML standard, encoding-parse a URL). A `+` stays one and escapes stay as they are.
 */
export const inEncoding = (reference: string, encoding: string): string => {
  if (encoding === "utf-8" || readOnly.has(encoding) || !/[^\0-\x7f]/.test(reference)) return reference
  // The parser drops these before it looks at anything else.
  const text = reference.replace(/^[\0- ]+|[\0- ]+$/g, "").replace(/[\t\n\r]/g, "")
  const hash = text.indexOf("#")
  const end = hash === -1 ? text.length : hash
  const start = text.slice(0, end).indexOf("?")
  if (start === -1) return reference
  return text.slice(0, start + 1) + encoded(text.slice(start + 1, end), encoding) + text.slice(end)
}
