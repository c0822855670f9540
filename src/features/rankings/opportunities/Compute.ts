import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { batch, eachBatch } from "./Batches.ts"
import * as Cells from "./Cells.ts"
import { DaysRepo } from "./DaysRepo.ts"
import { Decays } from "./Decays.ts"
import { type Found, RecordsRepo } from "./RecordsRepo.ts"
import { RivalsRepo } from "./RivalsRepo.ts"
import { type CellRow, SumsRepo } from "./SumsRepo.ts"
import { type Interval, pointsOf } from "./statistics/BetaInterval.ts"
import { type Lack, tooFew } from "./statistics/LowCtr.ts"
import { spreadAbout } from "./statistics/Spread.ts"
import { gainAtTarget, target } from "./statistics/StrikingDistance.ts"
import { historyLength, reasonAgainst, windowLength, windowsAt } from "./Weeks.ts"

/** A generation that is being computed. */
interface Draft {
  readonly generation: string
  /** What facts know the site by. */
  readonly site: number
  /** The newest day of queries. */
  readonly newestDay: string
}

/** The name of all devices, and the devices that lists are made for. */
const devices = ["", "DESKTOP", "MOBILE", "TABLET"] as const

const lackedBy = (lists: "any" | "own", { clicksHigh, clicksLow, p, q, row }: Lack): Found => ({
  clicksHigh,
  clicksLow,
  evidence: { expected_ctr: row.rate, expected_clicks: row.impressions * row.rate, p_value: p, q_value: q },
  key: row.key,
  kind: "low_ctr",
  lists
})

const reaching = (row: typeof CellRow.Type, rate: Interval | undefined): ReadonlyArray<Found> => {
  const gain = rate === undefined ? undefined : gainAtTarget(row, rate)
  const evidence = { target_ctr: rate, target_position: target }
  return gain === undefined ? [] : [{ ...gain, evidence, key: row.key, kind: "striking_distance", lists: "both" }]
}

/** Computes what a generation's search data say to do, inside the transaction that makes the generation. */
export class Compute extends Effect.Service<Compute>()("rankings/opportunities/Compute", {
  dependencies: [DaysRepo.Default, Decays.Default, RecordsRepo.Default, RivalsRepo.Default, SumsRepo.Default],
  effect: Effect.gen(function* () {
    const daysRepo = yield* DaysRepo
    const decays = yield* Decays
    const records = yield* RecordsRepo
    const rivals = yield* RivalsRepo
    const sums = yield* SumsRepo

    const add = (found: ReadonlyArray<Found>) =>
      Effect.forEach(Arr.chunksOf(found, batch), records.add, { discard: true })

    /** Stores the curves, and answers the interval of the third place for each cell that has one. */
    const curves = Effect.fnUntraced(function* (generation: string, cells: ReadonlyArray<Cells.Cell>) {
      const thirds = new Map<string, Interval>()
      for (const { brand, compared, curve, device } of cells) {
        const points = pointsOf(curve, spreadAbout(compared))
        yield* records.storeCurve(generation, device, brand, points)
        const third = points.find(({ position }) => position === target)
        if (third !== undefined) thirds.set(Cells.nameOf({ brand, device }), third.interval)
      }
      return thirds
    })

    const ofQueries = Effect.fnUntraced(function* (generation: string) {
      const cells = Cells.cellsOf(yield* sums.bins)
      yield* eachBatch(sums.page, (rows) => Cells.inSteps(rows, (row) => Cells.addTo(cells, row)))
      const thirds = yield* curves(generation, cells)
      yield* eachBatch(sums.page, (rows) => add(rows.flatMap((row) => reaching(row, thirds.get(Cells.nameOf(row))))))
      for (const device of devices)
        for (const { lists, tested, tests } of yield* Cells.testsOf(cells.filter((cell) => cell.device === device)))
          yield* add(tooFew(tested, tests).map((lack) => lackedBy(lists, lack)))
      return cells
    })

    /** Answers what decay found; null where it is not assessed. */
    const run = Traced.fn("Opportunities.compute")(function* ({ generation, newestDay, site }: Draft) {
      const newest = Day.of(newestDay)
      const known = yield* daysRepo.known({ end: newestDay, site, start: Day.format(newest - historyLength + 1) })
      const daysOf = (level: "pages" | "queries", device: string) =>
        new Set(known.filter((day) => day.level === level && (device === "" || day.by_device)).map(({ day }) => day))
      const against = (level: "pages" | "queries", device: string, needed: number) =>
        reasonAgainst(daysOf(level, device), newest, needed)
      const current = devices.filter((device) => against("queries", device, windowLength) === null)
      const both = devices.filter((device) => against("pages", device, 2 * windowLength) === null)
      const windows = windowsAt(newest)
      const { terms } = yield* daysRepo.brand({ site })
      const scope = { days: windows.current, devices: current, site }
      yield* records.open
      yield* sums.collect(scope, terms)
      const cells = yield* ofQueries(generation)
      yield* rivals.collect(scope)
      const weeksOf = (device: string) => daysOf("pages", device)
      const { decay, year } = yield* decays.collect({ cells, devices: both, newest, site, weeksOf })
      yield* records.store(generation, site, year)
      const not_assessed = devices.map((device) => ({
        decay: against("pages", device, 2 * windowLength),
        device,
        queries: against("queries", device, windowLength)
      }))
      yield* records.describe({ brand: terms, generation, summary: JSON.stringify({ not_assessed, windows }) })
      return both.includes("") ? decay : null
    })

    return { run }
  })
}) {}
