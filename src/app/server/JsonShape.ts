import type { Steps } from "../../foundation/schema/Steps.ts"

/** Depth of arrays and objects; the contract has four levels. */
export const deepest = 20

/** Bytes between two looks at the clock, and how many cost as much as one character of usual work. */
const [stride, perCost] = [65_536, 16]

/** Marks of JSON, as bytes and as characters. */
export const marks = {
  quote: 34,
  comma: 44,
  colon: 58,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125
} as const
const { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } = marks

/** The end of a string that begins before `from`; the end of the bytes if it is not closed. */
const textEnd = (bytes: Uint8Array, from: number) => {
  for (let end = bytes.indexOf(quote, from); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return bytes.length
}

/**
 * Why this JSON is too large or too deep to be parsed and checked without holding up other requests, if it is: more values, more fields of an object or a longer text
 * (in bytes, escapes included) than its endpoint takes, or deeper than the bound above. One pass over the bytes, before they are parsed; the parser refuses what is not JSON.
 */
export const problemOf = function* (
  bytes: Uint8Array,
  { fields, text, values }: { readonly fields: number; readonly text: number; readonly values: number }
): Steps<string | undefined> {
  const open: Array<{ readonly isObject: boolean; members: number }> = []
  let count = 1
  for (let at = 0, counted = 0; at < bytes.length; at++) {
    if (at - counted >= stride) {
      yield (at - counted) / perCost
      counted = at
    }
    const byte = bytes[at]
    if (byte === quote) {
      const end = textEnd(bytes, at + 1)
      if (end - at > text) return `contains a text of more than ${text} bytes`
      at = end
    } else if (byte === openBrace || byte === openBracket) {
      if (open.length === deepest) return `contains more than ${deepest} nested arrays and objects`
      open.push({ isObject: byte === openBrace, members: 1 })
      count += 1
    } else if (byte === closeBrace || byte === closeBracket) {
      open.pop()
    } else if (byte === comma) {
      const container = open.at(-1)
      if (container !== undefined) container.members += 1
      if (container?.isObject && container.members > fields) return `contains an object of more than ${fields} fields`
      count += 1
    }
    if (count > values) return `contains more than ${values} values`
  }
  return undefined
}
