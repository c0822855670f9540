import { charsetOfContent, declared, encodingOf } from "./Labels.ts"

/** Bytes that are scanned before parsing begins (HTML standard §13.2.3.2). */
const prescanBytes = 1024

// Characters that are passed over; each pattern matches wherever it is tried.
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

/** The bytes as one character each, read by the standard's byte-wise steps; `next` runs past the end freely. */
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
  /** Passes over what matches, and gives it. */
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

/** The standard's "get an attribute"; null at the tag's end or the input's. */
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

/** Unlike the parser's rule, `charset` here hides a pragma in the same element even when its label is unknown. */
const declaredByTag = (tag: ReadonlyMap<string, string>): string | null => {
  const charset = tag.get("charset")
  if (charset !== undefined) return declared(encodingOf(charset))
  const label =
    tag.get("http-equiv")?.toLowerCase() === "content-type" ? charsetOfContent(tag.get("content") ?? "") : null
  return label === null ? null : declared(encodingOf(label))
}

/** `<?xml … encoding="…"?>` at the very start: what the prescan falls back to. */
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
export const prescan = (bytes: Uint8Array): string | null => {
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
