/** Texts that have a package manager run or install a package by a name that anybody may own: all calls except those of a file or an installed package. */
export const taking: ReadonlyArray<RegExp> = [
  /\bnpx (?!--no-install |--yes bun@\d)/,
  /\b(?:bunx|pnpx|npm exec|npm x|pnpm dlx|yarn dlx|bun x)(?: -\S+)* @?findable\b/,
  /\b(?:npm|pnpm|yarn|bun) (?:i|install|add)(?: -\S+)* @?findable\b/,
  /"(?:npx|bunx|pnpx)"\s*,\s*"args"\s*:\s*\[\s*"(?!--no-install")/
]

/** One of our programs, or a package manager, that somebody should call. */
export const calling: ReadonlyArray<RegExp> = [
  ...taking,
  /\bnp[mx]\b|\bbunx?\b|\bpnpm\b|\byarn\b/,
  /@findable\/|\bfindable (?!\d)[a-z-]+|\bcli [a-z]/
]

/** The places where a text has one of these. */
export const found = (patterns: ReadonlyArray<RegExp>, text: string): ReadonlyArray<string> =>
  patterns.flatMap((pattern) =>
    Array.from(text.matchAll(new RegExp(pattern, "g")), ({ index }) => text.slice(Math.max(0, index - 40), index + 60))
  )
