/** Sums of a row over the current window: of a query on a page, or of a page. */
export interface Sums {
  readonly impressions: number
  readonly clicks: number
  /** The one-based top positions of all impressions, added up. */
  readonly top: number
}

/** The mean position of a row, weighted by impressions; 0 for a row without impressions. */
export const positionOf = ({ impressions, top }: Sums): number => (impressions === 0 ? 0 : top / impressions)

/** The bins of a curve: whole positions from 1 to this one. */
export const lastBin = 20

/** The bin of a position: the nearest whole one, a half upwards. */
export const binOf = (position: number): number => Math.floor(position + 0.5)

/** Sums of all rows of a cell whose position lies in one bin. */
export interface Bin extends Sums {
  /** The whole position, 1 to 20. */
  readonly position: number
  readonly rows: number
  /** The squares of the impressions of each row, added up. */
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

/** The chance of a click at a position, from 0 to 1; 0 everywhere where no law is known. */
export const rateOf = (law: PowerLaw | null, position: number): number =>
  law === null ? 0 : Math.min(1, Math.exp(law.level + law.slope * Math.log(position)))

/**
 * The law that fits bins best by weighted least squares of ln CTR on ln position. The weight of a bin is its clicks, since ln CTR has a variance of about
 * 1/clicks (Poisson). Bins without clicks have no weight. With one bin alone the law is constant; without any click there is none.
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

/** Impressions that the law of the cell counts for in each bin: a bin with few impressions follows the law, one with many its own clicks. */
const prior = 200

/** Clicks below which a cell has too few for a law of its own. */
const enough = 1000

/** A point of the curve. */
interface Knot {
  /** The mean position of the bin's impressions. */
  readonly position: number
  /** The chance of a click there, from 0 to 1. */
  readonly rate: number
}

/** The click curve of one cell: what share of impressions is clicked at a position. */
export interface Curve {
  readonly bins: ReadonlyArray<Bin>
  /** A point for each bin that has impressions, by rising position and falling rate. */
  readonly knots: ReadonlyArray<Knot>
  readonly law: PowerLaw | null
  /** Whether the law is that of another cell. */
  readonly isBorrowed: boolean
}

/** Values made falling with the least change, by pooling neighbours that violate it (pool adjacent violators; Barlow et al., 1972). */
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

/** Each bin's own rate, drawn towards the law by 200 impressions, made falling with the weights of the bins. */
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

/** The curve of a cell. `all` is the law of the cell of all devices, which a cell of fewer than 1,000 clicks takes for its own. */
export const curveOf = (bins: ReadonlyArray<Bin>, all?: PowerLaw | null): Curve => {
  const known = bins.filter(({ impressions }) => impressions > 0)
  const clicks = known.reduce((sum, bin) => sum + bin.clicks, 0)
  const isBorrowed = all !== undefined && clicks < enough
  const law = isBorrowed ? all : fit(known)
  return { bins: known, isBorrowed, knots: knotsOf(known, law), law }
}

/** The curve as it is without one of its rows, so that a row is not compared with itself. A law of another cell stays. */
export const curveWithout = ({ bins, isBorrowed, law }: Curve, row: Sums): Curve => {
  const bin = binOf(positionOf(row))
  const others = bins
    .map((one) => (one.position === bin ? without(one, row) : one))
    .filter(({ impressions }) => impressions > 0)
  const other = isBorrowed ? law : fit(others)
  return { bins: others, isBorrowed, knots: knotsOf(others, other), law: other }
}

/** The chance of a click at a position: between knots linear in ln × ln, beyond the first and the last as there; 0 where there are none. */
export const rateAt = ({ knots }: Curve, position: number): number => {
  const next = knots.findIndex((knot) => knot.position >= position)
  const above = next === -1 ? undefined : knots[next]
  const below = next === -1 ? knots.at(-1) : knots[next - 1]
  if (above === undefined || below === undefined) return (above ?? below)?.rate ?? 0
  if (below.rate === 0 || above.rate === 0) return above.rate
  const share = Math.log(position / below.position) / Math.log(above.position / below.position)
  return below.rate * Math.exp(share * Math.log(above.rate / below.rate))
}
