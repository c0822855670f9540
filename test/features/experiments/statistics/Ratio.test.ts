import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import * as Ratio from "../../../../src/features/experiments/statistics/Ratio.ts"

const positive = fc.bigInt({ min: 1n, max: 1n << 240n })
const any = fc.bigInt({ min: -(1n << 240n), max: 1n << 240n })

/** Decimal text of 400 decimals, which the engine reads with one correct rounding. */
const byText = (numerator: bigint, denominator: bigint) => Number(`${(numerator * 10n ** 400n) / denominator}e-400`)

describe("Ratio.toNumber", () => {
  test("gives the double that the decimal expansion reads as", () => {
    fc.assert(
      fc.property(any, positive, (numerator, denominator) => {
        expect(Ratio.toNumber(Ratio.make(numerator, denominator))).toBe(byText(numerator, denominator) + 0)
      }),
      { numRuns: 1000 }
    )
  })

  test("returns every double unchanged, whatever its fraction was multiplied with", () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -200, max: 2 ** 200, noNaN: true }), positive, (x, factor) => {
        const numerator = BigInt(x * 2 ** 260) * factor
        expect(Ratio.toNumber(Ratio.make(numerator, factor << 260n))).toBe(x)
      })
    )
  })

  test("rounds ties to even, and the least excess over a tie up", () => {
    const tie = (1n << 54n) + 2n
    const scale = 1n << 300n
    expect(Ratio.toNumber(Ratio.make(tie * scale, scale))).toBe(2 ** 54)
    expect(Ratio.toNumber(Ratio.make(tie * scale + 1n, scale))).toBe(2 ** 54 + 4)
    expect(Ratio.toNumber(Ratio.make(tie * scale - 1n, scale))).toBe(2 ** 54)
    expect(Ratio.toNumber(Ratio.make((tie + 4n) * scale, scale))).toBe(2 ** 54 + 8)
  })

  test("gives 0, never -0", () => {
    expect(Object.is(Ratio.toNumber(Ratio.make(-0n, 7n)), 0)).toBe(true)
  })
})

describe("Ratio arithmetic", () => {
  const ratio = fc.tuple(any, positive).map(([n, d]) => Ratio.make(n, d))

  test("subtraction undoes addition and division undoes multiplication", () => {
    fc.assert(
      fc.property(ratio, ratio, positive, positive, (a, b, n, d) => {
        expect(Ratio.compare(Ratio.minus(Ratio.plus(a, b), b), a)).toBe(0)
        expect(Ratio.compare(Ratio.over(Ratio.times(a, Ratio.make(n, d)), Ratio.make(n, d)), a)).toBe(0)
      })
    )
  })

  test("compare agrees with the sign of the difference", () => {
    fc.assert(
      fc.property(ratio, ratio, (a, b) => {
        const { numerator } = Ratio.minus(a, b)
        expect(Ratio.compare(a, b)).toBe(numerator > 0n ? 1 : numerator < 0n ? -1 : 0)
      })
    )
  })
})

describe("squareRoot", () => {
  test("is exact for squares of binary fractions", () => {
    expect(Ratio.compare(Ratio.squareRoot(Ratio.make(9n, 64n)), Ratio.make(3n, 8n))).toBe(0)
  })

  test("brackets the root within the last of 256 binary places", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 200n }), positive, (numerator, denominator) => {
        const square = Ratio.make(numerator, denominator)
        const root = Ratio.squareRoot(square)
        const next = Ratio.plus(root, Ratio.make(1n, 1n << 256n))
        expect(Ratio.compare(Ratio.times(root, root), square)).toBeLessThanOrEqual(0)
        expect(Ratio.compare(Ratio.times(next, next), square)).toBe(1)
      })
    )
  })
})
