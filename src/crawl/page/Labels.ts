import * as Option from "effect/Option"

/** Labels of encodings that only ever served attacks; the Encoding standard maps them to `replacement`. */
const replaced = new Set(["replacement", "csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr"])

/** A decoder by label: the runtime knows more labels than its typings list. An unknown one throws. */
export const newDecoder = (label: string): TextDecoder => Reflect.construct(TextDecoder, [label])

const decoderOf = Option.liftThrowable(newDecoder)

/** The encoding a label names (Encoding standard, get an encoding), lower-cased; null when it names none. */
export const encodingOf = (label: string): string | null => {
  const name = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "").toLowerCase()
  if (replaced.has(name)) return "replacement"
  return Option.getOrNull(Option.map(decoderOf(name), ({ encoding }) => encoding.toLowerCase()))
}

/** What a document may declare about itself: UTF-16 cannot be declared in ASCII, so it means UTF-8 (HTML standard §13.2.3.2). */
export const declared = (encoding: string | null): string | null => {
  if (encoding === "utf-16le" || encoding === "utf-16be") return "utf-8"
  return encoding === "x-user-defined" ? "windows-1252" : encoding
}

/** Decodes with replacement characters for malformed bytes; a byte order mark is dropped. */
export const decode = (bytes: Uint8Array, encoding: string): string => {
  if (encoding === "replacement") return bytes.length === 0 ? "" : "\uFFFD"
  return newDecoder(encoding).decode(bytes)
}

/** The charset named in a `content` value (HTML standard, extracting a character encoding from a meta element), or null. */
export const charsetOfContent = (content: string): string | null => {
  const found = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i.exec(content)
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null)
}

/** What a `meta` element declares; `undefined` attributes are absent. Null when it declares no known encoding. */
export const declaredBy = (attributes: {
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
