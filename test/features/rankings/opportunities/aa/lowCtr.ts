import {
  type Bin,
  binOf,
  type Curve,
  curveOf,
  lastBin,
  positionOf,
  rateAt
} from "../../../../../src/features/rankings/opportunities/statistics/Curve.ts"
import {
  assess,
  cautiousSpread,
  compare,
  type Row,
  spreadAbout,
  tooFew
} from "../../../../../src/features/rankings/opportunities/statistics/LowCtr.ts"
import { Random } from "../../../experiments/simulations/Random.ts"

/** A property: its number of queries on pages, and the variation of their rates at one position (a coefficient of variation). */
export interface World {
  readonly rows: number
  readonly spread: number
}

/** A query on a page, of the brand or not. */
type Labelled = Row & { readonly brand: boolean }

const sumOf = (rows: ReadonlyArray<Row>, of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0)

const binsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Bin> =>
  Array.from({ length: lastBin }, (_, at) => {
    const own = rows.filter((row) => binOf(positionOf(row)) === at + 1)
    return {
      clicks: sumOf(own, ({ clicks }) => clicks),
      impressions: sumOf(own, ({ impressions }) => impressions),
      position: at + 1,
      rows: own.length,
      squares: sumOf(own, ({ impressions }) => impressions ** 2),
      top: sumOf(own, ({ top }) => top)
    }
  })

/** The rows of one cell beside their curve. */
const comparedOf = (rows: ReadonlyArray<Row>) => {
  const curve = curveOf(binsOf(rows))
  return { compared: rows.flatMap((row) => compare(curve, row) ?? []), curve }
}

/** The three lists of a property: without a filter, of the brand, and of the rest. */
const listsOf = (rows: ReadonlyArray<Labelled>) => {
  const cells = [true, false].map((brand) => comparedOf(rows.filter((row) => row.brand === brand)).compared)
  const all = cells.flat()
  const tested = cells.map((compared) => {
    const spread = cautiousSpread(compared, all)
    return compared.flatMap((row) => assess(row, spread) ?? [])
  })
  return [tooFew(tested.flat(), all.length), ...tested.map((own, at) => tooFew(own, cells[at]?.length ?? 0))]
}

/** Clicks of a row: its own rate is drawn around the expected one, then each impression. */
const clicksOf = (random: Random, impressions: number, rate: number, square: number) => {
  const a = (1 - rate) / square
  return random.binomial(impressions, random.beta(a, (a * (1 - rate)) / rate))
}

/** A property with a steep curve; a share of its queries is of the brand, by chance. */
const property = (random: Random, { rows, spread }: World): ReadonlyArray<Labelled> =>
  Array.from({ length: rows }, (_, key) => {
    const impressions = Math.max(20, Math.round(1500 * Math.exp(1.2 * random.normal())))
    const position = Math.exp(random.beta(1, 1) * Math.log(25))
    const rate = Math.min(0.6, 0.3 / position ** 1.1)
    return {
      brand: random.beta(1, 1) < 0.3,
      clicks: clicksOf(random, impressions, rate, spread ** 2),
      impressions,
      key,
      top: Math.round(impressions * position)
    }
  })

/** The share of lists that name anything when nothing is wrong: clicks are drawn from the property's own curve and spread. */
export const named = (world: World, runs: number, seed: number) => {
  const random = new Random(seed)
  let [lists, naming] = [0, 0]
  for (let run = 0; run < runs; run++) {
    const rows = property(random, world)
    const { compared, curve } = comparedOf(rows)
    const spread = spreadAbout(compared)
    const redrawn = rows.map((row) => ({
      ...row,
      clicks: clicksOf(random, row.impressions, rateOf(curve, row), spread)
    }))
    for (const list of listsOf(redrawn)) {
      lists++
      if (list.length > 0) naming++
    }
  }
  return naming / lists
}

const rateOf = (curve: Curve, row: Row) => Math.min(0.95, Math.max(1e-6, rateAt(curve, positionOf(row))))

/** The share of cases in which a title that halves the clicks of a page with `clicks` at position 4 is found. */
export const found = (world: World, clicks: number, runs: number, seed: number) => {
  const random = new Random(seed)
  let hits = 0
  for (let run = 0; run < runs; run++) {
    const rate = 0.3 / 4 ** 1.1
    const impressions = Math.round(clicks / rate)
    const halved = {
      brand: false,
      clicks: clicksOf(random, impressions, rate / 2, world.spread ** 2),
      impressions,
      key: -1,
      top: 4 * impressions
    }
    const [list = []] = listsOf([...property(random, world), halved])
    if (list.some(({ row }) => row.key === -1)) hits++
  }
  return hits / runs
}
