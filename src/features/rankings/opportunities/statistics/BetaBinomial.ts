import { logPower } from "../../../../foundation/statistics/Beta.ts"

/** ln P(K = k) of the beta-binomial, through binomial and beta densities at the mean of a beta distribution, so that large numbers do not cancel. */
const logTerm = (k: number, n: number, a: number, b: number): number => {
  const x = (k + a) / (n + a + b)
  const y = (n - k + b) / (n + a + b)
  const binomial = logPower(k + 1, n - k + 1, x, y) - Math.log(x) - Math.log(y) - Math.log(n + 1)
  return binomial + logPower(a, b, x, y) - logPower(k + a, n - k + b, x, y)
}

/**
 * P(K ≤ k) of `n` draws whose chance is itself drawn from a beta distribution with mean `rate` and intraclass correlation `alike` (0 < both < 1); 1 where
 * `alike` is 1, which says nothing. The terms are added from the k-th down, each from the one above it.
 */
export const atMost = (k: number, n: number, rate: number, alike: number): number => {
  if (alike >= 1 || k >= n) return 1
  const size = 1 / alike - 1
  const [a, b] = [rate * size, (1 - rate) * size]
  let term = 1
  let sum = 1
  for (let j = k; j > 0; j--) {
    term *= (j * (n - j + b)) / ((n - j + 1) * (j - 1 + a))
    const before = sum
    sum += term
    if (sum === before) break
  }
  return Math.min(1, Math.exp(logTerm(k, n, a, b) + Math.log(sum)))
}
