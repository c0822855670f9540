import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import { assess } from "../../../../src/features/audits/Assessment.ts"
import { sourceOf } from "../../../../src/features/audits/Domain.ts"
import { importReport, readPsi } from "../../../../src/features/audits/report/ReadPsi.ts"
import { report } from "../reports.ts"

const experience = (more: Record<string, unknown> = {}) => ({
  id: "https://shop.example/page",
  metrics: {
    LARGEST_CONTENTFUL_PAINT_MS: { percentile: 3100, category: "AVERAGE" },
    INTERACTION_TO_NEXT_PAINT: { percentile: 180, category: "FAST" },
    CUMULATIVE_LAYOUT_SHIFT_SCORE: { percentile: 5, category: "FAST" },
    FIRST_CONTENTFUL_PAINT_MS: { percentile: 1500, category: "FAST" },
    EXPERIMENTAL_TIME_TO_FIRST_BYTE: { percentile: 700, category: "FAST" }
  },
  ...more
})

const psi = (more: Record<string, unknown> = {}) => ({
  kind: "pagespeedonline#result",
  lighthouseResult: report(),
  loadingExperience: experience(),
  ...more
})

const read = (value: unknown) => Either.getOrThrow(readPsi(value, "psi.json"))
const psiComplaint = (value: unknown) => Either.getOrThrow(Either.flip(readPsi(value, "psi.json"))).message

describe("PageSpeed Insights", () => {
  test("field values win, and the layout shift is divided by 100", () => {
    const { field, report: lab } = read(psi())
    const { metrics, status } = Either.getOrThrow(assess(lab, field)).report.core_web_vitals
    expect(metrics).toEqual({ lcp_ms: 3100, inp_ms: 180, fcp_ms: 1500, ttfb_ms: 700, cls: 0.05 })
    expect(status).toBe("needs_improvement")
    expect(sourceOf(lab.lab, field, "inp_ms")).toBe("page_field")
  })

  test("data of the whole origin is marked as such", () => {
    const { field, report: lab } = read(psi({ loadingExperience: experience({ origin_fallback: true }) }))
    expect(sourceOf(lab.lab, field, "lcp_ms")).toBe("origin_field")
  })

  test("lab values stay where there is no field data", () => {
    const { field, report: lab } = read(psi({ loadingExperience: { initial_url: "https://shop.example/page" } }))
    expect(field).toBeNull()
    expect(sourceOf(lab.lab, field, "lcp_ms")).toBe("lab")
    expect(sourceOf(lab.lab, field, "inp_ms")).toBeNull()
  })

  test("a partial record replaces only what it has", () => {
    const some = {
      metrics: { LARGEST_CONTENTFUL_PAINT_MS: { percentile: 900 }, INTERACTION_TO_NEXT_PAINT: { percentile: "x" } }
    }
    const { field, report: lab } = read(psi({ loadingExperience: some }))
    expect(Either.getOrThrow(assess(lab, field)).report.core_web_vitals.metrics).toMatchObject({
      lcp_ms: 900,
      inp_ms: null,
      cls: 0.05
    })
  })

  test("errors and other files are named", () => {
    expect(psiComplaint({ error: { code: 429, message: "quota" } })).toBe(
      "psi.json: error: is an error answer of PageSpeed Insights, not a report"
    )
    expect(psiComplaint(report())).toContain("lighthouseResult: is missing")
    expect(psiComplaint(psi({ lighthouseResult: report({}, { audits: 1 }) }))).toBe(
      "psi.json: lighthouseResult: audits: must be an object"
    )
  })
})

describe("CrUX", () => {
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  const record = (key: Record<string, string>, metrics: Record<string, unknown>) => ({ record: { key, metrics } })
  const p75 = (value: unknown) => ({ percentiles: { p75: value } })
  const withCrux = (crux: unknown) =>
    importReport(
      { format: "lighthouse", bytes: bytes(report()), name: "lh.json" },
      { format: "crux", bytes: bytes(crux), name: "crux.json" }
    )
  const values = {
    largest_contentful_paint: p75(1198),
    interaction_to_next_paint: p75(49),
    cumulative_layout_shift: p75("0.31")
  }

  test("values of the page are laid over the lab values; the layout shift is a string", () => {
    const { field, report: lab } = Either.getOrThrow(withCrux(record({ url: "https://shop.example/page" }, values)))
    const { metrics, status } = Either.getOrThrow(assess(lab, field)).report.core_web_vitals
    expect(metrics).toEqual({ lcp_ms: 1198, inp_ms: 49, fcp_ms: 1000.5, ttfb_ms: null, cls: 0.31 })
    expect(status).toBe("poor")
  })

  test("a record of the origin is accepted and marked", () => {
    const { field } = Either.getOrThrow(
      withCrux(record({ origin: "https://shop.example", formFactor: "PHONE" }, values))
    )
    expect(field?.scope).toBe("origin")
  })

  test("a record of another page, site or device is refused", () => {
    const refusal = (key: Record<string, string>) =>
      Either.getOrThrow(Either.flip(withCrux(record(key, values)))).message
    expect(refusal({ url: "https://shop.example/other" })).toBe("crux.json: record.key: is not the page of the report")
    expect(refusal({ origin: "https://example.com" })).toBe("crux.json: record.key: is not the page of the report")
    expect(refusal({ origin: "https://shop.example", formFactor: "DESKTOP" })).toContain("record.key.formFactor")
    expect(refusal({})).toContain("must name an http or https url or origin")
  })

  test("values that are no numbers are no values", () => {
    const odd = record(
      { origin: "https://shop.example" },
      { cumulative_layout_shift: p75("NaN"), largest_contentful_paint: p75("1e3") }
    )
    const { field } = Either.getOrThrow(withCrux(odd))
    expect(field?.metrics).toMatchObject({ cls: null, lcp_ms: null })
  })
})
