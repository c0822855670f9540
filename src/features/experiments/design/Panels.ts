import * as Effect from "effect/Effect"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { PageTotals } from "../../rankings/totals/PageTotals.ts"
import type { TotalsDay } from "../../rankings/totals/PageTotalsRepo.ts"
import type { Design, Panel } from "../statistics/design/Design.ts"
import type { FrozenPages, StoredDesign } from "./Design.ts"

/** Weeks of history beyond the design's own that are read: 52 placebo windows count, and as many may be skipped for their gaps. */
const history = 104

/** What a panel is read for. */
interface Asked {
  readonly site: { readonly number: number; readonly first: Day.DayNumber; readonly newest: Day.DayNumber }
  readonly design: StoredDesign
  readonly pages: FrozenPages
  /** The first day with the change, or that of a pretended one. */
  readonly change: Day.DayNumber
  readonly assigned: boolean
}

/** A panel, the design whose arms are indices of its pages, and the days that it rests on. */
export interface Data {
  readonly panel: Panel
  readonly design: Design
  readonly days: ReadonlyArray<TotalsDay>
}

/** Imported days of each week. */
const countedBy = (weeks: number, first: Day.DayNumber, days: ReadonlyArray<TotalsDay>) => {
  const counts = new Uint8Array(weeks)
  for (const { day } of days) {
    const week = Math.floor((Day.of(day) - first) / 7)
    counts[week] = (counts[week] ?? 0) + 1
  }
  return counts
}

/** The stored page totals of a design as the statistics take them. */
export class Panels extends Effect.Service<Panels>()("experiments/design/Panels", {
  dependencies: [PageTotals.Default],
  effect: Effect.gen(function* () {
    const totals = yield* PageTotals

    /** Reads the weeks around a change, on final days only, in one statement. */
    const read = Traced.fn("Panels.read")(function* ({ assigned, change, design, pages, site }: Asked) {
      const { metric, post_days, pre_days, settle_days } = design
      const whole = Math.floor((change - site.first) / 7)
      const before = Math.max(pre_days / 7, Math.min(whole, history + (pre_days + settle_days + post_days) / 7))
      const after = (settle_days + post_days) / 7
      const weeks = before + after
      const first = change - 7 * before
      const span = { first, last: Math.min(site.newest, change + 7 * after - 1) }
      const paths = [...pages.treatment, ...pages.control]
      const { clicks, days, impressions } = yield* totals.weekly(site.number, paths, weeks, span)
      const treated = pages.treatment.length
      return {
        days,
        design: {
          assigned,
          control: pages.control.map((_, index) => treated + index),
          metric,
          post_days,
          pre_days,
          settle_days,
          treatment: pages.treatment.map((_, index) => index)
        },
        panel: {
          change,
          changeWeek: before,
          clicks,
          days: countedBy(weeks, first, days),
          firstDay: site.first,
          impressions,
          pages: paths,
          weeks
        }
      } satisfies Data
    })

    return { read }
  })
}) {}
