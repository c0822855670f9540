import { join } from "node:path"
import * as Option from "effect/Option"
import type { Design, Panel } from "../../../../src/features/experiments/statistics/design/Design.ts"
import { type Analysis, analyse, PageMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"
import * as Day from "../../../../src/foundation/schema/Day.ts"
import { armOf } from "../simulations/Panel.ts"
import { Random } from "../simulations/Random.ts"
import { isByPages, isSignificant, judge, metrics, Tally } from "./Verdicts.ts"

/** Published counts of units in groups, by week. */
interface Counts {
  readonly panel: Omit<Panel, "changeWeek" | "change">
  readonly groups: ReadonlyArray<string>
}

/** Reads `counts.csv` of a folder: a header, then date, unit, group, impressions, clicks; a date is a day, or the first day of a week. */
const read = async (folder: string): Promise<Counts> => {
  const [, ...lines] = (await Bun.file(join(folder, "counts.csv")).text()).trim().split(/\r?\n/)
  const rows = lines.map((line) => {
    const [date = "", unit = "", group = "", impressions, clicks] = line.split(",")
    const day = Option.getOrThrow(Day.parse(date))
    return { day, unit, group, impressions: Number(impressions), clicks: Number(clicks) }
  })
  const dates = new Set(rows.map(({ day }) => day))
  const firstDay = Math.min(...dates)
  const isWeekly = [...dates].every((day) => (day - firstDay) % 7 === 0)
  const weeks = Math.floor((Math.max(...dates) - firstDay + (isWeekly ? 7 : 1)) / 7)
  const groupOf = new Map(rows.map(({ group, unit }) => [unit, group]))
  const pages = [...groupOf.keys()]
  const place = new Map(pages.map((unit, page) => [unit, page]))
  const panel = {
    pages,
    weeks,
    clicks: new Float64Array(pages.length * weeks),
    impressions: new Float64Array(pages.length * weeks),
    days: new Uint8Array(weeks),
    firstDay
  }
  const weekOf = (day: number) => Math.floor((day - firstDay) / 7)
  for (const day of dates) panel.days[weekOf(day)] = (panel.days[weekOf(day)] ?? 0) + (isWeekly ? 7 : 1)
  for (const { clicks, day, impressions, unit } of rows) {
    if (weekOf(day) >= weeks) continue
    const at = (place.get(unit) ?? 0) * weeks + weekOf(day)
    panel.clicks[at] = (panel.clicks[at] ?? 0) + clicks
    panel.impressions[at] = (panel.impressions[at] ?? 0) + impressions
  }
  return { panel, groups: pages.map((unit) => groupOf.get(unit) ?? "") }
}

const trusted = { disableValidation: true } as const

/** The result of an evaluation by counts, with the pages of both groups. */
const byCounts = (panel: Panel, { control, post_days, pre_days, treatment }: Design): Analysis => {
  const sum = (counts: Float64Array, page: number, from: number, days: number) =>
    counts
      .subarray(page * panel.weeks + from, page * panel.weeks + from + days / 7)
      .reduce((total, count) => total + count, 0)
  const { changeWeek } = panel
  const before = changeWeek - pre_days / 7
  const pageOf = (arm: "control" | "treatment") => (page: number) =>
    PageMetrics.make(
      {
        arm,
        preImpressions: sum(panel.impressions, page, before, pre_days),
        postImpressions: sum(panel.impressions, page, changeWeek, post_days),
        preConversions: sum(panel.clicks, page, before, pre_days),
        postConversions: sum(panel.clicks, page, changeWeek, post_days)
      },
      trusted
    )
  const pages = [...control.map(pageOf("control")), ...treatment.map(pageOf("treatment"))]
  return analyse(armOf("control", pages), armOf("treatment", pages), pages)
}

/** Minimum weeks of history of each comparison, and random splits for each date. */
const [history, splits] = [52, 5]

/** Compares random halves, and each group with the rest, at every week of an unchanged real panel, and prints the share of significant results. */
export const realPanel = async (folder: string): Promise<void> => {
  const { groups, panel } = await read(folder)
  const random = new Random(1)
  const tally = new Tally()
  const lengths = { pre_days: 28, settle_days: 0, post_days: 28 }
  const all = panel.pages.map((_, page) => page)
  let dates = 0
  for (let changeWeek = history; changeWeek + 4 <= panel.weeks; changeWeek++) {
    dates += 1
    const at = { ...panel, changeWeek, change: panel.firstDay + 7 * changeWeek }
    const compare = (name: string, treatment: ReadonlyArray<number>, assigned: boolean) => {
      const isTreated = new Set(treatment)
      const design = { ...lengths, assigned, treatment, control: all.filter((page) => !isTreated.has(page)) }
      tally.add(`${name} by counts ctr`, byCounts(at, { ...design, metric: "ctr" }).isSignificant)
      for (const metric of metrics) {
        const verdict = judge(at, { ...design, metric }, metric)
        tally.add(`${name} by pages ${metric}`, verdict && isByPages(verdict))
        tally.add(`${name} by the rule ${metric}`, verdict && isSignificant(verdict))
      }
    }
    for (let split = 0; split < splits; split++) {
      const drawn = all.map((page) => ({ page, at: random.uniform() })).toSorted((a, b) => a.at - b.at)
      compare(
        "random halves",
        drawn.slice(0, all.length >> 1).map(({ page }) => page),
        true
      )
    }
    for (const group of new Set(groups))
      compare(
        "a group, the rest",
        all.filter((page) => groups[page] === group),
        false
      )
  }
  console.log(
    `${panel.pages.length} units in ${new Set(groups).size} groups, ${panel.weeks} weeks; ${dates} dates, 4 weeks before each against 4 after; nothing was changed\n`
  )
  const percent = (name: string) => `${(100 * tally.share(name)).toFixed(1)} %`.padStart(9)
  console.log("called significant     evaluation by counts, pages   jackknife over pages      the rule")
  console.log("                                               ctr     clicks        ctr    clicks        ctr")
  for (const name of ["random halves", "a group, the rest"])
    console.log(
      `${name.padEnd(20)} ${percent(`${name} by counts ctr`).padStart(29)} ${percent(`${name} by pages clicks`)}  ${percent(`${name} by pages ctr`)} ${percent(`${name} by the rule clicks`)}  ${percent(`${name} by the rule ctr`)}`
    )
}
