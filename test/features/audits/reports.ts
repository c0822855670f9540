import * as Either from "effect/Either"
import { type Assessment, assess } from "../../../src/features/audits/Assessment.ts"
import type { FieldData } from "../../../src/features/audits/Domain.ts"
import { readLighthouse } from "../../../src/features/audits/report/ReadLighthouse.ts"

type Json = Record<string, unknown>

/** A check that Lighthouse ran. */
export const check = (score: number | null, more: Json = {}): Json => ({
  score,
  scoreDisplayMode: score === null ? "notApplicable" : "binary",
  ...more
})

export const table = (...items: ReadonlyArray<Json>): Json => ({ type: "table", headings: [], items })

export const node = (selector: string): Json => ({
  type: "node",
  selector,
  snippet: `<p>${selector}</p>`,
  nodeLabel: selector
})

interface Checks {
  readonly performance?: Record<string, Json>
  readonly accessibility?: Record<string, Json>
  readonly "best-practices"?: Record<string, Json>
  readonly seo?: Record<string, Json>
}

const metrics: Record<string, Json> = {
  "first-contentful-paint": check(0.95, { numericValue: 1000.5 }),
  "largest-contentful-paint": check(0.8, { numericValue: 2600.25 }),
  "cumulative-layout-shift": check(1, { numericValue: 0.05 })
}

const category = (score: number | null, checks: Record<string, Json>, weight: number, group?: string): Json => ({
  score,
  auditRefs: Object.keys(checks).map((id) => ({ id, weight, ...(group === undefined ? {} : { group }) }))
})

/** A report in the format of Lighthouse 13: three metrics, and the given checks, each with a weight of 1 (accessibility 3). */
export const report = (checks: Checks = {}, more: Json = {}): Json => {
  const performance = checks.performance ?? {}
  const accessibility = checks.accessibility ?? {}
  const practices = checks["best-practices"] ?? {}
  const seo = checks.seo ?? {}
  const speed = category(0.9, performance, 0, "insights")
  const refs = Array.isArray(speed.auditRefs) ? speed.auditRefs : []
  return {
    lighthouseVersion: "13.5.0",
    requestedUrl: "https://shop.example/page",
    finalDisplayedUrl: "https://shop.example/page",
    finalUrl: "https://shop.example/page",
    fetchTime: "2026-11-01T10:00:00.000Z",
    gatherMode: "navigation",
    configSettings: { formFactor: "mobile" },
    categories: {
      performance: {
        ...speed,
        auditRefs: [...Object.keys(metrics).map((id) => ({ id, weight: 25, group: "metrics" })), ...refs]
      },
      accessibility: category(0.8, accessibility, 3),
      "best-practices": category(0.7, practices, 1),
      seo: category(0.6, seo, 1)
    },
    audits: { ...metrics, ...performance, ...accessibility, ...practices, ...seo },
    ...more
  }
}

/** Reads the report, or fails the test. */
export const read = (value: unknown) => Either.getOrThrow(readLighthouse(value, "report.json"))

/** Assesses the report, or fails the test. */
export const assessed = (value: unknown, field: FieldData | null = null): Assessment =>
  Either.getOrThrowWith(assess(read(value), field), (failure) => new Error(failure.message))

/** The error of an invalid report. */
export const complaint = (value: unknown): string =>
  Either.match(readLighthouse(value, "report.json"), { onLeft: (error) => error.message, onRight: () => "readable" })
