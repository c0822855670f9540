import * as Either from "effect/Either"
import type { Steps } from "../../../../foundation/schema/Steps.ts"
import { criticalT } from "../../../../foundation/statistics/StudentT.ts"
import type { DesignPower } from "./DesignedAnalysis.ts"
import { type DesignFault, fewClicked, missingData } from "./DesignFault.ts"
import { unitOf } from "./Evaluate.ts"
import { pageFreedom, valueOf } from "./Judge.ts"
import type { Design, Panel } from "./Panel.ts"
import { neededDays, placebosOf, timeError } from "./Placebo.ts"
import { finite, liftOf, powerSentence } from "./Sentence.ts"
import { deciding, spread } from "./Spread.ts"
import { type Table, tableOf } from "./Table.ts"
import { median } from "./Weights.ts"
import { clicked, lacking, windowAt } from "./Window.ts"

/** The lengths of the window after the change that a design may have, in days. */
export const postDays = [14, 28, 42, 56, 84] as const

/** Half of the two-sided level whose t is exceeded with probability 0.2, so t₀.₈₀. */
const fourOfFive = 0.4

type Effect = DesignPower["effects"][number]

/** The effect that a design shows in four of five experiments, d = (t₀.₉₇₅ + t₀.₈₀) · s, with the verdict's rule, s_p being the root of the median of V over the placebos. */
const effectOf = function* (table: Table, design: Design, baseline: number): Steps<Effect> {
  const { post_days } = design
  const placebos = yield* placebosOf(table, design, design.metric)
  const page = spread(median(placebos.map(({ variance }) => variance)), pageFreedom(design))
  const time = timeError(placebos, design)
  const error = deciding(design.assigned, page, time, 0.05)
  if (time === null || error === undefined) {
    return { post_days, placebo_windows: 0, reason: "history_too_short", needed_days: neededDays(design) }
  }
  const { degrees_of_freedom: freedom, method, standard_error } = error
  const shown = (criticalT(freedom) + criticalT(freedom, fourOfFive)) * standard_error
  return {
    post_days,
    increase_percent: liftOf(shown),
    decrease_percent: -liftOf(-shown),
    absolute: finite(baseline * Math.expm1(shown)),
    method,
    placebo_windows: placebos.length
  }
}

/** The smallest effects that a design shows in four of five experiments, for each length after the change; `change` of the panel is the day after the newest final one. */
export const powering = function* (
  panel: Panel,
  design: Design,
  leastPages: number
): Steps<Either.Either<DesignPower, DesignFault>> {
  const table = yield* tableOf(panel, design)
  const window = windowAt(table, design, table.changeWeek)
  if (lacking(window, design) === "pre") return Either.left(missingData("pre", window, design))
  const few = fewClicked(clicked(window), leastPages)
  if (few !== undefined) return Either.left(few)
  const value = valueOf(design.metric, window, "pre")
  const effects: Array<Effect> = []
  for (const post_days of postDays) effects.push(yield* effectOf(table, { ...design, post_days }, value))
  const planned = effects.find(({ post_days }) => post_days === design.post_days)
  return Either.right({
    baseline: { value, unit: unitOf(design.metric) },
    effects,
    sentence: planned === undefined ? "" : powerSentence(design.metric, design.post_days, planned)
  })
}
