// Places in a chart, in pixels from its upper left corner. Nothing here draws.

/** A point of a series; without a value the line has a gap. */
export interface Point {
  /** Place on the axis, such as milliseconds since 1970. */
  readonly at: number
  readonly value: number | null
  /** Ends of the value's range, if known. */
  readonly low?: number
  readonly high?: number
}

/** A mapping from values to pixels. */
export type Scale = (value: number) => number

const fixed = (pixels: number) => Math.round(pixels * 10) / 10

/** Maps the span `[from, to]` of values to `[start, end]` of pixels; an empty span maps to the middle. */
export const scale =
  ([from, to]: readonly [number, number], [start, end]: readonly [number, number]): Scale =>
  (value) =>
    fixed(to === from ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start))

/** The stretches of a series without gaps. */
const stretches = (points: ReadonlyArray<Point>): ReadonlyArray<ReadonlyArray<Point & { readonly value: number }>> => {
  const found: Array<Array<Point & { readonly value: number }>> = []
  let isOpen = false
  for (const point of points) {
    const { value } = point
    if (value === null) isOpen = false
    else if (isOpen) found.at(-1)?.push({ ...point, value })
    else {
      found.push([{ ...point, value }])
      isOpen = true
    }
  }
  return found
}

const moves = (places: ReadonlyArray<readonly [number, number]>) =>
  places.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("")

/** The path of a line with a gap for each missing value. A lone point has no length, so it needs a dot. */
export const linePath = (points: ReadonlyArray<Point>, x: Scale, y: Scale): string =>
  stretches(points)
    .filter(({ length }) => length > 1)
    .map((stretch) => moves(stretch.map(({ at, value }) => [x(at), y(value)])))
    .join("")

/** The path of the area between a line and zero, with a gap for each missing value. */
export const areaPath = (points: ReadonlyArray<Point>, x: Scale, y: Scale): string =>
  stretches(points)
    .filter(({ length }) => length > 1)
    .map((stretch) => {
      const ends = [stretch.at(-1), stretch[0]].flatMap((end) =>
        end === undefined ? [] : [[x(end.at), y(0)] as const]
      )
      return `${moves([...stretch.map(({ at, value }) => [x(at), y(value)] as const), ...ends])}Z`
    })
    .join("")

/** The place among 0, 1, … `last` that a scale draws nearest to a pixel. */
export const nearest = (pixel: number, x: Scale, last: number): number => {
  const step = last === 0 ? 1 : (x(last) - x(0)) / last
  return Math.min(last, Math.max(0, Math.round((pixel - x(0)) / step)))
}

/** The path of the area between the ends of the values' ranges; empty if all ends meet. */
export const bandPath = (points: ReadonlyArray<Point>, x: Scale, y: Scale): string =>
  stretches(points)
    .filter(
      (stretch) => stretch.length > 1 && stretch.some(({ high, low, value }) => (low ?? value) !== (high ?? value))
    )
    .map((stretch) => {
      const above = stretch.map(({ at, high, value }) => [x(at), y(high ?? value)] as const)
      const below = stretch.toReversed().map(({ at, low, value }) => [x(at), y(low ?? value)] as const)
      return `${moves([...above, ...below])}Z`
    })
    .join("")

/** The smallest and the largest value, or `[0, 1]` without values. */
export const spanOf = (values: ReadonlyArray<number>): readonly [number, number] =>
  values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)]

/** A readable step between ticks, 1, 2 or 5 times a power of ten, with at most `most` ticks within a length. */
const stepOf = (length: number, most: number) => {
  const least = length / most
  const power = 10 ** Math.floor(Math.log10(least))
  return (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10) * power
}

/** Round values within a span, about `most` at most; one value for an empty span. */
export const ticks = ([from, to]: readonly [number, number], most: number): ReadonlyArray<number> => {
  if (to <= from) return [from]
  const step = stepOf(to - from, most)
  const first = Math.ceil(from / step)
  const last = Math.floor(to / step + 1e-9)
  // Multiples of a fraction are not exact: 3 × 0.1 is more than 0.3.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
}

/** A span widened to round ends, which keeps the line off the edges. */
export const rounded = ([from, to]: readonly [number, number], most: number): readonly [number, number] => {
  if (to <= from) return [from - 1, to + 1]
  const step = stepOf(to - from, most)
  return [Math.floor(from / step) * step, Math.ceil(to / step) * step]
}

/** The points with labels below the axis: the first, the last, and evenly spaced points between them, if there is room. */
export const labelled = (places: ReadonlyArray<number>, room: number): ReadonlyArray<number> => {
  const kept: Array<number> = []
  const last = places.length - 1
  for (const [index, place] of places.entries()) {
    const before = kept.at(-1)
    const isFar = before === undefined || place - (places[before] ?? 0) >= room
    const isClear = index === last || (places[last] ?? 0) - place >= room
    if (isFar && isClear) kept.push(index)
  }
  return kept
}

/** Labels of an interval, each with its place and alignment. */
interface IntervalPlaces {
  readonly low: number
  readonly value: number
  readonly high: number
  readonly zero: number
}

/** An interval with its zero line: places of its ends, its value and zero on an axis with a tenth of room. */
export const intervalPlaces = (
  { high, low, value }: { readonly low: number; readonly value: number; readonly high: number },
  width: number
): IntervalPlaces => {
  const [from, to] = spanOf([low, high, value, 0])
  const margin = to === from ? 1 : (to - from) / 10
  const x = scale([from - margin, to + margin], [0, width])
  return { high: x(high), low: x(low), value: x(value), zero: x(0) }
}

/** Moves overlapping labels apart: each is `room` wide around its place, and all stay within `[0, width]`. Places rise. */
export const apart = (places: ReadonlyArray<number>, room: number, width: number): ReadonlyArray<number> => {
  const moved: Array<number> = []
  for (const place of places) moved.push(Math.max(place, room / 2, (moved.at(-1) ?? -room) + room))
  for (let index = moved.length - 1, limit = width - room / 2; index >= 0; index--, limit -= room) {
    const place = moved[index] ?? 0
    moved[index] = Math.min(place, limit)
    limit = Math.min(limit, moved[index] ?? limit)
  }
  return moved.map(fixed)
}
