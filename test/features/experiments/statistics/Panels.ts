import * as fc from "fast-check"
import type { Arm } from "../../../../src/features/experiments/statistics/ExperimentMetrics.ts"
import { analyse, PageMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"
import { armOf } from "../simulations/Panel.ts"

const period = (mostImpressions: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: mostImpressions }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([impressions, share]) => [impressions, Math.floor(impressions * share)] as const)

const page = (arm: Arm, mostImpressions: number) =>
  fc.tuple(period(mostImpressions), period(mostImpressions)).map(([before, after]) =>
    PageMetrics.make({
      arm,
      preImpressions: before[0],
      preConversions: before[1],
      postImpressions: after[0],
      postConversions: after[1]
    })
  )

/** Pages of both arms, each arm with impressions in both periods. */
export const panels = (fewest: number, most: number, mostImpressions = 5_000) =>
  fc
    .tuple(
      fc.array(page("control", mostImpressions), { minLength: fewest, maxLength: most }),
      fc.array(page("treatment", mostImpressions), { minLength: fewest, maxLength: most })
    )
    .map(([control, treatment]) => [...control, ...treatment])
    .filter((pages) =>
      (["control", "treatment"] as const).every((arm) => {
        const own = pages.filter((each) => each.arm === arm)
        return own.some(({ preImpressions }) => preImpressions > 0) && own.some((each) => each.postImpressions > 0)
      })
    )

/** The verdict on pages, with their sums as the arms' metrics. */
export const verdictOn = (pages: ReadonlyArray<PageMetrics>) =>
  analyse(armOf("control", pages), armOf("treatment", pages), pages)

/** Pages from rows of pre impressions, pre conversions, post impressions, post conversions. */
export const pagesOf = (arm: Arm, rows: ReadonlyArray<readonly [number, number, number, number]>) =>
  rows.map(([preImpressions, preConversions, postImpressions, postConversions]) =>
    PageMetrics.make({ arm, preImpressions, preConversions, postImpressions, postConversions })
  )
