import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { assess, medianRun, spreadOf } from "../../../src/features/audits/Assessment.ts"
import { AuditReport } from "../../../src/features/audits/Domain.ts"
import { findingOrder, findVerdicts } from "../../../src/features/audits/Findings.ts"
import { readLighthouse } from "../../../src/features/audits/report/ReadLighthouse.ts"
import { readCrux, readPsi } from "../../../src/features/audits/report/ReadPsi.ts"
import { check, read, report } from "./reports.ts"

const isReport = Schema.is(AuditReport)

/** Reads and assesses any value; a result outside of the contract fails the test. */
const digest = (value: unknown) => {
  const outcome = Either.flatMap(readLighthouse(value, "f"), (report) => assess(report, null))
  if (Either.isRight(outcome)) expect(isReport(outcome.right.report)).toBe(true)
}

/** A valid report with arbitrary values in place of some members, at any depth. */
const mutated = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.jsonValue()), { maxLength: 6 }).map((changes) => {
  const json: unknown = structuredClone(
    report({ seo: { canonical: check(0, { details: { type: "table", items: [{ url: "x" }] } }) } })
  )
  for (const [depth, pick, value] of changes) {
    let target: unknown = json
    for (let level = 0; level < depth % 7; level++) {
      const inner: ReadonlyArray<unknown> = Object.values(Object(target)).filter(
        (child) => typeof child === "object" && child !== null
      )
      target = inner.length === 0 ? target : inner[pick % inner.length]
    }
    const keys = Object.keys(Object(target))
    const key = keys[pick % Math.max(keys.length, 1)]
    if (key !== undefined) Reflect.set(Object(target), key, value)
  }
  return json
})

const checks = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,6}$/),
  fc.record({
    score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    scoreDisplayMode: fc.constantFrom("binary", "numeric", "metricSavings", "informative"),
    metricSavings: fc.record({ LCP: fc.nat(3000), CLS: fc.double({ min: 0, max: 1, noNaN: true }) })
  })
)

describe("the assessment of a report", () => {
  test("reads any JSON without throwing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        digest(value)
        readPsi(value, "f")
        readCrux(value, "f")
      })
    )
  })

  test("reads a damaged report without throwing, and its result conforms to the contract", () => {
    fc.assert(
      fc.property(mutated, (value) => {
        digest(value)
        readPsi({ lighthouseResult: value, loadingExperience: value }, "f")
        readCrux({ record: value }, "f")
      }),
      { numRuns: 500 }
    )
  })

  test("passes or fails every check or gives no result, and sorts issues in a total order", () => {
    fc.assert(
      fc.property(checks, checks, (performance, seo) => {
        const { findings, summary } = findVerdicts(read(report({ performance, seo })))
        const ids = findings.map(({ audit }) => audit.id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(summary.critical + summary.warning).toBe(findings.length)
        for (const [i, finding] of findings.entries())
          for (const later of findings.slice(i + 1)) expect(findingOrder(finding, later)).toBe(-1)
      })
    )
  })

  test("does not depend on the order of checks in the file", () => {
    fc.assert(
      fc.property(checks, (performance) => {
        const turned = Object.fromEntries(Object.entries(performance).reverse())
        expect(findVerdicts(read(report({ performance: turned })))).toEqual(findVerdicts(read(report({ performance }))))
      })
    )
  })
})

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

test("the run with the median performance score represents all runs", () => {
  expect(nameOf(run("slow", 0.3, 900, 900), run("middle", 0.6, 100, 100), run("fast", 0.9, 500, 500))).toBe("middle")
  expect(nameOf(run("only", 0.3, null, null))).toBe("only")
})

test("the lower middle run is chosen from an even number of runs, because it was measured", () => {
  expect(nameOf(run("b", 0.7, 1, 1), run("a", 0.5, 1, 1), run("c", 0.9, 1, 1), run("d", 0.95, 1, 1))).toBe("b")
})

test("among runs with equal scores the one nearest to the median FCP and LCP is chosen", () => {
  const runs = [
    run("early", 0.8, 500, 1000),
    run("typical", 0.8, 1010, 2010),
    run("late", 0.8, 3000, 5000),
    run("good", 0.9, 1000, 2000),
    run("bad", 0.2, 1100, 2100)
  ] as const
  expect(nameOf(...runs)).toBe("typical")
})

test("the spread has the lowest and highest value of all runs, and null for values that none measured", () => {
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
