/** A line that says something: what it sets, and the bytes it sets it to. */
export interface Directive {
  readonly key: "user-agent" | "allow" | "disallow" | "sitemap" | "crawl-delay"
  readonly value: Uint8Array
  /** The whole line without its comment. */
  readonly line: Uint8Array
}

/** Beginnings by which each key is known, misspellings that sites really have included. */
const beginnings: ReadonlyArray<readonly [Directive["key"], ReadonlyArray<string>]> = [
  ["user-agent", ["user-agent", "useragent", "user agent"]],
  ["allow", ["allow"]],
  ["disallow", ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]],
  ["sitemap", ["sitemap", "site-map"]],
  ["crawl-delay", ["crawl-delay", "crawldelay", "crawl delay"]]
]

const hash = 0x23
const colon = 0x3a
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09
const isSpace = (byte: number | undefined) => byte !== undefined && (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))

const trim = (bytes: Uint8Array): Uint8Array => {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  return bytes.subarray(start, end)
}

/** Up to the first NUL (text files have none) and the first `#`. */
const withoutComment = (line: Uint8Array): Uint8Array => {
  const end = line.findIndex((byte) => byte === 0 || byte === hash)
  return trim(end === -1 ? line : line.subarray(0, end))
}

/** The colon, or in its absence the blanks between exactly two words: a forgotten colon is forgiven, a sentence is not. */
const separator = (line: Uint8Array): number => {
  const at = line.indexOf(colon)
  if (at !== -1) return at
  const blank = line.findIndex(isBlank)
  return blank !== -1 && trim(line.subarray(blank)).some(isBlank) ? -1 : blank
}

/** ASCII text of bytes, one character a byte. */
export const ascii = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/** Reads one line; null for comments, empty lines and keys that are not ours to obey (RFC 9309 §2.2). */
export const directive = (raw: Uint8Array): Directive | null => {
  const line = withoutComment(raw)
  const at = separator(line)
  if (at <= 0) return null
  const name = ascii(trim(line.subarray(0, Math.min(at, 64)))).toLowerCase()
  const known = beginnings.find(([, spellings]) => spellings.some((spelling) => name.startsWith(spelling)))
  return known === undefined ? null : { key: known[0], value: trim(line.subarray(at + 1)), line }
}

/** The product token of a `User-agent` value: its leading letters, `_` and `-`; `*`, alone or before a space, is the default group. */
export const agent = (value: Uint8Array): string => {
  const text = ascii(value.subarray(0, 500))
  return /^\*(?=\s|$)/.test(text) ? "*" : (/^[A-Za-z_-]*/.exec(text)?.[0] ?? "")
}

/** Whether an agent of a group is the default one. */
export const isDefaultAgent = (name: string): boolean => name === "*"
