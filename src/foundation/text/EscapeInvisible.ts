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
