/** Code points that show nothing, or that make a terminal or a reader show something else: controls, formats, bidirectional marks, tags, fillers. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const spelled = (character: string) => named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Foreign text as one line in which everything can be seen: what cannot is written as its escape, such as `\u{1b}`. */
export const visible = (text: string): string => text.replace(invisible, spelled)

/** The same for text of several lines; each after the first is indented, so that none can pass for a line of its own. */
export const visibleLines = (text: string): string => text.split("\n").map(visible).join("\n  ")

const units = (character: string) =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** The same in a text that is JSON, or holds JSON strings: the escapes are JSON's (RFC 8259 §7), so that it is read as before. */
export const escaped = (text: string): string => text.replace(invisible, units)
