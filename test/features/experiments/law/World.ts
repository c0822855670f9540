import type { Panel } from "../../../../src/features/experiments/statistics/design/Design.ts"
import type { Random } from "../simulations/Random.ts"

/** A site with known truth: pages in folders, and shocks shared by a folder's pages. */
export interface World {
  readonly pages: number
  /** Weeks before the change, and from the change on. */
  readonly history: number
  readonly after: number
  /** Standard deviation of a folder's shocks, of ln impressions; half of it for ln CTR. */
  readonly folderShocks: number
}

/** A drawn site, with the days from the change on, so that a change can be applied. */
export interface Site {
  readonly panel: Panel
  readonly folder: Uint8Array
  /** Impressions, clicks and click-through rate of page `p` on day `d` from the change on, at `p · days + d`. */
  readonly days: number
  readonly seen: Float64Array
  readonly clicked: Float64Array
  readonly rate: Float64Array
}

const folders = 10
/** Pages: clicks a day log-normal with this σ and median; this share of them almost empty. */
const [skew, medianClicks, nearlyEmpty] = [1.5, 5, 0.2]
/** Click-through rates: beta with this mean and intraclass correlation, between these limits. */
const [rate, correlation, leastRate, mostRate] = [0.04, 0.01, 0.003, 0.5]
/** A page's own time series: correlation from day to day, and standard deviation of ln impressions and of ln CTR. */
const [memory, ofTraffic, ofRate] = [0.97, 0.3, 0.15]
/** The site: steps of its random walk in ln impressions and in ln CTR, season, and the approximate number of sudden steps. */
const [walk, rateWalk, season, leap, leaps] = [0.01, 0.004, 0.15, 0.15, 2]
const ofWeekday = [1.1, 1.12, 1.1, 1.05, 0.95, 0.8, 0.88] as const
/** Weekdays of a page, and the shape of the gamma distribution of its impressions from day to day. */
const [weekdays, dispersion] = [0.08, 5]

const medianOf = (values: Float64Array): number => {
  const sorted = values.toSorted()
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2
}

/** Days of an autoregression that is stationary from the first day on, as factors e^x. */
const course = (random: Random, days: number, spread: number): Float64Array => {
  const factors = new Float64Array(days).fill(1)
  if (spread === 0) return factors
  const innovation = spread * Math.sqrt(1 - memory * memory)
  let x = spread * random.normal()
  for (let day = 0; day < days; day++) {
    if (day > 0) x = memory * x + innovation * random.normal()
    factors[day] = Math.exp(x)
  }
  return factors
}

/** Effects shared by all pages of the site: weekday, season, a random walk with sudden steps, and a walk of the click-through rate. */
const weather = (random: Random, days: number) => {
  const steps = new Float64Array(days)
  const sudden = random.poisson(leaps)
  for (let step = 0; step < sudden; step++) {
    const from = Math.floor(random.uniform() * days)
    steps[from] = (steps[from] ?? 0) + leap * random.normal()
  }
  const phase = random.uniform()
  const traffic = new Float64Array(days)
  const rates = new Float64Array(days)
  let [level, ofRates] = [0, 0]
  for (let day = 0; day < days; day++) {
    level += walk * random.normal() + (steps[day] ?? 0)
    ofRates += rateWalk * random.normal()
    traffic[day] = (ofWeekday[day % 7] ?? 1) * Math.exp(level + season * Math.sin(2 * Math.PI * (day / 365 + phase)))
    rates[day] = Math.exp(ofRates - (ofRate * ofRate) / 2)
  }
  return { traffic, rates }
}

/** Approximate clicks a day of each page. */
const sizes = (random: Random, pages: number): Float64Array => {
  const raw = Float64Array.from({ length: pages }, () => Math.exp(skew * random.normal()))
  const scale = medianClicks / medianOf(raw)
  return raw.map((size) =>
    random.uniform() < nearlyEmpty ? 0.03 * medianClicks * random.uniform() * 2 + 1e-3 : size * scale
  )
}

/** Draws an unchanged site. */
export const drawSite = (random: Random, { after, folderShocks, history, pages }: World): Site => {
  const weeks = history + after
  const all = 7 * weeks
  const days = 7 * after
  const site = weather(random, all)
  const ofFolders = Array.from({ length: folders }, () => ({
    traffic: course(random, all, folderShocks),
    rates: course(random, all, folderShocks / 2)
  }))
  const clicks = new Float64Array(pages * weeks)
  const impressions = new Float64Array(pages * weeks)
  const drawn = {
    folder: Uint8Array.from({ length: pages }, () => Math.floor(random.uniform() * folders)),
    days,
    seen: new Float64Array(pages * days),
    clicked: new Float64Array(pages * days),
    rate: new Float64Array(pages * days)
  }
  const spread = 1 / correlation - 1
  for (const [page, size] of sizes(random, pages).entries()) {
    const own = Math.min(mostRate, Math.max(leastRate, random.beta(rate * spread, (1 - rate) * spread)))
    const weekday = ofWeekday.map(() => Math.exp(weekdays * random.normal()))
    const [traffic, rates] = [course(random, all, ofTraffic), course(random, all, ofRate)]
    const shared = ofFolders[drawn.folder[page] ?? 0]
    for (let day = 0; day < all; day++) {
      const expected =
        (size / own) *
        (weekday[day % 7] ?? 1) *
        (site.traffic[day] ?? 1) *
        (traffic[day] ?? 1) *
        (shared?.traffic[day] ?? 1)
      const seen = random.poisson((expected * random.gamma(dispersion)) / dispersion)
      const today = Math.min(0.9, own * (site.rates[day] ?? 1) * (rates[day] ?? 1) * (shared?.rates[day] ?? 1))
      const clicked = random.binomial(seen, today)
      const at = page * weeks + Math.floor(day / 7)
      impressions[at] = (impressions[at] ?? 0) + seen
      clicks[at] = (clicks[at] ?? 0) + clicked
      const since = day - 7 * history
      if (since < 0) continue
      drawn.seen[page * days + since] = seen
      drawn.clicked[page * days + since] = clicked
      drawn.rate[page * days + since] = today
    }
  }
  const change = 20_000
  const panel: Panel = {
    pages: Array.from({ length: pages }, (_, page) => `/f${drawn.folder[page]}/${page}`),
    weeks,
    clicks,
    impressions,
    days: new Uint8Array(weeks).fill(7),
    changeWeek: history,
    change,
    firstDay: change - 7 * history
  }
  return { ...drawn, panel }
}

/** The same site with the click-through rate of some pages multiplied by 1 + `effect`. */
export const changed = (random: Random, site: Site, treated: ReadonlyArray<number>, effect: number): Panel => {
  const { days, panel } = site
  const clicks = Float64Array.from(panel.clicks)
  for (const page of treated)
    for (let day = 0; day < days; day++) {
      const at = page * days + day
      const [seen, clicked, rate] = [site.seen[at] ?? 0, site.clicked[at] ?? 0, site.rate[at] ?? 0]
      const better = Math.min(0.95, rate * (1 + effect))
      const week = page * panel.weeks + panel.changeWeek + Math.floor(day / 7)
      clicks[week] = (clicks[week] ?? 0) + random.binomial(seen - clicked, (better - rate) / (1 - rate))
    }
  return { ...panel, clicks }
}
