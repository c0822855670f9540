const hexDigits = "0123456789ABCDEF"

const escapes = /%[0-9A-Fa-f]{2}/g

/** Percent-escapes in upper case, so that `%2f` and `%2F` compare equal (RFC 3986 §6.2.2.1). */
export const upperCaseEscapes = (text: string): string =>
  text.includes("%") ? text.replace(escapes, (escape) => escape.toUpperCase()) : text

/** The ASCII form of a pattern's bytes: bytes above 0x7F escaped (RFC 9309 §2.2.2); unreserved escapes stay as written. */
export const canonical = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) {
    text += byte < 0x80 ? String.fromCharCode(byte) : `%${hexDigits[byte >> 4]}${hexDigits[byte & 15]}`
  }
  return upperCaseEscapes(text)
}

/** The literal that every path begins with which the pattern matches. */
export const prefixOf = (pattern: string): string => /^[^*]*?(?=\*|\$?$)/.exec(pattern)?.[0] ?? ""

/**
 * Compiles a pattern with `*` (any characters) and a last `$` (end of the path) to a test of paths.
 * The literals between the stars are sought from left to right, each as early as possible: that is exact for `*`,
 * and needs no backtracking, so that a hostile file cannot buy time (RFC 9309 §2.2.3).
 */
export const compile = (pattern: string): ((path: string) => boolean) => {
  const anchored = pattern.endsWith("$")
  const [prefix = "", ...rest] = (anchored ? pattern.slice(0, -1) : pattern).split("*")
  if (rest.length === 0) return anchored ? (path) => path === prefix : (path) => path.startsWith(prefix)
  const last = anchored ? (rest.at(-1) ?? "") : ""
  const inner = (anchored ? rest.slice(0, -1) : rest).filter((literal) => literal !== "")
  return (path) => {
    if (!path.startsWith(prefix)) return false
    let at = prefix.length
    for (const literal of inner) {
      const found = path.indexOf(literal, at)
      if (found === -1) return false
      at = found + literal.length
    }
    return path.length - last.length >= at && path.endsWith(last)
  }
}
