import { expect, test } from "bun:test"
import { erfc } from "../../../src/features/experiments/statistics/Analyse.ts"
import { criticalT, twoSidedP } from "../../../src/foundation/statistics/Distributions.ts"

const near = (actual: number, expected: number, relative = 1e-11) =>
  expect(Math.abs(actual / expected - 1)).toBeLessThan(relative)

test("one degree of freedom is Cauchy's distribution, two have a closed form", () => {
  for (const t of [0.01, 0.5, 1, 3, 40, 1e4]) {
    near(twoSidedP(t, 1), 1 - (2 / Math.PI) * Math.atan(t), 1e-9)
    near(twoSidedP(t, 2), 1 - t / Math.sqrt(2 + t * t), 1e-7)
  }
})

test("three degrees of freedom have a closed form too", () => {
  for (const t of [0.2, 1, 2.5, 6]) {
    const angle = Math.atan(t / Math.sqrt(3))
    near(twoSidedP(t, 3), 1 - (2 / Math.PI) * (angle + Math.sin(angle) * Math.cos(angle)), 1e-10)
  }
})

test("with many degrees of freedom it is the normal distribution", () => {
  for (const t of [0.1, 1, 1.96, 3]) near(twoSidedP(t, 1e9), erfc(t / Math.SQRT2), 1e-5)
})

test("the critical values are those of the printed tables", () => {
  const table = [
    [1, 12.706],
    [2, 4.303],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [60, 2],
    [120, 1.98]
  ] as const
  for (const [freedom, critical] of table) expect(criticalT(freedom)).toBeCloseTo(critical, 3)
})

test("0 is certain, and the p-value falls with t and rises to the normal's from above", () => {
  expect(twoSidedP(0, 7)).toBe(1)
  expect(twoSidedP(Number.POSITIVE_INFINITY, 7)).toBe(0)
  for (const freedom of [1, 4, 49, 199, 4_999]) {
    let before = 1
    for (let t = 0.25; t < 30; t += 0.25) {
      const p = twoSidedP(t, freedom)
      expect(p).toBeLessThan(before)
      expect(p).toBeGreaterThan(erfc(t / Math.SQRT2))
      before = p
    }
    near(twoSidedP(criticalT(freedom), freedom), 0.05, 1e-10)
  }
})

test("critical values of other levels, and of degrees of freedom that are no whole numbers, are those of a computation with 30 digits", () => {
  const table = [
    [1, 0.4, 1.37638192047117],
    [2.5125, 0.05, 3.56196287042794],
    [4.86862662771068, 0.05, 2.59158563010734],
    [4.86862662771068, 0.4, 0.921817485429892],
    [7.3, 0.01, 3.45103165562219],
    [40.6, 0.003125, 3.14248826570391]
  ] as const
  for (const [freedom, level, critical] of table) near(criticalT(freedom, level), critical, 1e-13)
})
