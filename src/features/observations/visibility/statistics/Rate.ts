/** The answers to one prompt, and how many of them are hits: that cite the site, or name it. */
export interface OfPrompt {
  readonly answers: number
  readonly hits: number
}

export type Interval = readonly [low: number, high: number]

/** A share of answers, with its interval of 95 %. */
export interface Rate {
  readonly rate: number
  readonly interval: Interval
}

/** The two-sided 95 % point of the normal distribution. */
const z = 1.959963984540054

/** Wilson's interval of a share of `answers` answers, which need not be whole (E. B. Wilson, 1927). */
export const wilson = (share: number, answers: number): Interval => {
  const square = (z * z) / answers
  const middle = (share + square / 2) / (1 + square)
  const half = (z / (1 + square)) * Math.sqrt((share * (1 - share)) / answers + square / (4 * answers))
  // At 0 and 1 the bound is exact; rounding must not move it.
  return [share === 0 ? 0 : Math.max(0, middle - half), share === 1 ? 1 : Math.min(1, middle + half)]
}

/**
 * How much less answers tell than as many prompts of one answer each would: answers to a prompt are alike. (s²/N)/(p(1−p)/n) with s² the variance of the
 * prompts' shares, from 1 to `repeats`. Where all answers agree it cannot be known, and is taken to be the most.
 */
export const designEffect = (prompts: ReadonlyArray<OfPrompt>, repeats: number): number => {
  const asked = prompts.filter(({ answers }) => answers > 0)
  const answers = asked.reduce((sum, prompt) => sum + prompt.answers, 0)
  const share = asked.reduce((sum, prompt) => sum + prompt.hits, 0) / answers
  const spread = (share * (1 - share)) / answers
  if (asked.length < 2 || !(spread > 0)) return Math.max(1, repeats)
  const shares = asked.map(({ answers, hits }) => hits / answers)
  const mean = shares.reduce((sum, each) => sum + each, 0) / shares.length
  const variance = shares.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (shares.length - 1)
  return Math.min(Math.max(1, repeats), Math.max(1, variance / shares.length / spread))
}

/** The share of hits, with an interval in which the prompt is the unit; null without an answer. */
export const rateOf = (prompts: ReadonlyArray<OfPrompt>, repeats: number): Rate | null => {
  const answers = prompts.reduce((sum, prompt) => sum + prompt.answers, 0)
  if (answers === 0) return null
  const rate = prompts.reduce((sum, prompt) => sum + prompt.hits, 0) / answers
  return { interval: wilson(rate, answers / designEffect(prompts, repeats)), rate }
}
