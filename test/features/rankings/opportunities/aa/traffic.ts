import { changeOf, fallen, type Weeks } from "../../../../../src/features/rankings/opportunities/statistics/Decay.ts"
import {
  type Base,
  baseOf,
  isOver,
  leastClicks,
  levels,
  since
} from "../../../../../src/features/rankings/traffic/Traffic.ts"
import { Random } from "../../../experiments/simulations/Random.ts"
import type { World } from "./decay.ts"

const [daysOfWeek, weeksOfHistory] = [7, 16]
const site = -1

/** Clicks of a page by day; each week has its own factor, like shuffled weeks. */
const daysOf = (random: Random, variation: number, clicks: number, days: number) => {
  const moods = Array.from({ length: Math.ceil(days / daysOfWeek) }, () =>
    Math.exp(variation * random.normal() - variation ** 2 / 2)
  )
  return Array.from({ length: days }, (_, day) => random.poisson((clicks / 28) * (moods[Math.floor(day / 7)] ?? 1)))
}

/** Weeks counted back from a day, up to sixteen. */
const weeksUntil = (days: ReadonlyArray<number>, end: number): Weeks => {
  const count = Math.min(weeksOfHistory, Math.floor((end + 1) / daysOfWeek))
  const weeks = Array.from({ length: count }, (_, at) => {
    const last = end - (count - 1 - at) * daysOfWeek
    return days.slice(last - daysOfWeek + 1, last + 1).reduce((sum, day) => sum + day, 0)
  })
  return { before: weeks.slice(0, -4), now: weeks.slice(-4) }
}

const added = (pages: ReadonlyArray<ReadonlyArray<number>>) =>
  (pages[0] ?? []).map((_, day) => pages.reduce((sum, page) => sum + (page[day] ?? 0), 0))

/**
 * The share of imports that report a fall or its end where nothing has changed: the newest days of a site are imported every `every` days for a year, after
 * a history of the given number of weeks.
 */
export const reporting = ({ pages, variation, weeks }: World, every: number, runs: number, seed: number) => {
  const random = new Random(seed)
  let [imports, reports] = [0, 0]
  for (let run = 0; run < runs; run++) {
    const days = weeks * daysOfWeek + 365
    const own = Array.from({ length: pages }, () =>
      daysOf(random, variation, 100 * Math.exp(1.3 * random.normal()), days)
    )
    const whole = added(own)
    const falls = new Map<number, Base>()
    for (let end = weeks * daysOfWeek - 1; end < days; end += every) {
      const weeksOf = (page: number) => weeksUntil(page === site ? whole : (own[page] ?? []), end)
      let isReport = false
      for (const [page, base] of falls)
        if (isOver(since(base, weeksOf(page), 0), levels[page === site ? "site" : "page"].lasts)) {
          falls.delete(page)
          isReport = true
        }
      const ofWhole = weeksOf(site)
      const change = changeOf(ofWhole)
      const begun = fallen(own.map((_, page) => [page, weeksOf(page)] as const))
        .filter(({ q }) => q <= levels.page.begins)
        .map(({ page }) => page)
      if (change.theta < 0 && change.p <= levels.site.begins && change.before >= leastClicks) begun.push(site)
      for (const page of begun) {
        const found = changeOf(weeksOf(page))
        if (falls.has(page) || found.before < leastClicks) continue
        falls.set(page, baseOf(weeksOf(page), found))
        isReport = true
      }
      imports++
      if (isReport) reports++
    }
  }
  return reports / imports
}

/** The share of imports four weeks after a change that report a page of `clicks` in four weeks that keeps the share `change`, among other pages. */
export const found = (
  { pages, variation, weeks }: World,
  clicks: number,
  change: number,
  runs: number,
  seed: number
) => {
  const random = new Random(seed)
  let hits = 0
  for (let run = 0; run < runs; run++) {
    const days = (weeks + 4) * daysOfWeek
    const fell = daysOf(random, variation, clicks, days).map((day, at) =>
      at < weeks * daysOfWeek ? day : random.binomial(day, change)
    )
    const others = Array.from({ length: pages - 1 }, () =>
      daysOf(random, variation, 100 * Math.exp(1.3 * random.normal()), days)
    )
    const own = [fell, ...others].map((page, at) => [at, weeksUntil(page, days - 1)] as const)
    if (fallen(own).some(({ page, q }) => page === 0 && q <= levels.page.begins)) hits++
  }
  return hits / runs
}
