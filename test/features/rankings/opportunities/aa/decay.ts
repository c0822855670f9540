import { fallen, type Weeks } from "../../../../../src/features/rankings/opportunities/statistics/Decay.ts"
import { Random } from "../../../experiments/simulations/Random.ts"

/** A property: its pages, weeks of history, and how much a page's week varies beyond chance (a coefficient of variation). */
export interface World {
  readonly pages: number
  readonly weeks: number
  readonly variation: number
}

/** Clicks of a page by week; `change` is what becomes of the newest four. */
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

/** Clicks of pages over four weeks: most have few. */
const size = (random: Random) => 100 * Math.exp(1.3 * random.normal())

/** How often a list names anything when the weeks of each page are shuffled, so that none is special. */
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

/** How often a page of `clicks` in four weeks is found that keeps the share `change` of them, among the other pages. */
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
