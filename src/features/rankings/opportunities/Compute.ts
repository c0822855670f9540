import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Day from "../../../foundation/schema/Day.ts"
import { each, unhurried } from "../../../foundation/schema/Steps.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import {
  type CellBin,
  type CellRow,
  type Found,
  FoundRepo,
  type PageRow,
  PagesRepo,
  QueriesRepo,
  type Year
} from "./Rows.ts"
import { type Curve, curveOf, fit, rateAt } from "./statistics/Curve.ts"
import { fewerThanBefore, partsOf, type Weeks } from "./statistics/Decay.ts"
import {
  assess,
  type Compared as ComparedRates,
  cautiousSpread,
  compare,
  fewer,
  gainAtTarget,
  type Interval,
  type Lack,
  limited,
  pointsOf,
  spreadAbout,
  type Tested,
  target
} from "./statistics/LowCtr.ts"
import {
  DaysRepo,
  historyLength,
  reasonAgainst,
  splitAt,
  wholeWeeks,
  windowLength,
  windowsAt,
  yearBefore
} from "./Weeks.ts"

/** Rows that are read or written at a time. */
export const batch = 2000

/** Works in batches on all rows of a table with the keys 1, 2, 3, … */
const eachBatch = Effect.fnUntraced(function* <A>(
  page: (of: { readonly after: number; readonly count: number }) => Effect.Effect<ReadonlyArray<A>>,
  work: (rows: ReadonlyArray<A>) => Effect.Effect<void>
) {
  for (let after = 0; ; after += batch) {
    const rows = yield* page({ after, count: batch })
    yield* work(rows)
    if (rows.length < batch) return
  }
})

/** The queries of one device, with or without the brand. */
interface Cell {
  readonly device: string
  readonly brand: boolean
  readonly curve: Curve
  /** The rows with enough impressions and expected clicks. */
  readonly compared: Array<ComparedRates>
}

/** A unique name of a cell. */
const nameOf = ({ brand, device }: Pick<Cell, "brand" | "device">): string => `${device} ${brand}`

/** The cost of comparing or testing a row, in characters. */
const cost = 200

/** Works on all rows in steps, so no request waits for all of them. */
const inSteps = <A>(rows: ReadonlyArray<A>, work: (row: A) => void): Effect.Effect<void> =>
  unhurried(
    each(rows, (row) => {
      work(row)
      return cost
    })
  )

/** The cells of bins. Cells of all devices are first, because others may take their law. */
const cellsOf = (bins: ReadonlyArray<CellBin>): ReadonlyArray<Cell> => {
  const named = Map.groupBy(bins, nameOf)
  return [...named.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const { brand, device } = first
    const curve = device === "" ? curveOf(own) : curveOf(own, fit(named.get(nameOf({ brand, device: "" })) ?? []))
    return [{ brand, compared: [], curve, device }]
  })
}

/** Adds a row to its cells if it may be assessed. */
const addTo = (cells: ReadonlyArray<Cell>, row: CellRow): void => {
  const cell = cells.find(({ brand, device }) => brand === row.brand && device === row.device)
  const compared = cell === undefined ? undefined : compare(cell.curve, row)
  if (compared !== undefined) cell?.compared.push(compared)
}

/** The tests of one device: tested rows, and the number of compared rows, for all its rows and for each half. */
const testsOf = (cells: ReadonlyArray<Cell>) =>
  Effect.gen(function* () {
    const all = cells.flatMap(({ compared }) => compared)
    const halves: Array<{ readonly lists: "own"; readonly tested: Array<Tested>; readonly tests: number }> = []
    for (const { compared } of cells) {
      const spread = cautiousSpread(compared, all)
      const tested: Array<Tested> = []
      yield* inSteps(compared, (row) => {
        const one = assess(row, spread)
        if (one !== undefined) tested.push(one)
      })
      halves.push({ lists: "own", tested, tests: compared.length })
    }
    const both = {
      lists: "any" as const,
      tested: halves.flatMap(({ tested }) => tested),
      tests: halves.reduce((sum, { tests }) => sum + tests, 0)
    }
    return [both, ...halves]
  })

/** The compared site, with its cells, devices and known days. */
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

/** The results of decay on all devices together. */
export interface Decay {
  /** Pages that lost clicks, by their keys among the compared pages. */
  readonly fell: ReadonlyArray<{ readonly page: number; readonly q: number; readonly weeks: Weeks }>
  /** Whole weeks, by their distance from the newest week. */
  readonly known: ReadonlyArray<number>
  /** ln of the property's yearly drop at this time; 0 without a drop. */
  readonly season: number
}

/** Finds the pages that lost clicks. */
export class Decays extends Effect.Service<Decays>()("rankings/opportunities/Decays", {
  dependencies: [DaysRepo.Default, PagesRepo.Default, FoundRepo.Default],
  effect: Effect.gen(function* () {
    const days = yield* DaysRepo
    const pages = yield* PagesRepo
    const records = yield* FoundRepo

    /** ln of the share of clicks that the property kept between two windows. */
    const changeOf = Effect.fnUntraced(function* (site: number, { current, previous }: ReturnType<typeof windowsAt>) {
      const [{ clicks: before }, { clicks: after }] = [
        yield* days.clicks({ ...previous, site }),
        yield* days.clicks({ ...current, site })
      ]
      return before === null || after === null || before === 0 || after === 0
        ? null
        : { after, before, log: Math.log(after / before) }
    })

    /** The property's yearly drop at this time: the smaller of this year's and last year's drop, if both years have one. */
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

    /** Returns the pages that fell on all devices together. */
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
        const losses = limited(
          fewerThanBefore(
            own.map((row) => [row.key, splitAt(row.weeks, known)] as const),
            log
          )
        )
        yield* records.addFallen(
          { ...scope, devices: [device] },
          yearBefore(newest),
          year,
          losses.flatMap((loss) => {
            const row = byKey.get(loss.page)
            if (row === undefined) return []
            if (device === "" && loss.isSignificant)
              fell.push({ page: row.key, q: loss.q, weeks: splitAt(row.weeks, known) })
            const { before, now } = sumsOf(row)
            return [{ loss, parts: partsOf(before, now, rate) }]
          })
        )
      }
      return { fell, known: wholeWeeks(weeksOf(""), newest), season: log } satisfies Decay
    })

    return { collect }
  })
}) {}

/** A generation for the computation of opportunities. */
interface Published {
  readonly generation: string
  /** The site's number in facts. */
  readonly site: number
  /** The newest day of queries. */
  readonly newestDay: string
}

/** The name of all devices together, and the devices with lists. */
const devices = ["", "DESKTOP", "MOBILE", "TABLET"] as const

const lackedBy = (lists: "any" | "own", { clicksHigh, clicksLow, isSignificant, p, q, row }: Lack): Found => ({
  clicksHigh,
  clicksLow,
  evidence: { expected_ctr: row.rate, expected_clicks: row.impressions * row.rate, p_value: p, q_value: q },
  isSignificant,
  key: row.key,
  kind: "low_ctr",
  lists
})

const reaching = (row: CellRow, rate: Interval | undefined): ReadonlyArray<Found> => {
  const gain = rate === undefined ? undefined : gainAtTarget(row, rate)
  const evidence = { target_ctr: rate, target_position: target }
  return gain === undefined
    ? []
    : [{ ...gain, evidence, isSignificant: true, key: row.key, kind: "striking_distance", lists: "both" }]
}

/** Computes the opportunities of a generation, inside a transaction. The lists are invisible until the generation has its summary. */
export class Compute extends Effect.Service<Compute>()("rankings/opportunities/Compute", {
  dependencies: [DaysRepo.Default, Decays.Default, QueriesRepo.Default, FoundRepo.Default],
  effect: Effect.gen(function* () {
    const daysRepo = yield* DaysRepo
    const decays = yield* Decays
    const queries = yield* QueriesRepo
    const records = yield* FoundRepo

    /** Stores the curves, and returns each cell's interval of the third place, if any. */
    const curves = Effect.fnUntraced(function* (generation: string, cells: ReadonlyArray<Cell>) {
      const thirds = new Map<string, Interval>()
      for (const { brand, compared, curve, device } of cells) {
        const points = pointsOf(curve, spreadAbout(compared))
        yield* records.storeCurve(generation, device, brand, points)
        const third = points.find(({ position }) => position === target)
        if (third !== undefined) thirds.set(nameOf({ brand, device }), third.interval)
      }
      return thirds
    })

    const ofQueries = Effect.fnUntraced(function* ({ generation, site }: Published) {
      const add = (found: ReadonlyArray<Found>) =>
        Effect.forEach(Arr.chunksOf(found, batch), (some) => records.add(site, some), { discard: true })
      const cells = cellsOf(yield* queries.bins)
      yield* eachBatch(queries.page, (rows) => inSteps(rows, (row) => addTo(cells, row)))
      const thirds = yield* curves(generation, cells)
      yield* eachBatch(queries.page, (rows) => add(rows.flatMap((row) => reaching(row, thirds.get(nameOf(row))))))
      for (const device of devices)
        for (const { lists, tested, tests } of yield* testsOf(cells.filter((cell) => cell.device === device)))
          yield* add(limited(fewer(tested, tests)).map((lack) => lackedBy(lists, lack)))
      return cells
    })

    /** Returns the brand terms of the lists, their windows with the lists that could not be computed, and the results of decay, if assessed. */
    const run = Traced.fn("Opportunities.compute")(function* (published: Published) {
      const { generation, newestDay, site } = published
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
      yield* queries.collect(scope, terms)
      const cells = yield* ofQueries(published)
      yield* queries.compete(scope)
      const weeksOf = (device: string) => daysOf("pages", device)
      const decay = yield* decays.collect({ cells, devices: both, newest, site, weeksOf })
      yield* records.store(generation)
      const not_assessed = devices.map((device) => ({
        decay: against("pages", device, 2 * windowLength),
        device,
        queries: against("queries", device, windowLength)
      }))
      return { brand: terms, decay: both.includes("") ? decay : null, summary: { not_assessed, windows } }
    })

    return { run }
  })
}) {}
