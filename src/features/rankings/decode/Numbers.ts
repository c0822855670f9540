/** Which character starts the decimals: decided by the language of a header or by another cell of the row. */
export type Style = "dot" | "comma"

const plain = /^\d+$/
const blanks = /(?<=\d)[\u0020\u00a0\u202f'\u2019](?=\d{3}(?!\d))/g
const grouped = { dot: /^\d{1,3}(,\d{3})+$/, comma: /^\d{1,3}(\.\d{3})+$/ } as const
const wholeDecimal = { dot: /^(\d+)\.0*$/, comma: /^(\d+),0*$/ } as const

/** Reads a count with or without thousands separators (`1234`, `1,234`, `1 234`, `1234.0`); NaN for anything else. */
export const count = (text: string, style: Style): number => {
  if (plain.test(text)) return Number(text)
  const trimmed = text.trim().replace(blanks, "")
  if (plain.test(trimmed)) return Number(trimmed)
  if (grouped[style].test(trimmed)) return Number(trimmed.replaceAll(style === "dot" ? "," : ".", ""))
  const whole = wholeDecimal[style].exec(trimmed)
  return whole === null ? Number.NaN : Number(whole[1])
}

const decimal = /^\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?$/

/** Reads a position (`5.34`, `5,34`); positions have no thousands separators, so either character starts the decimals. */
export const position = (text: string): number => {
  const trimmed = text.trim()
  return decimal.test(trimmed) ? Number(trimmed.replace(",", ".")) : Number.NaN
}

/** What the decimals of a row's position or CTR say about its style; `otherwise` when they have none. */
export const styleOf = (position: string, ctr: string, otherwise: Style): Style =>
  position.includes(",") || ctr.includes(",")
    ? "comma"
    : position.includes(".") || ctr.includes(".")
      ? "dot"
      : otherwise

/** Reads an integer that JSON or CSV carries as a number or as digits, as a bulk export does; NaN for anything else. */
export const integer = (value: unknown): number => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : Number.NaN
  return typeof value === "string" && plain.test(value) ? Number(value) : Number.NaN
}

/**
 * The sum of positions that a mean stands for, to a millionth: a fraction when the mean was rounded, so that the mean comes out again as it was
 * written; what misses a whole number only by the product's own rounding is that whole number.
 */
export const sumOfPositions = (position: number, impressions: number): number => {
  const sum = position * impressions
  const whole = Math.round(sum)
  return Math.abs(sum - whole) <= 1e-6 + sum * 1e-15 ? whole : Math.round(sum * 1e6) / 1e6
}
