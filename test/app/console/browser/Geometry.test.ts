import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  apart,
  areaPath,
  bandPath,
  intervalPlaces,
  labelled,
  linePath,
  nearest,
  rounded,
  scale,
  ticks
} from "../../../../src/app/console/browser/chart/Geometry.ts"

const x = scale([0, 10], [0, 100])
const y = scale([0, 1], [50, 0])

describe("a scale", () => {
  test("maps both ends of a range to both ends of the pixels, also upside down", () => {
    expect([x(0), x(5), x(10)]).toEqual([0, 50, 100])
    expect([y(0), y(1)]).toEqual([50, 0])
  })

  test("maps the only value of an empty range to the middle", () => {
    expect(scale([7, 7], [0, 100])(7)).toBe(50)
  })
})

describe("the place nearest to a pixel", () => {
  test("is the one with the least distance, and an end beyond the ends", () => {
    const days = scale([0, 4], [50, 150])
    expect([-20, 50, 62, 63, 149, 400].map((pixel) => nearest(pixel, days, 4))).toEqual([0, 0, 0, 1, 4, 4])
    expect(nearest(70, scale([0, 0], [50, 150]), 0)).toBe(0)
  })
})

describe("an area", () => {
  test("reaches from each stretch of its line down to zero", () => {
    const points = [1, 1, null, 0.5, 1].map((value, at) => ({ at, value }))
    expect(areaPath(points, x, y)).toBe("M0 0L10 0L10 50L0 50ZM30 25L40 0L40 50L30 50Z")
    expect(areaPath([{ at: 0, value: 1 }], x, y)).toBe("")
  })
})

describe("a line", () => {
  test("has a gap at a missing value, and zero length at a value without neighbours", () => {
    const points = [0, 1, null, 1, null, 0, 1].map((value, at) => ({ at, value }))
    expect(linePath(points, x, y)).toBe("M0 50L10 0M50 50L60 0")
  })

  test("passes through every value that has a neighbour, exactly once", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.double({ max: 1, min: 0, noNaN: true }))), (values) => {
        const path = linePath(
          values.map((value, at) => ({ at, value })),
          x,
          y
        )
        const isLone = (at: number) => (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null
        const joined = values.filter((value, at) => value !== null && !isLone(at)).length
        expect(path.match(/[ML]/g)?.length ?? 0).toBe(joined)
        expect(path).not.toMatch(/NaN|undefined|Infinity/)
      })
    )
  })

  test("has a shaded area around uncertain values only", () => {
    const sure = [0, 1].map((at) => ({ at, high: 0.5, low: 0.5, value: 0.5 }))
    expect(bandPath(sure, x, y)).toBe("")
    const open = [0, 1].map((at) => ({ at, high: 1, low: 0, value: 0.5 }))
    expect(bandPath(open, x, y)).toBe("M0 0L10 0L10 50L0 50Z")
  })
})

describe("an axis", () => {
  test("has round values within its range", () => {
    expect(ticks([0, 100], 4)).toEqual([0, 50, 100])
    expect(ticks([0.1, 0.35], 4)).toEqual([0.1, 0.2, 0.3])
    expect(ticks([3, 3], 4)).toEqual([3])
  })

  test("has at most the allowed number of ticks after the first, and all of them lie within its range", () => {
    fc.assert(
      fc.property(
        fc.double({ max: 1e9, min: -1e9, noNaN: true }),
        fc.double({ max: 1e9, min: 1e-3, noNaN: true }),
        fc.integer({ max: 10, min: 1 }),
        (from, length, most) => {
          const found = ticks([from, from + length], most)
          expect(found.length).toBeLessThanOrEqual(most + 1)
          const slack = 1e-6 * (Math.abs(from) + length)
          for (const value of found) expect(value).toBeWithin(from - slack, from + length + slack)
        }
      )
    )
  })

  test("extends to round ends around its values, and has a length even for a single value", () => {
    expect(rounded([61, 85], 4)).toEqual([60, 90])
    expect(rounded([4, 4], 4)).toEqual([3, 5])
  })

  test("labels its first and last place, and places between them where labels fit", () => {
    expect(labelled([0, 10, 20, 100, 190, 200], 80)).toEqual([0, 3, 5])
    expect(labelled([0, 10], 80)).toEqual([1])
    expect(labelled([0], 80)).toEqual([0])
  })
})

describe("an interval", () => {
  test("is placed on one axis in order with zero", () => {
    const places = intervalPlaces({ high: 3, low: 1, value: 2 }, 300)
    expect(places.zero).toBeLessThan(places.low)
    expect(places.low).toBeLessThan(places.value)
    expect(places.value).toBeLessThan(places.high)
    expect(places.high).toBeLessThan(300)
  })

  test("is placed in the middle if all its values are zero", () => {
    expect(intervalPlaces({ high: 0, low: 0, value: 0 }, 300)).toEqual({ high: 150, low: 150, value: 150, zero: 150 })
  })
})

describe("overlapping labels", () => {
  test("are moved apart in their order, and stay inside the picture when all of them fit", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ max: 400, min: 0, noNaN: true }), { maxLength: 5 }), (places) => {
        const moved = apart(
          places.toSorted((a, b) => a - b),
          60,
          400
        )
        for (const [index, place] of moved.entries()) {
          expect(place).toBeWithin(29.8, 370.3)
          const before = moved[index - 1]
          if (before !== undefined) expect(place - before).toBeGreaterThanOrEqual(59.8)
        }
      })
    )
  })

  test("stay at their place when they do not overlap", () => {
    expect(apart([50, 150, 300], 60, 400)).toEqual([50, 150, 300])
  })
})
