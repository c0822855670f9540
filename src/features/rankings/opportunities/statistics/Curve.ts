/** Sums of a row over the current window: of a query on a page, or of a page. */
export interface Sums {
  readonly impressions: number
  readonly clicks: number
  /** The sum of the one-based top positions of all impressions. */
  readonly top: number
}

/** The mean position of a row, weighted by impressions; 0 for a row without impressions. */
export const positionOf = ({ impressions, top }: Sums): number => (impressions === 0 ? 0 : top / impressions)

/** The bins of a curve: whole positions from 1 to this one. */
export const lastBin = 20

/** The bin of a position: the nearest whole one, half rounded up. */
export const binOf = (position: number): number => Math.floor(position + 0.5)

/** Sums of all rows of a cell with positions in one bin. */
export interface Bin extends Sums {
  /** The whole position, 1 to 20. */
  readonly position: number
  readonly rows: number
  /** The sum of the squared impressions of each row. */
  readonly squares: number
}

/** A bin without one of its rows. */
const without = (bin: Bin, row: Sums): Bin => ({
  position: bin.position,
  rows: bin.rows - 1,
  impressions: bin.impressions - row.impressions,
  clicks: bin.clicks - row.clicks,
  top: bin.top - row.top,
  squares: bin.squares - row.impressions ** 2
})

/** Click-through rate as a power of position: rate = exp(level)·position^slope. */
interface PowerLaw {
  /** ln of the rate at position 1. */
  readonly level: number
  readonly slope: number
}

/** The chance of a click at a position, from 0 to 1; 0 without a law. */
export const rateOf = (law: PowerLaw | null, position: number): number =>
  law === null ? 0 : Math.min(1, Math.exp(law.level + law.slope * Math.log(position)))

/**
 * Fits a law to bins by weighted least squares of ln CTR on ln position. The weight of a bin is its clicks, because ln CTR has a variance of about 1/clicks
 * (Poisson). Bins without clicks have no weight. One bin alone gives a constant law; bins without clicks give null.
 */
export const fit = (bins: ReadonlyArray<Bin>): PowerLaw | null => {
  let [weight, x, y] = [0, 0, 0]
  for (const { clicks, impressions, top } of bins) {
    if (clicks <= 0) continue
    weight += clicks
    x += clicks * Math.log(top / impressions)
    y += clicks * Math.log(clicks / impressions)
  }
  if (weight === 0) return null
  const [meanX, meanY] = [x / weight, y / weight]
  let [squares, products] = [0, 0]
  for (const { clicks, impressions, top } of bins) {
    if (clicks <= 0) continue
    const far = Math.log(top / impressions) - meanX
    squares += clicks * far * far
    products += clicks * far * (Math.log(clicks / impressions) - meanY)
  }
  const slope = squares <= weight * 1e-12 ? 0 : products / squares
  return { level: meanY - slope * meanX, slope }
}

/** The weight of the cell's law in each bin, in impressions: a bin with few impressions follows the law, a bin with many follows its clicks. */
const prior = 200

/** The fewest clicks of a cell with its own law. */
const enough = 1000

/** A point of the curve. */
interface Knot {
  /** The mean position of the bin's impressions. */
  readonly position: number
  /** The chance of a click there, from 0 to 1. */
  readonly rate: number
}

/** The click curve of one cell: the share of clicked impressions by position. */
export interface Curve {
  readonly bins: ReadonlyArray<Bin>
  /** A point for each bin with impressions, by rising position and falling rate. */
  readonly knots: ReadonlyArray<Knot>
  readonly law: PowerLaw | null
  /** Whether the law comes from another cell. */
  readonly isBorrowed: boolean
}

/** Makes values non-increasing with the least change, by pooling neighbours that rise (pool adjacent violators; Barlow et al., 1972). */
export const falling = (values: ReadonlyArray<number>, weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const pools: Array<{ value: number; weight: number; length: number }> = []
  for (const [at, value] of values.entries()) {
    let pool = { length: 1, value, weight: weights[at] ?? 0 }
    for (let last = pools.at(-1); last !== undefined && last.value < pool.value; last = pools.at(-1)) {
      pools.pop()
      const weight = last.weight + pool.weight
      const value = (last.value * last.weight + pool.value * pool.weight) / weight
      pool = { length: last.length + pool.length, value, weight }
    }
    pools.push(pool)
  }
  return pools.flatMap(({ length, value }) => Array.from({ length }, () => value))
}

/** Each bin's rate, drawn towards the law by 200 impressions, then made non-increasing with the weights of the bins. */
const knotsOf = (bins: ReadonlyArray<Bin>, law: PowerLaw | null): ReadonlyArray<Knot> => {
  const places = bins.map(positionOf)
  const rates = bins.map(({ clicks, impressions }, at) => {
    const expected = rateOf(law, places[at] ?? 1)
    return (clicks + prior * expected) / (impressions + prior)
  })
  const fallen = falling(
    rates,
    bins.map(({ impressions }) => impressions + prior)
  )
  return places.map((position, at) => ({ position, rate: fallen[at] ?? 0 }))
}

/** The curve of a cell. `all` is the law of all devices, which a cell of fewer than 1,000 clicks borrows. */
export const curveOf = (bins: ReadonlyArray<Bin>, all?: PowerLaw | null): Curve => {
  const known = bins.filter(({ impressions }) => impressions > 0)
  const clicks = known.reduce((sum, bin) => sum + bin.clicks, 0)
  const isBorrowed = all !== undefined && clicks < enough
  const law = isBorrowed ? all : fit(known)
  return { bins: known, isBorrowed, knots: knotsOf(known, law), law }
}

/** The curve without one of its rows, because a row must not be compared with itself. A borrowed law stays. */
export const curveWithout = ({ bins, isBorrowed, law }: Curve, row: Sums): Curve => {
  const bin = binOf(positionOf(row))
  const others = bins
    .map((one) => (one.position === bin ? without(one, row) : one))
    .filter(({ impressions }) => impressions > 0)
  const other = isBorrowed ? law : fit(others)
  return { bins: others, isBorrowed, knots: knotsOf(others, other), law: other }
}

/** The chance of a click at a position: linear in ln × ln between knots, constant beyond the first and the last; 0 without knots. */
export const rateAt = ({ knots }: Curve, position: number): number => {
  const next = knots.findIndex((knot) => knot.position >= position)
  const above = next === -1 ? undefined : knots[next]
  const below = next === -1 ? knots.at(-1) : knots[next - 1]
  if (above === undefined || below === undefined) return (above ?? below)?.rate ?? 0
  if (below.rate === 0 || above.rate === 0) return above.rate
  const share = Math.log(position / below.position) / Math.log(above.position / below.position)
  return below.rate * Math.exp(share * Math.log(above.rate / below.rate))
}
