/** Code points that are invisible, or that change the display of other text: controls, formats, bidirectional marks, tags, fillers. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const spelled = (character: string) => named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Foreign text as one line, with invisible characters as escapes such as `\u{1b}`. */
export const escapeInvisible = (text: string): string => text.replace(invisible, spelled)

/** Foreign text of several lines with escapes. Lines after the first are indented, so no line can pass for ours. */
export const escapeInvisibleLines = (text: string): string => text.split("\n").map(escapeInvisible).join("\n  ")

const units = (character: string) =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** JSON, or text with JSON strings, with JSON's escapes (RFC 8259 §7), which keep the parsed value. */
export const escapeInvisibleJson = (text: string): string => text.replace(invisible, units)

/** The number of edits (one letter replaced, inserted or deleted, two neighbours swapped) between two words. */
export const distance = (from: string, to: string): number => {
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let line = 0; line < from.length; line++) {
    const next = [line + 1]
    for (let at = 1; at <= to.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (from[line] === to[at - 1] ? 0 : 1)
      const best = Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1)
      const isSwap = line > 0 && at > 1 && from[line] === to[at - 2] && from[line - 1] === to[at - 1]
      next.push(isSwap ? Math.min(best, (before[at - 2] ?? 0) + 1) : best)
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}

/** The known word nearest to `word` within `most` edits; by default two, or a third of the word's letters. */
export const nearest = (
  word: string,
  known: Iterable<string>,
  most: number = Math.max(2, word.length / 3)
): string | undefined => {
  let best: { readonly far: number; readonly name: string } | undefined
  for (const name of known) {
    if (Math.abs(name.length - word.length) > most) continue
    const far = distance(word, name)
    if (far <= most && (best === undefined || far < best.far)) best = { far, name }
  }
  return best?.name
}

const isAscii = (text: string) => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/**
 * The form for comparing query texts. NFKC unites composed and decomposed spellings, wide letters and ligatures; case is dropped; letters that change with case
 * or language are united: `ß` is `ss`, the Turkish `İ` and `ı` are `i`, `ς` is `σ`.
 */
export const fold = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKC")
        .toLowerCase()
        .replaceAll("i\u0307", "i")
        .replaceAll("ı", "i")
        .replaceAll("ß", "ss")
        .replaceAll("ς", "σ")
        .normalize("NFC")

/** A count with its noun: `1 page`, `2 pages`. */
export const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`
