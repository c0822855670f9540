import { expect, test } from "bun:test"
import { often } from "../../../often.ts"
import { simulate } from "./Simulate.ts"

/** Four standard errors of a share of 5 % among so many runs. */
const within = (share: number, expected: number, runs: number) =>
  Math.abs(share - expected) <= 4 * Math.sqrt((0.05 * 0.95) / runs)

const runs = often(100)

for (const [pagesAnArm, method] of [
  [20, "page_permutation"],
  [50, "page_clustered"]
] as const) {
  test(`with ${pagesAnArm} noisy pages per group 5 % of idle changes are significant, and 95 % of intervals cover the truth`, () => {
    const row = simulate({ impressions: 100_000, pagesAnArm, skew: 1 }, runs, 7)
    expect(row.method).toBe(method)
    expect(within(row.falseWithPages, 0.05, runs)).toBe(true)
    expect(within(row.covered, 0.95, runs)).toBe(true)
    // The same experiments without pages: most false alarms that the test over pages must not raise.
    expect(row.falseWithoutPages).toBeGreaterThan(0.25)
  })
}
