import { criticalT, twoSidedP } from "../../../../foundation/statistics/StudentT.ts"
import type { Interval, OfPrompt } from "./Rate.ts"

/** One prompt before and after. */
export interface Pair {
  readonly before: OfPrompt
  readonly after: OfPrompt
}

/** How the share of hits changed, by prompt: the mean of the prompts' differences with its interval of 95 %, and the p-value of no change. */
export interface Change {
  readonly prompts: number
  readonly before: number
  readonly after: number
  readonly delta: number
  readonly interval: Interval
  readonly p: number
}

const share = ({ answers, hits }: OfPrompt) => hits / answers
const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
const within = (value: number) => Math.min(1, Math.max(-1, value))

/** Paired t over the prompts that have answers on both sides; null with fewer than two. */
export const change = (pairs: ReadonlyArray<Pair>): Change | null => {
  const both = pairs.filter(({ after, before }) => after.answers > 0 && before.answers > 0)
  if (both.length < 2) return null
  const [before, after] = [mean(both.map((pair) => share(pair.before))), mean(both.map((pair) => share(pair.after)))]
  const differences = both.map((pair) => share(pair.after) - share(pair.before))
  const delta = mean(differences)
  const freedom = both.length - 1
  const variance = differences.reduce((sum, each) => sum + (each - delta) ** 2, 0) / freedom
  const error = Math.sqrt(variance / both.length)
  const known = { after, before, delta, prompts: both.length }
  // Differences that are all alike have no spread: rounding alone must not make one.
  if (error < 1e-12) return { ...known, interval: [delta, delta], p: Math.abs(delta) < 1e-12 ? 1 : 0 }
  const half = criticalT(freedom) * error
  return { ...known, interval: [within(delta - half), within(delta + half)], p: twoSidedP(delta / error, freedom) }
}

/** The p-value of no change between two shares of answers that are known by their counts alone: the normal test of two proportions, pooled. */
export const pOfCounts = (before: OfPrompt, after: OfPrompt): number => {
  const answers = before.answers + after.answers
  const pooled = (before.hits + after.hits) / answers
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / before.answers + 1 / after.answers))
  return error === 0 ? 1 : twoSidedP((share(after) - share(before)) / error, answers)
}

/** What two runs must have for their difference to say something, and what of it is missing here. */
export const reasons = [
  "other_engine",
  "other_model",
  "other_prompts",
  "other_tool",
  "too_few_prompts",
  "too_few_answers"
] as const
export type Reason = (typeof reasons)[number]

/** The smallest number of prompts, share of calls that were answered, and change that count. */
export const least = { answered: 0.9, change: 0.05, prompts: 20 } as const

/** p-values below this are significant. */
export const level = 0.05

/** −1 or 1 for a change that is significant and large enough, else 0. */
export const signOf = (found: Change | null): -1 | 0 | 1 =>
  found === null || found.prompts < least.prompts || found.p >= level || Math.abs(found.delta) < least.change - 1e-12
    ? 0
    : found.delta < 0
      ? -1
      : 1

/** What follows from a run for its baseline. */
interface Verdict {
  readonly isPublished: boolean
  readonly pending: -1 | 1 | null
}

/**
 * The rule of `geo_score.changed`: a change is published when the run after the one that showed it shows it too, with the same sign against the same baseline.
 * Then that second run is the baseline. One significant run alone happens in 5 % of comparisons in which nothing changed.
 */
export const verdict = (pending: number | null, sign: -1 | 0 | 1): Verdict => {
  if (sign === 0) return { isPublished: false, pending: null }
  return sign === pending ? { isPublished: true, pending: null } : { isPublished: false, pending: sign }
}
