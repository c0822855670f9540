import { fallen, type Weeks } from "../../../../../src/features/rankings/opportunities/statistics/Decay.ts"
import { Random } from "../../../experiments/simulations/Random.ts"

/** A property: its pages, weeks of history, and the variation of a page's week beyond chance (a coefficient of variation). */
export interface World {
  readonly pages: number
  readonly weeks: number
  readonly variation: number
}

/** Clicks of a page by week; `change` transforms the latest four. */
const weeksOf = (random: Random, { variation, weeks }: World, clicks: number, change: number): ReadonlyArray<number> =>
  Array.from({ length: weeks }, (_, week) => {
    const mood = Math.exp(variation * random.normal() - variation ** 2 / 2)
    return random.poisson((clicks / 4) * mood * (week < weeks - 4 ? 1 : change))
  })

const split = (weeks: ReadonlyArray<number>): Weeks => ({ before: weeks.slice(0, -4).slice(-12), now: weeks.slice(-4) })

const shuffled = (random: Random, weeks: ReadonlyArray<number>) =>
  weeks
    .map((week) => [random.normal(), week] as const)
    .sort(([a], [b]) => a - b)
    .map(([, week]) => week)

/** Clicks of pages over four weeks, few for most pages. */
const size = (random: Random) => 100 * Math.exp(1.3 * random.normal())

/** The share of lists that name anything when the weeks of each page are shuffled, so that none is special. */
export const named = (world: World, runs: number, seed: number) => {
  const random = new Random(seed)
  let naming = 0
  for (let run = 0; run < runs; run++) {
    const pages = Array.from({ length: world.pages }, (_, page) => {
      const weeks = weeksOf(random, world, size(random), 1)
      return [page, split(shuffled(random, weeks))] as const
    })
    if (fallen(pages).length > 0) naming++
  }
  return naming / runs
}

/** The share of cases in which a page of `clicks` in four weeks that keeps the share `change` of them is found among other pages. */
export const found = (world: World, clicks: number, change: number, runs: number, seed: number) => {
  const random = new Random(seed)
  let hits = 0
  for (let run = 0; run < runs; run++) {
    const others = Array.from(
      { length: world.pages - 1 },
      (_, at) => [at + 1, split(weeksOf(random, world, size(random), 1))] as const
    )
    const pages = [[0, split(weeksOf(random, world, clicks, change))] as const, ...others]
    if (fallen(pages).some(({ page }) => page === 0)) hits++
  }
  return hits / runs
}
