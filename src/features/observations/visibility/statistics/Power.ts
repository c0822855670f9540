import { betaQuantile } from "../../../../foundation/statistics/Beta.ts"
import { bothAbove, normalProbability } from "../../../../foundation/statistics/Normal.ts"
import { criticalT } from "../../../../foundation/statistics/StudentT.ts"
import { least } from "./Comparison.ts"

/** The change for which power is computed. */
export const lift = 0.1

/** How alike answers to a prompt are: with this correlation prompts' shares are distributed as Beta(p, 1 − p). */
export const alike = 0.5

interface Plan {
  readonly prompts: number
  readonly repeats: number
  readonly rate: number
}

/** The chance that one run shows a change, and that the rule publishes it, which takes two. */
export interface Power {
  readonly power_one_run: number
  readonly power_told: number
}

const steps = 100

/** The chances of 0 to `repeats` hits of a prompt that hits with this chance. */
const binomial = (share: number, repeats: number): ReadonlyArray<number> => {
  let chances = [1]
  for (let n = 0; n < repeats; n++)
    chances = Array.from({ length: n + 2 }, (_, k) => (chances[k] ?? 0) * (1 - share) + (chances[k - 1] ?? 0) * share)
  return chances
}

/** Central moments of a prompt's difference between two runs: each prompt keeps its place among the others while the mean share rises by `lift`. */
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
 * The chance to notice that the share of answers which cite the site rises by 10 points from `rate`. The t statistic is taken as normal, with the mean and
 * the variance that it has for differences of this skewness and kurtosis, to the first order in 1/N. Both runs are compared with the same baseline, so
 * their statistics share its noise, and that of the change itself.
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
