import * as Option from "effect/Option"
import { html, type Token } from "parse5"
import { finish, type Steps } from "../../foundation/schema/Steps.ts"
import { leanDocument, parse } from "./HtmlParser.ts"

/** Labels of encodings that attacks use; the Encoding standard maps them to `replacement`. */
const replaced = new Set(["replacement", "csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr"])

/** A decoder by label, because the runtime knows more labels than its typings. An unknown label throws. */
export const newDecoder = (label: string): TextDecoder => Reflect.construct(TextDecoder, [label])

const decoderOf = Option.liftThrowable(newDecoder)

/** The lower-cased encoding of a label (Encoding standard, get an encoding); null for an unknown label. */
export const encodingOf = (label: string): string | null => {
  const name = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "").toLowerCase()
  if (replaced.has(name)) return "replacement"
  return Option.getOrNull(Option.map(decoderOf(name), ({ encoding }) => encoding.toLowerCase()))
}

/** The encoding that a declaration means: UTF-16 cannot be declared in ASCII, so it means UTF-8 (HTML standard §13.2.3.2). */
const declared = (encoding: string | null): string | null => {
  if (encoding === "utf-16le" || encoding === "utf-16be") return "utf-8"
  return encoding === "x-user-defined" ? "windows-1252" : encoding
}

/** Decodes with replacement characters for malformed bytes; a byte order mark is dropped. */
export const decode = (bytes: Uint8Array, encoding: string): string => {
  if (encoding === "replacement") return bytes.length === 0 ? "" : "\uFFFD"
  return newDecoder(encoding).decode(bytes)
}

/** The charset named in a `content` value (HTML standard, extracting a character encoding from a meta element), or null. */
const charsetOfContent = (content: string): string | null => {
  const found = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i.exec(content)
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null)
}

/** The encoding that a `meta` element declares; null without a known one. `undefined` attributes are absent. */
const declaredBy = (attributes: {
  readonly charset: string | undefined
  readonly httpEquiv: string | undefined
  readonly content: string | undefined
}): string | null => {
  const { charset, content, httpEquiv } = attributes
  const direct = charset === undefined ? null : declared(encodingOf(charset))
  if (direct !== null || httpEquiv?.toLowerCase() !== "content-type" || content === undefined) return direct
  const label = charsetOfContent(content)
  return label === null ? null : declared(encodingOf(label))
}

/** The bytes of a code point in a legacy encoding. */
type Table = ReadonlyMap<string, ReadonlyArray<number>>

/** Adds byte sequences with their decoded characters; the first sequence of a character is the one to write. */
const learn = (
  table: Map<string, ReadonlyArray<number>>,
  decoder: TextDecoder,
  sequences: Iterable<ReadonlyArray<number>>,
  isOverwriting: (character: string) => boolean = () => false
): void => {
  for (const bytes of sequences) {
    const text = decoder.decode(Uint8Array.from(bytes))
    const [first = ""] = text
    const isOne = first.length === text.length && first !== "\uFFFD" && first.charCodeAt(0) > 0x7f
    if (isOne && (!table.has(first) || isOverwriting(first))) table.set(first, bytes)
  }
}

function* pairs(leads: readonly [number, number], trails: readonly [number, number]): Iterable<ReadonlyArray<number>> {
  for (let lead = leads[0]; lead <= leads[1]; lead++)
    for (let trail = trails[0]; trail <= trails[1]; trail++) if (trail !== 0x7f) yield [lead, trail]
}

function* singles(): Iterable<ReadonlyArray<number>> {
  for (let byte = 0x80; byte <= 0xff; byte++) yield [byte]
}

/** The four-byte sequences of GB 18030 for characters of the basic plane; the others are computed. */
function* quads(): Iterable<ReadonlyArray<number>> {
  for (let pointer = 0; pointer < 39_420; pointer++)
    yield [
      0x81 + Math.floor(pointer / 12_600),
      0x30 + (Math.floor(pointer / 1260) % 10),
      0x81 + (Math.floor(pointer / 10) % 126),
      0x30 + (pointer % 10)
    ]
}

/** Characters with two sequences in Big5, which writes the later one (Encoding standard, index Big5 pointer). */
const lastOfBig5 = new Set("\u2550\u255E\u2561\u256A\u5341\u5345")

/** Fills the table of each multi-byte encoding, without sequences that the standard never writes. */
const multibyte: Readonly<Record<string, (table: Map<string, ReadonlyArray<number>>) => void>> = {
  big5: (table) =>
    learn(table, newDecoder("big5"), pairs([0xa1, 0xfe], [0x40, 0xfe]), (character) => lastOfBig5.has(character)),
  "euc-jp": (table) => {
    learn(table, newDecoder("euc-jp"), pairs([0x8e, 0x8e], [0xa1, 0xdf]))
    learn(table, newDecoder("euc-jp"), pairs([0xa1, 0xfe], [0xa1, 0xfe]))
    for (const [character, byte] of [
      ["\u00A5", 0x5c],
      ["\u203E", 0x7e]
    ] as const)
      table.set(character, [byte])
    table.set("\u2212", table.get("\uFF0D") ?? [])
  },
  "euc-kr": (table) => learn(table, newDecoder("euc-kr"), pairs([0x81, 0xfe], [0x41, 0xfe])),
  gbk: (table) => {
    learn(table, newDecoder("gbk"), pairs([0x81, 0xfe], [0x40, 0xfe]))
    table.set("\u20AC", [0x80])
  },
  gb18030: (table) => {
    learn(table, newDecoder("gb18030"), pairs([0x81, 0xfe], [0x40, 0xfe]))
    learn(table, newDecoder("gb18030"), quads())
  },
  shift_jis: (table) => {
    const decoder = newDecoder("shift_jis")
    learn(table, decoder, singles())
    // Decoders read NEC's selection of IBM extensions, encoders never write it (Encoding standard, index Shift_JIS pointer).
    const isExcluded = (lead = 0, trail = 0) => lead === 0xed || (lead === 0xee && trail <= 0xfc)
    const all = [...pairs([0x81, 0x9f], [0x40, 0xfc]), ...pairs([0xe0, 0xfc], [0x40, 0xfc])]
    learn(
      table,
      decoder,
      all.filter(([lead, trail]) => !isExcluded(lead, trail))
    )
    for (const [character, byte] of [
      ["\u00A5", 0x5c],
      ["\u203E", 0x7e]
    ] as const)
      table.set(character, [byte])
    table.set("\u2212", table.get("\uFF0D") ?? [])
  }
}

const tables = new Map<string, Table>()

/** The table of an encoding, built on first use. */
export const tableOf = (encoding: string): Table => {
  const known = tables.get(encoding)
  if (known !== undefined) return known
  const table = new Map<string, ReadonlyArray<number>>()
  const fill = multibyte[encoding]
  if (fill === undefined) learn(table, newDecoder(encoding), singles())
  else fill(table)
  tables.set(encoding, table)
  return table
}

const attributeOf = (attributes: ReadonlyArray<Token.Attribute>, name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name)?.value

/**
 * The encoding of the first `meta` with a known charset, as the parser meets it (HTML standard, changing the encoding while parsing), or null. Finds
 * declarations beyond the prescan, and stops parsing there.
 */
function* lateMeta(text: string): Steps<string | null> {
  if (!/charset/i.test(text)) return null
  let found: string | null = null
  yield* parse(text, leanDocument(), (name, namespace, attributes) => {
    if (found === null && name === "meta" && namespace === html.NS.HTML) {
      found = declaredBy({
        charset: attributeOf(attributes, "charset"),
        httpEquiv: attributeOf(attributes, "http-equiv"),
        content: attributeOf(attributes, "content")
      })
    }
    return found !== null
  })
  return found
}

/** Bytes to scan before parsing (HTML standard §13.2.3.2). */
const prescanBytes = 1024

// Characters to skip; each pattern also matches the empty string.
const blanks = /[\t\n\f\r ]*/y
const blanksAndSlashes = /[\t\n\f\r /]*/y
const tagName = /[^\t\n\f\r >]*/y
const attributeName = /[^\t\n\f\r />=]*/y
const unquoted = /[^\t\n\f\r >]*/y
const quoted: Readonly<Record<string, RegExp>> = { '"': /[^"]*/y, "'": /[^']*/y }

const isLetter = (char: string | undefined) => char !== undefined && /[A-Za-z]/.test(char)

interface Attribute {
  readonly name: string
  readonly value: string
}

/** The bytes as one character each, for the standard's byte-wise steps; `next` may run past the end. */
class Cursor {
  at = 0
  constructor(readonly text: string) {}
  peek(): string | undefined {
    return this.text[this.at]
  }
  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }
  startsWith(word: string): boolean {
    return this.text.slice(this.at, this.at + word.length).toLowerCase() === word
  }
  /** Skips the match, and returns it. */
  take(pattern: RegExp): string {
    const start = this.at
    pattern.lastIndex = start
    if (pattern.test(this.text)) this.at = pattern.lastIndex
    return this.text.slice(start, this.at)
  }
  /** Moves to the last character of the next `word`, or to the end. */
  seek(word: string, from: number): void {
    const found = this.text.indexOf(word, from)
    this.at = found === -1 ? this.text.length : found + word.length - 1
  }
}

/** The standard's "get an attribute"; null at the end of the tag or the input. */
const attribute = (cursor: Cursor): Attribute | null => {
  cursor.take(blanksAndSlashes)
  if (cursor.isAtEnd || cursor.peek() === ">") return null
  const start = cursor.at
  cursor.at += cursor.peek() === "=" ? 1 : 0
  cursor.take(attributeName)
  const name = cursor.text.slice(start, cursor.at).toLowerCase()
  cursor.take(blanks)
  if (cursor.peek() !== "=") return { name, value: "" }
  cursor.at++
  cursor.take(blanks)
  const inside = quoted[cursor.peek() ?? ""]
  if (inside === undefined) return { name, value: cursor.take(unquoted) }
  cursor.at++
  const value = cursor.take(inside)
  cursor.at++
  return { name, value }
}

const attributes = (cursor: Cursor): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (let next = attribute(cursor); next !== null; next = attribute(cursor)) {
    if (!found.has(next.name)) found.set(next.name, next.value)
  }
  return found
}

/** Unlike the parser's rule, `charset` here hides a pragma in its element even when its label is unknown. */
const declaredByTag = (tag: ReadonlyMap<string, string>): string | null => {
  const charset = tag.get("charset")
  if (charset !== undefined) return declared(encodingOf(charset))
  const label =
    tag.get("http-equiv")?.toLowerCase() === "content-type" ? charsetOfContent(tag.get("content") ?? "") : null
  return label === null ? null : declared(encodingOf(label))
}

/** `<?xml … encoding="…"?>` at the very start: the fallback of the prescan. */
const xmlEncoding = (text: string): string | null => {
  const [declaration = ""] = text.startsWith("<?xml") ? text.split(">", 1) : []
  if (declaration.length === text.length) return null
  const label = /encoding[\0- ]*=[\0- ]*(?:"([^"\0- ]*)"|'([^'\0- ]*)')/.exec(declaration)
  return label === null ? null : declared(encodingOf(label[1] ?? label[2] ?? ""))
}

const utf16Declarations: ReadonlyArray<readonly [string, string]> = [
  ["<\0?\0x\0", "utf-16le"],
  ["\0<\0?\0x", "utf-16be"]
]

/** The encoding the first 1,024 bytes declare (HTML standard, prescan a byte stream to determine its encoding), or null. */
const prescan = (bytes: Uint8Array): string | null => {
  const cursor = new Cursor(String.fromCharCode(...bytes.subarray(0, prescanBytes)))
  const { text } = cursor
  const utf16 = utf16Declarations.find(([start]) => text.startsWith(start))
  if (utf16 !== undefined) return utf16[1]
  for (cursor.seek("<", 0); !cursor.isAtEnd; cursor.seek("<", cursor.at + 1)) {
    if (cursor.startsWith("<!--")) {
      cursor.seek("-->", cursor.at + 2)
    } else if (cursor.startsWith("<meta") && /[\t\n\f\r /]/.test(text[cursor.at + 5] ?? "")) {
      cursor.at += 5
      const tag = attributes(cursor)
      const encoding = cursor.isAtEnd ? null : declaredByTag(tag)
      if (encoding !== null) return encoding
    } else if (isLetter(text[cursor.at + (text[cursor.at + 1] === "/" ? 2 : 1)])) {
      cursor.take(tagName)
      attributes(cursor)
    } else if ("!/?".includes(text[cursor.at + 1] ?? " ")) {
      cursor.seek(">", cursor.at)
    }
  }
  return xmlEncoding(text)
}

/** The chosen encoding and its source: BOM → HTTP charset → 1,024-byte prescan → later meta → windows-1252. */
export interface EncodingDecision {
  /** Lower-cased name of the Encoding standard, such as `utf-8` or `shift_jis`. */
  readonly name: string
  readonly source: "bom" | "header" | "prescan" | "meta" | "fallback"
}

const marks: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"]
]

const ofMark = (bytes: Uint8Array): string | null =>
  marks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1] ?? null

/** Decides the encoding of an HTML document (HTML standard §13.2.3); `httpCharset` is the Content-Type parameter. */
export function* deciding(bytes: Uint8Array, httpCharset: string | null): Steps<EncodingDecision> {
  const mark = ofMark(bytes)
  if (mark !== null) return { name: mark, source: "bom" }
  const header = httpCharset === null ? null : encodingOf(httpCharset)
  if (header !== null) return { name: header, source: "header" }
  const scanned = prescan(bytes)
  const tentative = scanned ?? "windows-1252"
  // The prescan guesses from bytes: a meta element that the parser meets corrects it.
  const met = tentative.startsWith("utf-16") ? null : yield* lateMeta(decode(bytes, tentative))
  if (met !== null && met !== scanned) return { name: met, source: "meta" }
  return scanned === null ? { name: tentative, source: "fallback" } : { name: scanned, source: "prescan" }
}

/** Decides the encoding in one step. */
export const decide = (bytes: Uint8Array, httpCharset: string | null): EncodingDecision =>
  finish(deciding(bytes, httpCharset))
