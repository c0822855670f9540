const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * A copy of the text's first `max` UTF-16 units. Engines keep the whole of a string alive for a slice of it: without the
 * copy a few kept words pin a page of megabytes. A surrogate that the cut would orphan is dropped.
 */
export const keep = (text: string, max: number): string => {
  const last = text.charCodeAt(max - 1)
  const end = text.length > max && last >= 0xd800 && last < 0xdc00 ? max - 1 : max
  return decoder.decode(encoder.encode(text.slice(0, end)))
}

/**
 * The same text in one piece. The parser makes its strings a character at a time, and engines hold such a string as a chain
 * of its pieces, 32 bytes each, until it is read: a tree of large pages takes half the memory without chains.
 */
export const whole = (text: string): string => (text.charCodeAt(0) === -1 ? "" : text)

/** Strips and collapses ASCII whitespace (Infra standard). */
export const collapse = (text: string): string => squeeze(text).replace(/^ | $/g, "")

/** Collapses ASCII whitespace without stripping: each run of it becomes one space. */
export const squeeze = (text: string): string =>
  text.includes("  ") || /[\t\n\f\r]/.test(text) ? text.replace(/[\t\n\f\r ]+/g, " ") : text

const isBlank = (text: string, at: number): boolean => "\t\n\f\r ".includes(text.charAt(at))

/** Strips ASCII whitespace from both ends (Infra standard); a loop, since the pattern for the end is quadratic. */
export const strip = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text, start)) start++
  while (end > start && isBlank(text, end - 1)) end--
  return text.slice(start, end)
}

/** The lower-cased tokens of a space-separated attribute (`rel`, `type` lists), in order. */
export const tokens = (text: string): ReadonlyArray<string> =>
  text.split(/[\t\n\f\r ]+/, 100).flatMap((token) => (token === "" ? [] : [keep(token.toLowerCase(), 100)]))

/** Longest URL that is kept or followed, in characters. */
export const maxUrl = 2048
