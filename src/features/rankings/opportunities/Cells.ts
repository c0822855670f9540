import * as Effect from "effect/Effect"
import { each, unhurried } from "../../../foundation/schema/Steps.ts"
import type { CellBin, CellRow } from "./SumsRepo.ts"
import { type Curve, curveOf } from "./statistics/Curve.ts"
import { assess, type Tested } from "./statistics/LowCtr.ts"
import { fit } from "./statistics/PowerLaw.ts"
import { type Compared, cautiousSpread, compare } from "./statistics/Spread.ts"

/** The queries of one device, of the brand or not. */
export interface Cell {
  readonly device: string
  readonly brand: boolean
  readonly curve: Curve
  /** The rows that have enough impressions and clicks to expect. */
  readonly compared: Array<Compared>
}

/** A name of its own for each cell. */
export const nameOf = ({ brand, device }: Pick<Cell, "brand" | "device">): string => `${device} ${brand}`

/** The cost of comparing or testing a row, in characters. */
const cost = 200

/** Works on all rows, in steps, so that no request waits for them. */
export const inSteps = <A>(rows: ReadonlyArray<A>, work: (row: A) => void): Effect.Effect<void> =>
  unhurried(
    each(rows, (row) => {
      work(row)
      return cost
    })
  )

/** The cells of bins; those of all devices come first, because others may take their law. */
export const cellsOf = (bins: ReadonlyArray<typeof CellBin.Type>): ReadonlyArray<Cell> => {
  const named = Map.groupBy(bins, nameOf)
  return [...named.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const { brand, device } = first
    const curve = device === "" ? curveOf(own) : curveOf(own, fit(named.get(nameOf({ brand, device: "" })) ?? []))
    return [{ brand, compared: [], curve, device }]
  })
}

/** Keeps a row beside its curve where it may be assessed. */
export const addTo = (cells: ReadonlyArray<Cell>, row: typeof CellRow.Type): void => {
  const cell = cells.find(({ brand, device }) => brand === row.brand && device === row.device)
  const compared = cell === undefined ? undefined : compare(cell.curve, row)
  if (compared !== undefined) cell?.compared.push(compared)
}

/** The tests of one device: of all its rows, and how many there were, for both halves together and for each of them. */
export const testsOf = (cells: ReadonlyArray<Cell>) =>
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
