import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { assess } from "../../../src/features/audits/Assessment.ts"
import { AuditReport } from "../../../src/features/audits/Domain.ts"
import { findingOrder, findVerdicts } from "../../../src/features/audits/Findings.ts"
import { readLighthouse } from "../../../src/features/audits/report/ReadLighthouse.ts"
import { readCrux, readPsi } from "../../../src/features/audits/report/ReadPsi.ts"
import { check, read, report } from "./reports.ts"

const isReport = Schema.is(AuditReport)

/** Reads and assesses whatever it is given; an answer that is not the contract's is a failure of the test. */
const digest = (value: unknown) => {
  const outcome = Either.flatMap(readLighthouse(value, "f"), (report) => assess(report, null))
  if (Either.isRight(outcome)) expect(isReport(outcome.right.report)).toBe(true)
}

/** A valid report with arbitrary values put over some of its members, at any depth. */
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

describe("laws", () => {
  test("any JSON is read without throwing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        digest(value)
        readPsi(value, "f")
        readCrux(value, "f")
      })
    )
  })

  test("a damaged report is read without throwing, and what comes out follows the contract", () => {
    fc.assert(
      fc.property(mutated, (value) => {
        digest(value)
        readPsi({ lighthouseResult: value, loadingExperience: value }, "f")
        readCrux({ record: value }, "f")
      }),
      { numRuns: 500 }
    )
  })

  test("every check is passed, failed or without verdict, and findings stand in a total order", () => {
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

  test("the order of checks in the file does not matter", () => {
    fc.assert(
      fc.property(checks, (performance) => {
        const turned = Object.fromEntries(Object.entries(performance).reverse())
        expect(findVerdicts(read(report({ performance: turned })))).toEqual(findVerdicts(read(report({ performance }))))
      })
    )
  })
})
