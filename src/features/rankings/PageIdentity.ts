import * as Schema from "effect/Schema"

/** Path and query of visible ASCII without an escape, as most are: such a text is its own form. */
const isPlain = /^[!-$&-~]*$/

/** A byte that continues a character of UTF-8, escaped. */
const next = "%[89ab]."

/** Escapes of one character beyond ASCII, as RFC 3629, section 4, has them: neither longer than need be, nor half of a surrogate pair. */
const character = [
  `%(?:c[2-9a-f]|d.)${next}`,
  `%e0%[ab].${next}`,
  `%e(?:[1-9a-c]|[ef])${next}${next}`,
  `%ed%[89].${next}`,
  `%f0%[9ab].${next}${next}`,
  `%f[1-3]${next}${next}${next}`,
  `%f4%8.${next}${next}`
]
  .join("|")
  .replaceAll(".", "[0-9a-f]")

/** The escape of a letter, a digit or one of `-._~`, which need none (RFC 3986, section 2.3). */
const unreserved = "%(?:2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e)"

/**
 * Characters that stay escaped, and become escaped: the blank, controls, line ends, and marks that turn the direction of the text around them (RFC
 * 3987, sections 4.1 and 6.1). With such marks an address can look like another.
 */
const unsafe = "[ \\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]"

const everyUnsafe = new RegExp(unsafe, "gu")
const pieces = new RegExp(`((?:${character})+)|(${unreserved})|%[0-9a-f]{2}|${unsafe}`, "giu")

/** Whether a percent sign that begins no escape, alone or with one digit, ends before a place: a digit there would make it one. */
const isWithinEscape = (path: string, at: number) => /%[0-9a-f]?$/i.test(path.slice(Math.max(0, at - 2), at))

/**
 * The one form of a page's path and query, in which pages are compared and shown: escapes of unreserved and of non-ASCII characters are decoded (RFC
 * 3986, section 6.2.2). Escapes of other characters stay, in capitals, and so do bytes that are no UTF-8, percent signs that begin no escape, and
 * dot segments. The form of a form is itself.
 */
export const identity = (path: string): string =>
  isPlain.test(path)
    ? path
    : path.replace(pieces, (piece, text: string | undefined, letter: string | undefined, at: number) => {
        if (text !== undefined) return decodeURIComponent(text).replace(everyUnsafe, encodeURIComponent)
        if (!piece.startsWith("%")) return encodeURIComponent(piece)
        return letter === undefined || (isWithinEscape(path, at) && /[0-9a-f]/i.test(decodeURIComponent(letter)))
          ? piece.toUpperCase()
          : decodeURIComponent(letter)
      })

/** A text that names a page by path and query in any form, read as the one form. */
export const inAnyForm = (text: Schema.Schema<string>) =>
  Schema.transform(text, Schema.String, { strict: true, decode: identity, encode: (path) => path })
