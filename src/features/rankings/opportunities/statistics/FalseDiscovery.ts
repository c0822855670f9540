/** The share of false discoveries that lists may have. */
export const falseDiscoveries = 0.05

/**
 * Benjamini and Hochberg (1995): q-values of p-values, in their order. Of the tests with q ≤ 0.05 at most 5 % are expected to be false. `tests` is the number
 * of all tests, where those that are certainly not significant were left out.
 */
export const qValues = (p: ReadonlyArray<number>, tests: number = p.length): ReadonlyArray<number> => {
  const order = Uint32Array.from(p.keys()).sort((a, b) => (p[a] ?? 1) - (p[b] ?? 1))
  const q = new Array<number>(p.length).fill(1)
  let least = 1
  for (let rank = order.length; rank > 0; rank--) {
    const at = order[rank - 1] ?? 0
    least = Math.min(least, ((p[at] ?? 1) * tests) / rank)
    q[at] = least
  }
  return q
}
