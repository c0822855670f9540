import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { erfc } from "../../../src/features/experiments/statistics/Analyse.ts"
import {
  betaQuantile,
  criticalT,
  incompleteBeta,
  logGamma,
  logPower,
  stirlingError,
  twoSidedP
} from "../../../src/foundation/statistics/Distributions.ts"

const near = (actual: number, expected: number, relative = 1e-10) =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(relative * Math.max(Math.abs(expected), 1e-300))

/** P(X ≥ a) of a + b − 1 throws with chance x, term by term: what I_x(a, b) is for whole a and b (DLMF 8.17.5). */
const binomialTail = (a: number, b: number, x: number) => {
  const throws = a + b - 1
  let term = (1 - x) ** throws
  let sum = 0
  for (let n = 0; n <= throws; n++) {
    if (n >= a) sum += term
    term *= ((throws - n) / (n + 1)) * (x / (1 - x))
  }
  return sum
}

/** ∫ of x^(a−1)·(1−x)^(b−1) up to `to`, by Simpson's rule. */
const integral = (a: number, b: number, to: number) => {
  const steps = 200_000
  const width = to / steps
  const density = (x: number) => x ** (a - 1) * (1 - x) ** (b - 1)
  let sum = density(0) + density(to)
  for (let n = 1; n < steps; n++) sum += (n % 2 === 1 ? 4 : 2) * density(n * width)
  return (sum * width) / 3
}

test("ln Γ of an integer is the logarithm of the factorial", () => {
  let log = 0
  for (let n = 2; n < 400; n++) {
    near(logGamma(n), log, 1e-13)
    log += Math.log(n)
  }
  near(logGamma(0.5), Math.log(Math.PI) / 2, 1e-13)
  near(logGamma(0.001), Math.log(1000) + logGamma(1.001), 1e-13)
})

test("the error of Stirling's formula is continuous where its series begins", () => {
  for (const x of [11.999999999, 12, 12.000000001]) expect(stirlingError(x)).toBeCloseTo(0.00694284, 7)
  for (let x = 1; x < 100; x++)
    expect(
      Math.abs(stirlingError(x) - (logGamma(x) - (x - 0.5) * Math.log(x) + x - 0.5 * Math.log(2 * Math.PI)))
    ).toBeLessThan(2e-13)
})

test("the incomplete beta function of integers is a sum of binomial terms", () => {
  for (const [a, b] of [
    [1, 1],
    [2, 5],
    [13, 4],
    [40, 200],
    [7, 900]
  ] as const)
    for (const x of [0.001, 0.02, 0.2, 0.5]) near(incompleteBeta(a, b, x, 1 - x), binomialTail(a, b, x), 1e-11)
})

test("the incomplete beta function of fractions is the integral of the density", () => {
  for (const [a, b, x] of [
    [3.3, 4.7, 0.4],
    [6.25, 90.5, 0.05],
    [4.5, 3.5, 0.9]
  ] as const)
    near(incompleteBeta(a, b, x, 1 - x), integral(a, b, x) / integral(a, b, 1), 1e-9)
})

test("the incomplete beta function keeps ten digits for large parameters", () => {
  // About the mean the distribution is normal; its middle is the mean with (a − ⅓)/(a + b − ⅔), and both halves add up to 1.
  for (const scale of [1e4, 1e6, 1e8]) {
    const [a, b] = [0.03 * scale, 0.97 * scale]
    const median = betaQuantile(0.5, a, b)
    near(median, (a - 1 / 3) / (a + b - 2 / 3), 1e-6)
    near(incompleteBeta(a, b, median, 1 - median) + incompleteBeta(b, a, 1 - median, median), 1, 1e-10)
  }
  // The recurrence I_x(a, b) − I_x(a + 1, b) = xᵃ·yᵇ / (a·B(a, b)) (DLMF 8.17.20).
  const [a, b, x] = [30_000, 970_000, 0.0301]
  const difference = incompleteBeta(a, b, x, 1 - x) - incompleteBeta(a + 1, b, x, 1 - x)
  near(difference, Math.exp(logPower(a, b, x, 1 - x)) / a, 1e-8)
})

test("quantiles are the points where the function has its value", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.001, max: 0.999, noNaN: true }),
      fc.double({ min: 0.05, max: 1e5, noNaN: true }),
      fc.double({ min: 0.05, max: 1e6, noNaN: true }),
      (p, a, b) => {
        const x = betaQuantile(p, a, b)
        if (x < 1e-290 || x > 1 - 1e-9) return
        near(incompleteBeta(a, b, x, 1 - x), p, 1e-8)
      }
    ),
    { seed: 28 }
  )
})

test("quantiles with a closed form have ten digits", () => {
  for (const p of [0.025, 0.3, 0.975]) {
    near(betaQuantile(p, 1, 1), p)
    near(betaQuantile(p, 1, 400), -Math.expm1(Math.log1p(-p) / 400))
    near(betaQuantile(p, 250, 1), p ** (1 / 250))
    near(betaQuantile(p, 0.5, 0.5), Math.sin((Math.PI * p) / 2) ** 2)
    near(betaQuantile(p, 0.01, 1), p ** 100)
  }
  expect(betaQuantile(0.025, 1e-4, 1)).toBe(0)
})

const nearRelative = (actual: number, expected: number, relative = 1e-11) =>
  expect(Math.abs(actual / expected - 1)).toBeLessThan(relative)

test("Student's t with one degree of freedom is the Cauchy distribution, and with two it has a closed form", () => {
  for (const t of [0.01, 0.5, 1, 3, 40, 1e4]) {
    nearRelative(twoSidedP(t, 1), 1 - (2 / Math.PI) * Math.atan(t), 1e-9)
    nearRelative(twoSidedP(t, 2), 1 - t / Math.sqrt(2 + t * t), 1e-7)
  }
})

test("Student's t with three degrees of freedom has a closed form too", () => {
  for (const t of [0.2, 1, 2.5, 6]) {
    const angle = Math.atan(t / Math.sqrt(3))
    nearRelative(twoSidedP(t, 3), 1 - (2 / Math.PI) * (angle + Math.sin(angle) * Math.cos(angle)), 1e-10)
  }
})

test("Student's t with many degrees of freedom is the normal distribution", () => {
  for (const t of [0.1, 1, 1.96, 3]) nearRelative(twoSidedP(t, 1e9), erfc(t / Math.SQRT2), 1e-5)
})

test("critical values are those of printed tables", () => {
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

test("the p-value is 1 at t = 0, falls with t, and stays above that of the normal distribution", () => {
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
    nearRelative(twoSidedP(criticalT(freedom), freedom), 0.05, 1e-10)
  }
})

test("critical values for other levels and fractional degrees of freedom match a computation with 30 digits", () => {
  const table = [
    [1, 0.4, 1.37638192047117],
    [2.5125, 0.05, 3.56196287042794],
    [4.86862662771068, 0.05, 2.59158563010734],
    [4.86862662771068, 0.4, 0.921817485429892],
    [7.3, 0.01, 3.45103165562219],
    [40.6, 0.003125, 3.14248826570391]
  ] as const
  for (const [freedom, level, critical] of table) nearRelative(criticalT(freedom, level), critical, 1e-13)
})
