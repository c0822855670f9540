import { expect, test } from "bun:test"
import { medianRun, spreadOf } from "../../../src/features/audits/Assessment.ts"
import { check, read, report } from "./reports.ts"

/** A run with a performance score, an FCP and an LCP. */
const run = (name: string, score: number, fcp: number | null, lcp: number | null) => {
  const json = report()
  const timing = (value: number | null) => check(0.5, value === null ? {} : { numericValue: value })
  return {
    name,
    report: read({
      ...json,
      audits: { "first-contentful-paint": timing(fcp), "largest-contentful-paint": timing(lcp) },
      categories: { ...Object(json.categories), performance: { auditRefs: [], score } }
    })
  }
}

const nameOf = (...runs: Parameters<typeof medianRun<ReturnType<typeof run>>>[0]) => medianRun(runs).name

test("the run with the median performance score stands for all", () => {
  expect(nameOf(run("slow", 0.3, 900, 900), run("middle", 0.6, 100, 100), run("fast", 0.9, 500, 500))).toBe("middle")
  expect(nameOf(run("only", 0.3, null, null))).toBe("only")
})

test("of an even number it is the lower of the two in the middle, which was really measured", () => {
  expect(nameOf(run("b", 0.7, 1, 1), run("a", 0.5, 1, 1), run("c", 0.9, 1, 1), run("d", 0.95, 1, 1))).toBe("b")
})

test("among equal scores the one nearest to the median FCP and LCP stands for all", () => {
  const runs = [
    run("early", 0.8, 500, 1000),
    run("typical", 0.8, 1010, 2010),
    run("late", 0.8, 3000, 5000),
    run("good", 0.9, 1000, 2000),
    run("bad", 0.2, 1100, 2100)
  ] as const
  expect(nameOf(...runs)).toBe("typical")
})

test("the spread tells the lowest and highest of all runs, and null for what none measured", () => {
  const reports = [run("a", 0.31, 100, null), run("b", 0.9, 300, null), run("c", 0.5, 200, null)].map(
    (one) => one.report
  )
  expect(spreadOf(reports)).toEqual({
    cls: null,
    fcp_ms: { highest: 300, lowest: 100 },
    lcp_ms: null,
    performance: { highest: 90, lowest: 31 },
    runs: 3,
    ttfb_ms: null
  })
})
