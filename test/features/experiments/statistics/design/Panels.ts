import * as fc from "fast-check"
import type { Design, Panel } from "../../../../../src/features/experiments/statistics/design/Design.ts"

/** Clicks of a page, week by week. */
export type Weeks = ReadonlyArray<number>

interface Experiment {
  readonly panel: Panel
  readonly design: Design
}

/** Windows of four weeks without settling, with assigned pages: the design of most tests. */
const usual = { metric: "clicks", pre_days: 28, settle_days: 0, post_days: 28, assigned: true } as const

/** An experiment on pages of both groups with twenty impressions per click; the change is at the beginning of week `changeWeek`, and every day is imported. */
export const experiment = (
  treatment: ReadonlyArray<Weeks>,
  control: ReadonlyArray<Weeks>,
  changeWeek: number,
  changes: Partial<Design> = {}
): Experiment => {
  const pages = [...treatment, ...control]
  const weeks = pages[0]?.length ?? 0
  const change = 20_000
  return {
    panel: {
      pages: [...treatment.map((_, page) => `/t/${page}`), ...control.map((_, page) => `/c/${page}`)],
      weeks,
      clicks: Float64Array.from(pages.flat()),
      impressions: Float64Array.from(pages.flat(), (clicks) => 20 * clicks),
      days: new Uint8Array(weeks).fill(7),
      changeWeek,
      change,
      firstDay: change - 7 * changeWeek
    },
    design: {
      ...usual,
      treatment: treatment.map((_, page) => page),
      control: control.map((_, page) => treatment.length + page),
      ...changes
    }
  }
}

/** Equal clicks in each week before the change, and in each after it. */
export const steady = (before: number, after: number, history = 4, weeks = 4): Weeks => [
  ...new Array<number>(history).fill(before),
  ...new Array<number>(weeks).fill(after)
]

const page = (weeks: number) => fc.array(fc.integer({ min: 1, max: 400 }), { minLength: weeks, maxLength: weeks })

/** Experiments with 2 to 8 pages per group, 8 to 20 weeks before the change and 4 after it. */
export const experiments = (changes: Partial<Design> = {}) =>
  fc.integer({ min: 8, max: 20 }).chain((history) => {
    const arm = fc.array(page(history + 4), { minLength: 2, maxLength: 8 })
    return fc.tuple(arm, arm).map(([treatment, control]) => experiment(treatment, control, history, changes))
  })

/** The panel with changed counts: `of` receives a count, its page and its week. */
export const withClicks = (panel: Panel, of: (clicks: number, page: number, week: number) => number): Panel => ({
  ...panel,
  clicks: panel.clicks.map((clicks, at) => of(clicks, Math.floor(at / panel.weeks), at % panel.weeks))
})
