/** Code points that are invisible, or that change what a terminal or a reader displays: controls, formats, bidirectional marks, tags, fillers. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const spelled = (character: string) => named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Foreign text as one line, with invisible characters as escapes such as `\u{1b}`. */
export const escapeInvisible = (text: string): string => text.replace(invisible, spelled)

/** The same for text of several lines; lines after the first are indented, so that none can pass for a line of ours. */
export const escapeInvisibleLines = (text: string): string => text.split("\n").map(escapeInvisible).join("\n  ")

const units = (character: string) =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** The same for JSON, or text that holds JSON strings: with JSON's own escapes (RFC 8259 §7), so that the parsed value stays the same. */
export const escapeInvisibleJson = (text: string): string => text.replace(invisible, units)

/** How many edits (one letter replaced, inserted or deleted, two neighbours swapped) turn one word into the other. */
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

/** The known word nearest to `word`, if at most `most` edits turn one into the other: two, or a third of the word's letters, where nothing else is said. */
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
 * The form in which query texts are compared: NFKC unites composed and decomposed spellings, wide letters and ligatures; case is dropped; letters that
 * change with case or language are united: `ß` is `ss`, the Turkish `İ` and `ı` are `i`, `ς` is `σ`.
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
