import { seededRandom } from "../../../../src/features/experiments/statistics/PageTest.ts"
import {
  change,
  type OfPrompt,
  powerOf,
  rateOf,
  signOf,
  verdict
} from "../../../../src/features/visibility/Statistics.ts"
import { betaQuantile } from "../../../../src/foundation/statistics/Distributions.ts"

/** A plan of runs, and their world: answers to one prompt have this correlation. */
export interface World {
  readonly alike: number
  readonly prompts: number
  readonly rate: number
  readonly repeats: number
}

/** Counts in it, as shares of the rounds. */
export interface Row extends World {
  /** Nothing changed, and the second of two runs is published as a change. */
  readonly falselyTold: number
  /** Nothing changed, for every run of a chain against its baseline. */
  readonly falselyToldInChain: number
  /** 95 % intervals that contain the mean of all possible prompts. */
  readonly covered: number
  /** After a rise by ten points: one run detects it, and the rule publishes it. */
  readonly shown: number
  readonly told: number
  /** The result of `power`. */
  readonly power: ReturnType<typeof powerOf>
}

/** Number of computed quantiles of a distribution; a draw takes the nearest. */
const places = 4000

/** Runs after the baseline in a chain. */
export const chain = 12

const lift = 0.1

/** Quantiles of the prompts' shares: Beta with this mean and correlation. */
const sharesOf = (mean: number, alike: number): Float64Array => {
  const both = 1 / alike - 1
  return Float64Array.from({ length: places }, (_, at) =>
    betaQuantile((at + 0.5) / places, mean * both, (1 - mean) * both)
  )
}

/** Simulates rounds in a world. Each draws prompts, which are the same in its runs. */
export const simulate = (world: World, rounds: number, seed: number): Row => {
  const { alike, prompts, rate, repeats } = world
  const next = seededRandom(seed)
  const [before, after] = [sharesOf(rate, alike), sharesOf(rate + lift, alike)]
  const run = (shares: Float64Array, chosen: ReadonlyArray<number>): ReadonlyArray<OfPrompt> =>
    chosen.map((place) => {
      const share = shares[place] ?? 0
      let hits = 0
      for (let n = 0; n < repeats; n++) if (next() < share) hits++
      return { answers: repeats, hits }
    })
  const sign = (earlier: ReadonlyArray<OfPrompt>, later: ReadonlyArray<OfPrompt>) =>
    signOf(change(later.map((prompt, at) => ({ after: prompt, before: earlier[at] ?? prompt }))))

  let [covered, falsely, inChain, shown, told] = [0, 0, 0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    const chosen = Array.from({ length: prompts }, () => Math.floor(next() * places))
    let baseline = run(before, chosen)
    const [low = 0, high = 0] = rateOf(baseline, repeats)?.interval ?? []
    if (low <= rate && rate <= high) covered++
    const risen = sign(baseline, run(after, chosen))
    if (risen === 1) shown++
    if (verdict(risen, sign(baseline, run(after, chosen))).isPublished && risen === 1) told++
    let pending: number | null = null
    for (let n = 0; n < chain; n++) {
      const later = run(before, chosen)
      const found = verdict(pending, sign(baseline, later))
      pending = found.pending
      if (!found.isPublished) continue
      inChain++
      if (n === 1) falsely++
      baseline = later
    }
  }
  return {
    ...world,
    covered: covered / rounds,
    falselyTold: falsely / rounds,
    falselyToldInChain: inChain / rounds / chain,
    power: powerOf({ prompts, rate, repeats }),
    shown: shown / rounds,
    told: told / rounds
  }
}

/** The broken laws of a row: false alarms, say, that exceed the limit by more than two standard errors. Powers hold for the correlation they are computed with. */
export const broken = (
  { alike, covered, falselyTold, falselyToldInChain, power, shown, told }: Row,
  rounds: number
): ReadonlyArray<string> => [
  ...(falselyTold > 0.01 + 2 * Math.sqrt((0.01 * 0.99) / rounds) || falselyToldInChain > 0.01 ? ["false alarms"] : []),
  ...(covered < 0.88 || covered > 0.97 ? ["coverage"] : []),
  ...(alike === 0.5 && Math.abs(power.power_one_run - shown) > 0.05 ? ["power_one_run"] : []),
  ...(alike === 0.5 && Math.abs(power.power_told - told) > 0.05 ? ["power_told"] : [])
]
