import * as Effect from "effect/Effect"
import * as Day from "../../../foundation/schema/Day.ts"
import { eachBatch } from "./Batches.ts"
import type { Cell } from "./Cells.ts"
import { DaysRepo } from "./DaysRepo.ts"
import { type PageRow, PagesRepo } from "./PagesRepo.ts"
import { RecordsRepo, type Year } from "./RecordsRepo.ts"
import { rateAt } from "./statistics/Curve.ts"
import { fallen, type Weeks } from "./statistics/Decay.ts"
import { partsOf } from "./statistics/Parts.ts"
import { historyLength, splitAt, wholeWeeks, windowsAt, yearBefore } from "./Weeks.ts"

/** The site whose pages are compared, and what is known of it. */
interface Compared {
  readonly cells: ReadonlyArray<Cell>
  readonly devices: ReadonlyArray<string>
  readonly newest: Day.DayNumber
  readonly site: number
  /** Days on which pages are known, by device. */
  readonly weeksOf: (device: string) => ReadonlySet<number>
}

const sumsOf = (row: PageRow) => ({
  before: { clicks: row.before_clicks, impressions: row.before_impressions, top: row.before_top },
  now: { clicks: row.now_clicks, impressions: row.now_impressions, top: row.now_top }
})

/** What decay found on all devices together. */
export interface Decay {
  /** Pages that lost clicks, by their keys among those that were compared. */
  readonly fell: ReadonlyArray<{ readonly page: number; readonly q: number; readonly weeks: Weeks }>
  /** Weeks that are whole, by their distance from the newest one. */
  readonly known: ReadonlyArray<number>
  /** ln of the fall that the property has each year at this time, 0 without one. */
  readonly season: number
}

/** Finds the pages that lost clicks. */
export class Decays extends Effect.Service<Decays>()("rankings/opportunities/Decays", {
  dependencies: [DaysRepo.Default, PagesRepo.Default, RecordsRepo.Default],
  effect: Effect.gen(function* () {
    const days = yield* DaysRepo
    const pages = yield* PagesRepo
    const records = yield* RecordsRepo

    /** ln of what the property kept of its clicks between two windows. */
    const changeOf = Effect.fnUntraced(function* (site: number, { current, previous }: ReturnType<typeof windowsAt>) {
      const [{ clicks: before }, { clicks: after }] = [
        yield* days.clicks({ ...previous, site }),
        yield* days.clicks({ ...current, site })
      ]
      return before === null || after === null || before === 0 || after === 0
        ? null
        : { after, before, log: Math.log(after / before) }
    })

    /** The fall that the property has every year at this time: where it fell now and then, the smaller of both falls. */
    const seasonOf = Effect.fnUntraced(function* (site: number, newest: Day.DayNumber) {
      const [now, then] = [yield* changeOf(site, windowsAt(newest)), yield* changeOf(site, yearBefore(newest))]
      const log = now === null || then === null ? 0 : Math.min(0, Math.max(now.log, then.log))
      const year: Year =
        then === null ? null : { property_after: then.after, property_before: then.before, season: log < 0 }
      return { log, year }
    })

    const read = Effect.suspend(() => {
      const all: Array<PageRow> = []
      return Effect.as(
        eachBatch(pages.page, (rows) => Effect.sync(() => void all.push(...rows))),
        all
      )
    })

    /** Answers what the property did a year ago, and which pages fell on all devices together. */
    const collect = Effect.fnUntraced(function* ({ cells, devices, newest, site, weeksOf }: Compared) {
      const [end, start] = [Day.format(newest), Day.format(newest - historyLength + 1)]
      const scope = { days: { end, start }, devices, site }
      const { log, year } = yield* seasonOf(site, newest)
      yield* pages.collect(scope)
      const rows = Map.groupBy(yield* read, ({ device }) => device)
      const fell: Array<Decay["fell"][number]> = []
      for (const [device, own] of rows) {
        const known = wholeWeeks(weeksOf(device), newest)
        const curve = cells.find((cell) => cell.device === device && !cell.brand)?.curve
        const rate = (position: number) => (curve === undefined ? 0 : rateAt(curve, position))
        const byKey = new Map(own.map((row) => [row.key, row]))
        const losses = fallen(
          own.map((row) => [row.key, splitAt(row.weeks, known)] as const),
          log
        )
        yield* records.addFallen(
          losses.flatMap((loss) => {
            const row = byKey.get(loss.page)
            if (row === undefined) return []
            if (device === "") fell.push({ page: row.key, q: loss.q, weeks: splitAt(row.weeks, known) })
            const { before, now } = sumsOf(row)
            return [{ loss, parts: partsOf(before, now, rate) }]
          })
        )
      }
      yield* pages.yearAgo(scope, yearBefore(newest))
      const decay: Decay = { fell, known: wholeWeeks(weeksOf(""), newest), season: log }
      return { decay, year }
    })

    return { collect }
  })
}) {}
