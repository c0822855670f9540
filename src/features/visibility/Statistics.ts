import {
  betaQuantile,
  bothAbove,
  criticalT,
  normalProbability,
  twoSidedP
} from "../../foundation/statistics/Distributions.ts"

/** The answers to one prompt, and the number of hits: answers that cite the site, or name it. */
export interface OfPrompt {
  readonly answers: number
  readonly hits: number
}

type Interval = readonly [low: number, high: number]

/** A share of answers, with its 95 % interval. */
interface Rate {
  readonly rate: number
  readonly interval: Interval
}

/** The two-sided 95 % point of the normal distribution. */
const z = 1.959963984540054

/** Wilson's interval of a share of `answers` answers, also of a fraction (E. B. Wilson, 1927). */
export const wilson = (share: number, answers: number): Interval => {
  const square = (z * z) / answers
  const middle = (share + square / 2) / (1 + square)
  const half = (z / (1 + square)) * Math.sqrt((share * (1 - share)) / answers + square / (4 * answers))
  // At 0 and 1 the bound is exact; rounding must not move it.
  return [share === 0 ? 0 : Math.max(0, middle - half), share === 1 ? 1 : Math.min(1, middle + half)]
}

/**
 * The design effect of similar answers to one prompt, against one answer per prompt: (s²/N)/(p(1−p)/n) with s² the variance of the prompts' shares, from 1 to
 * `repeats`. If all answers agree it is unknown, so the maximum counts.
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

/** The share of hits, with an interval that treats the prompt as the unit; null without an answer. */
export const rateOf = (prompts: ReadonlyArray<OfPrompt>, repeats: number): Rate | null => {
  const answers = prompts.reduce((sum, prompt) => sum + prompt.answers, 0)
  if (answers === 0) return null
  const rate = prompts.reduce((sum, prompt) => sum + prompt.hits, 0) / answers
  return { interval: wilson(rate, answers / designEffect(prompts, repeats)), rate }
}

/** One prompt before and after. */
interface Pair {
  readonly before: OfPrompt
  readonly after: OfPrompt
}

/** The change of the share of hits, by prompt: the mean of the prompts' differences with its 95 % interval, and the p-value of no change. */
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

/** Paired t over the prompts with answers on both sides; null with fewer than two. */
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
  // Equal differences have no spread: rounding alone must not make one.
  if (error < 1e-12) return { ...known, interval: [delta, delta], p: Math.abs(delta) < 1e-12 ? 1 : 0 }
  const half = criticalT(freedom) * error
  return { ...known, interval: [within(delta - half), within(delta + half)], p: twoSidedP(delta / error, freedom) }
}

/** The p-value of no change between two shares with known counts: the pooled normal test of two proportions. */
export const pOfCounts = (before: OfPrompt, after: OfPrompt): number => {
  const answers = before.answers + after.answers
  const pooled = (before.hits + after.hits) / answers
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / before.answers + 1 / after.answers))
  return error === 0 ? 1 : twoSidedP((share(after) - share(before)) / error, answers)
}

/** Reasons why two runs are not comparable. */
export const reasons = [
  "other_engine",
  "other_model",
  "other_prompts",
  "other_tool",
  "too_few_prompts",
  "too_few_answers"
] as const
type Reason = (typeof reasons)[number]

/** Minimum share of answered calls, minimum change, and minimum number of prompts. */
const least = { answered: 0.9, change: 0.05, prompts: 20 } as const

/** p-values below this are significant. */
export const level = 0.05

/** −1 or 1 for a significant and large enough change, else 0. */
export const signOf = (found: Change | null): -1 | 0 | 1 =>
  found === null || found.prompts < least.prompts || found.p >= level || Math.abs(found.delta) < least.change - 1e-12
    ? 0
    : found.delta < 0
      ? -1
      : 1

/** The effect of a run on its baseline. */
interface Verdict {
  readonly isPublished: boolean
  readonly pending: -1 | 1 | null
}

/**
 * The rule of `geo_score.changed`: a change is published when two runs in a row show it, with the same sign against the same baseline. The second run becomes
 * the baseline. Without a real change, 5 % of comparisons are significant by chance.
 */
export const verdict = (pending: number | null, sign: -1 | 0 | 1): Verdict => {
  if (sign === 0) return { isPublished: false, pending: null }
  return sign === pending ? { isPublished: true, pending: null } : { isPublished: false, pending: sign }
}

/** Measurements of one engine in a run, for rates and comparisons. */
interface Measured {
  readonly answered: number
  readonly engine: string
  readonly hasNames: boolean
  readonly models: ReadonlyArray<string>
  readonly planned: number
  readonly promptSet: string
  readonly prompts: ReadonlyArray<{
    readonly answers: number
    readonly cited: number
    readonly isNamed: boolean
    readonly key: string
    readonly mentioned: number
  }>
  readonly repeats: number
  readonly tool: string
}

const citing = ({ answers, cited }: Measured["prompts"][number]): OfPrompt => ({ answers, hits: cited })

/** The share of answers that cite the site. */
export const citedRate = ({ prompts, repeats }: Measured): Rate | null => rateOf(prompts.map(citing), repeats)

/** The share of answers that name the brand, without prompts that name it themselves. */
export const mentionedRate = ({ hasNames, prompts, repeats }: Measured): Rate | null =>
  hasNames
    ? rateOf(
        prompts.filter(({ isNamed }) => !isNamed).map(({ answers, mentioned }) => ({ answers, hits: mentioned })),
        repeats
      )
    : null

/** Whether enough calls were answered for a rate of the run. */
const isWhole = ({ answered, planned }: Measured): boolean => answered >= least.answered * planned

/** Whether one model gave all answers. */
const isOfOneModel = ({ models }: Measured) => models.length === 1

/** Whether a run is comparable with others: complete, and of one model. */
export const mayCompare = (measured: Measured): boolean => isWhole(measured) && isOfOneModel(measured)

interface Comparison {
  readonly change: Change | null
  readonly reasons: ReadonlyArray<Reason>
}

/** The change of the share of citing answers between two runs, and the reasons against it. */
export const compared = (before: Measured, after: Measured): Comparison => {
  const earlier = new Map(before.prompts.map((prompt) => [prompt.key, prompt]))
  const found = change(
    after.prompts.flatMap((prompt) => {
      const other = earlier.get(prompt.key)
      return other === undefined ? [] : [{ after: citing(prompt), before: citing(other) }]
    })
  )
  const isSameModel = isOfOneModel(before) && isOfOneModel(after) && before.models[0] === after.models[0]
  const missing: ReadonlyArray<readonly [boolean, Reason]> = [
    [before.engine !== after.engine, "other_engine"],
    [!isSameModel, "other_model"],
    [before.promptSet !== after.promptSet, "other_prompts"],
    [before.tool !== after.tool, "other_tool"],
    [(found?.prompts ?? 0) < least.prompts, "too_few_prompts"],
    [!isWhole(before) || !isWhole(after), "too_few_answers"]
  ]
  return { change: found, reasons: missing.flatMap(([is, reason]) => (is ? [reason] : [])) }
}

/** The change for computing power. */
const lift = 0.1

/** Correlation of answers to a prompt: with it the prompts' shares are distributed as Beta(p, 1 − p). */
const alike = 0.5

interface Plan {
  readonly prompts: number
  readonly repeats: number
  readonly rate: number
}

/** The power of one run to show a change, and of the rule to publish it, which needs two. */
export interface Power {
  readonly power_one_run: number
  readonly power_told: number
}

const steps = 100

/** The probabilities of 0 to `repeats` hits of a prompt with a hit probability of `share`. */
const binomial = (share: number, repeats: number): ReadonlyArray<number> => {
  let chances = [1]
  for (let n = 0; n < repeats; n++)
    chances = Array.from({ length: n + 2 }, (_, k) => (chances[k] ?? 0) * (1 - share) + (chances[k - 1] ?? 0) * share)
  return chances
}

/** Central moments of a prompt's difference between two runs: each prompt keeps its rank while the mean share rises by `lift`. */
const momentsOf = ({ rate, repeats }: Plan) => {
  let [second, third, fourth] = [0, 0, 0]
  for (let n = 0; n < steps; n++) {
    const place = (n + 0.5) / steps
    const before = binomial(betaQuantile(place, rate, 1 - rate), repeats)
    const after = binomial(betaQuantile(place, rate + lift, 1 - rate - lift), repeats)
    for (const [b, chance] of before.entries())
      for (const [a, other] of after.entries()) {
        const off = (a - b) / repeats - lift
        const weight = (chance * other) / steps
        second += weight * off ** 2
        third += weight * off ** 3
        fourth += weight * off ** 4
      }
  }
  return { kurtosis: fourth / second ** 2, skewness: third / second ** 1.5, variance: second }
}

/**
 * The power to detect a rise of the citing share by 10 points from `rate`. The t statistic counts as normal, with its mean and variance for differences of
 * this skewness and kurtosis, to the first order in 1/N. Both runs are compared with one baseline, so their statistics share its noise, and the noise of the
 * change itself.
 */
export const powerOf = (plan: Plan): Power => {
  const { prompts, rate, repeats } = plan
  if (prompts < least.prompts) return { power_one_run: 0, power_told: 0 }
  const { kurtosis, skewness, variance } = momentsOf(plan)
  const root = Math.sqrt(prompts)
  const error = Math.sqrt(variance) / root
  const centre = lift / error
  const mean = centre * (1 + (3 * (kurtosis - 1)) / (8 * prompts)) - skewness / (2 * root)
  const spread = Math.sqrt(
    Math.max(0.1, 1 + (centre ** 2 * (kurtosis - 1)) / (4 * prompts) - (centre * skewness) / root)
  )
  const bound = (Math.max(criticalT(prompts - 1), least.change / error) - mean) / spread
  const noise = ((rate + lift) * (1 - rate - lift) * (1 - alike)) / repeats
  const correlation = Math.min(1, Math.max(0, 1 - noise / variance))
  return { power_one_run: normalProbability(-bound), power_told: bothAbove(bound, correlation) }
}
