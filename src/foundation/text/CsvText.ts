/** Spreadsheets run a text that begins like this as a formula, or skip the first character and look at the next. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const isRisky = /^[=+\-@\u0000-\u001f\u007f-\u009f]/

const quoted = (text: string) => (text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/**
 * A value as a cell: numbers unchanged, also negative ones; text that a spreadsheet could run behind an apostrophe; objects and lists as JSON. Null is an
 * empty cell, the empty text a quoted one.
 */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "string") return quoted(isRisky.test(value) ? `'${value}` : value)
  return typeof value === "object" ? quoted(JSON.stringify(value)) : String(value)
}

/** A record of CSV (RFC 4180), its line end included. */
export const record = (values: ReadonlyArray<unknown>): string => `${values.map(cell).join(",")}\r\n`
