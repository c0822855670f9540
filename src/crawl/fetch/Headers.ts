import type { HeaderLines } from "../page/HeaderFacts.ts"

/** All values of a header in the order received; names are compared without case. */
export const headersOf = (lines: HeaderLines, name: string): ReadonlyArray<string> =>
  lines.flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []))

/** The first value of a header, null when absent. */
export const headerOf = (lines: HeaderLines, name: string): string | null => headersOf(lines, name)[0] ?? null
