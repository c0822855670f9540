import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { erfc } from "../../../../src/features/experiments/statistics/Analyse.ts"
import { preciseErfc } from "./Precise.ts"

const relativeError = (x: number) => {
  const expected = preciseErfc(x)
  return Math.abs(erfc(x) - expected) / expected
}

test("erfc is within 1e-14 of the true value on a grid over [0, 26.5]", () => {
  // A step with few bits would have exact squares only and could not show how exp(−x²) treats the others.
  const worst = Math.max(...Array.from({ length: 107 }, (_, i) => relativeError((i * 26.5) / 106.001)))
  expect(worst).toBeLessThan(1e-14)
})

test("erfc is within 1e-14 of the true value anywhere below 3, across the change of method at 1", () => {
  fc.assert(
    fc.property(fc.double({ min: 2 ** -40, max: 3, noNaN: true }), (x) => {
      expect(relativeError(x)).toBeLessThan(1e-14)
    }),
    { numRuns: 300 }
  )
  for (const x of [1 - 2 ** -53, 1, 1 + 2 ** -52]) expect(relativeError(x)).toBeLessThan(1e-14)
})

test("subnormal values of erfc are off by no more than their last bit", () => {
  for (const x of [26.6, 26.75, 26.9, 27, 27.1, 27.2, 27.22]) {
    expect(Math.abs(erfc(x) - preciseErfc(x))).toBeLessThanOrEqual(Math.max(Number.MIN_VALUE, preciseErfc(x) * 1e-13))
  }
})

test("erfc starts at 1, never rises, and ends at 0", () => {
  expect(erfc(0)).toBe(1)
  expect(erfc(27.3)).toBe(0)
  expect(erfc(Number.POSITIVE_INFINITY)).toBe(0)
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 28, noNaN: true }),
      fc.double({ min: 1e-9, max: 1, noNaN: true }),
      (x, step) => {
        expect(erfc(x + step)).toBeLessThanOrEqual(erfc(x))
      }
    )
  )
})

test("erfc of a negative number is 2 minus erfc of its magnitude", () => {
  expect(erfc(-0.5)).toBe(2 - erfc(0.5))
  expect(erfc(-40)).toBe(2)
})
