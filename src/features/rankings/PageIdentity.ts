import * as Schema from "effect/Schema"

/** Path and query of visible ASCII without escapes, the usual case, are their canonical form already. */
const isPlain = /^[!-$&-~]*$/

/** An escaped continuation byte of UTF-8. */
const next = "%[89ab]."

/** Escapes of one character outside ASCII (RFC 3629, section 4), without overlong forms and surrogates. */
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

/** The needless escape of a letter, a digit or one of `-._~` (RFC 3986, section 2.3). */
const unreserved = "%(?:2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e)"

/**
 * Characters that are always escaped: the blank, controls, line ends, and marks that change the direction of the text around them (RFC 3987, sections 4.1 and
 * 6.1). Such marks can make a URL look like another.
 */
const unsafe = "[ \\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]"

const everyUnsafe = new RegExp(unsafe, "gu")
const pieces = new RegExp(`((?:${character})+)|(${unreserved})|%[0-9a-f]{2}|${unsafe}`, "giu")

/** Whether a percent sign, alone or with one digit, ends before a place. A digit at that place would complete an escape. */
const isWithinEscape = (path: string, at: number) => /%[0-9a-f]?$/i.test(path.slice(Math.max(0, at - 2), at))

/**
 * The canonical form of a page's path and query, for comparison and display. Escapes of unreserved and of non-ASCII characters are decoded (RFC 3986, section
 * 6.2.2). Escapes of other characters stay, in capitals; bytes outside UTF-8, percent signs without an escape, and dot segments stay too. Idempotent.
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

/** Path and query of a page in any form, decoded to the canonical form. */
export const inAnyForm = (text: Schema.Schema<string>) =>
  Schema.transform(text, Schema.String, { strict: true, decode: identity, encode: (path) => path })
