const escape = String.fromCodePoint(0x1b)
const csiSequence = new RegExp(`${escape}\\[[0-?]{0,32}[ -/]{0,8}[@-~]`, "g")
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu

/** Room for what the clean-up removes; keeps the work on a megabyte-long string small. */
const readAhead = 8

/**
 * Text of a page as one visible line of at most `max` UTF-16 units: ANSI sequences, control, bidirectional, invisible and
 * unpaired characters and every kind of line break become single spaces; a cut is marked by an ellipsis.
 */
export const plain = (value: string, max: number): string => {
  const head = value.slice(0, max * readAhead)
  const line = head.replace(csiSequence, "").replace(invisible, " ").trim()
  if (line.length <= max && head.length === value.length) return line
  const cut = line.slice(0, max - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
