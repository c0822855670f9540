import { describe, expect, test } from "bun:test"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { assess } from "../../../../src/features/audits/Assessment.ts"
import { layer, PageSpeedInsights } from "../../../../src/features/audits/Auditor.ts"
import { sourceOf } from "../../../../src/features/audits/Domain.ts"
import { importReport, readPsi, readReport } from "../../../../src/features/audits/report/ReadPsi.ts"
import { Outbound } from "../../../../src/foundation/outbound/Outbound.ts"
import { client } from "../../../foundation/outbound/client.ts"
import { it } from "../../../harness.ts"
import { type Answer, google } from "../google.ts"
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
  test("field values take precedence, and the layout shift is divided by 100", () => {
    const { field, report: lab } = read(psi())
    const { metrics, status } = Either.getOrThrow(assess(lab, field)).report.core_web_vitals
    expect(metrics).toEqual({ lcp_ms: 3100, inp_ms: 180, fcp_ms: 1500, ttfb_ms: 700, cls: 0.05 })
    expect(status).toBe("needs_improvement")
    expect(sourceOf(lab.lab, field, "inp_ms")).toBe("page_field")
  })

  test("data of the whole origin are marked", () => {
    const { field, report: lab } = read(psi({ loadingExperience: experience({ origin_fallback: true }) }))
    expect(sourceOf(lab.lab, field, "lcp_ms")).toBe("origin_field")
  })

  test("lab values are kept if there are no field data", () => {
    const { field, report: lab } = read(psi({ loadingExperience: { initial_url: "https://shop.example/page" } }))
    expect(field).toBeNull()
    expect(sourceOf(lab.lab, field, "lcp_ms")).toBe("lab")
    expect(sourceOf(lab.lab, field, "inp_ms")).toBeNull()
  })

  test("a partial record replaces only its own values", () => {
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
      "psi.json: error: is an error response of PageSpeed Insights, not a report"
    )
    expect(Either.flip(readReport({ error: { code: 429, message: "quota" } }, "body"))).toMatchObject({
      right: { field: "error", reason: "is an error response of PageSpeed Insights, not a report" }
    })
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

  test("values of the page replace lab values, and the layout shift is a string", () => {
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
    expect(refusal({ url: "https://shop.example/other" })).toBe(
      "crux.json: record.key: is another page than that of the report"
    )
    expect(refusal({ origin: "https://example.com" })).toBe(
      "crux.json: record.key: is another page than that of the report"
    )
    expect(refusal({ origin: "https://shop.example", formFactor: "DESKTOP" })).toContain("record.key.formFactor")
    expect(refusal({})).toContain("must have an http or https url or origin")
  })

  test("values that are no numbers are ignored", () => {
    const odd = record(
      { origin: "https://shop.example" },
      { cumulative_layout_shift: p75("NaN"), first_contentful_paint: p75(900), largest_contentful_paint: p75("1e3") }
    )
    const { field } = Either.getOrThrow(withCrux(odd))
    expect(field?.metrics).toMatchObject({ cls: null, fcp_ms: 900, lcp_ms: null })
  })

  const p75s = (...values: ReadonlyArray<unknown>) => ({ percentilesTimeseries: { p75s: values } })

  test("the latest values of a history count, except periods without enough users", () => {
    const history = {
      record: {
        collectionPeriods: [],
        key: { formFactor: "PHONE", origin: "https://shop.example" },
        metrics: {
          cumulative_layout_shift: p75s("0.30", "0.12", "0.05"),
          interaction_to_next_paint: p75s(null, null, 180),
          largest_contentful_paint: p75s(3000, 2600, null)
        }
      }
    }
    const { field } = Either.getOrThrow(withCrux(history))
    expect(field).toEqual({
      metrics: { cls: 0.05, fcp_ms: null, inp_ms: 180, lcp_ms: 2600, ttfb_ms: null },
      scope: "origin"
    })
  })

  test("a record without values is refused, so that it removes no field data", () => {
    const refusal = (metrics: Record<string, unknown>) =>
      Either.getOrThrow(Either.flip(withCrux(record({ origin: "https://shop.example" }, metrics)))).message
    const message = "crux.json: record.metrics: has no 75th percentile of LCP, INP, CLS, FCP or time to first byte"
    expect(refusal({})).toBe(message)
    expect(refusal({ largest_contentful_paint: p75s(null, null) })).toBe(message)
    expect(refusal({ round_trip_time: p75(80) })).toBe(message)
  })
})

const page = new URL("https://shop.example/page?a=1&b=2")

const run = (url: string, more: Record<string, string> = {}) => {
  const settings = new Map(Object.entries({ FINDABLE_PSI_KEY: "AIza-secret", FINDABLE_PSI_URL: url, ...more }))
  return Effect.flatMap(PageSpeedInsights, (psi) => psi.run(page, "desktop")).pipe(
    Effect.provide(
      layer.pipe(
        Layer.provide(Layer.succeed(Outbound, client())),
        Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(settings))),
        Layer.orDie
      )
    )
  )
}

const answered = (answer: Answer) => Effect.flatMap(google(answer), ({ url }) => run(url))

describe("the PageSpeed Insights client", () => {
  it("requests the four categories, the device and the page, with the key", function* () {
    const { asked, url } = yield* google({ status: 200, body: { lighthouseResult: report() } })
    const { report: read } = yield* run(url)
    expect(read.url).toBe("https://shop.example/page")
    const query = asked[0]?.searchParams
    expect(asked[0]?.pathname).toBe("/psi")
    expect(query?.get("url")).toBe(page.href)
    expect(query?.get("strategy")).toBe("desktop")
    expect(query?.getAll("category").sort()).toEqual(["accessibility", "best-practices", "performance", "seo"])
    expect(query?.get("key")).toBe("AIza-secret")
  })

  it("reports the reason why Lighthouse could not load a page", function* () {
    const message = "Lighthouse returned error: DNS_FAILURE. The host could not be resolved."
    const error = yield* Effect.flip(answered({ status: 400, body: { error: { code: 400, message } } }))
    expect(error.failure).toMatchObject({ code: "dns_failure", lighthouse_code: "DNS_FAILURE" })
  })

  const refusals = [
    [429, "quota is used up"],
    [400, "rejected the request"],
    [403, "rejected the API key"],
    [500, "status 500"]
  ] as const
  for (const [status, words] of refusals)
    it(`says in one sentence the meaning of status ${status}`, function* () {
      const error = yield* Effect.flip(answered({ status, body: { error: { message: "AIza-secret" } } }))
      expect(error.failure.code).toBe("source_unavailable")
      expect(error.message).toContain(words)
      expect(error.message).not.toContain("secret")
    })

  it("removes the key from a report that repeats it", function* () {
    const requestedUrl = "https://shop.example/?key=AIza%2Dsecret"
    const read = yield* answered({ status: 200, body: { lighthouseResult: { ...report(), requestedUrl } } })
    expect(read.report.url).toBe("https://shop.example/?key=[key]")
  })

  it("never shows the key when the connection fails", function* () {
    const { url } = yield* google("silence")
    const error = yield* Effect.flip(run(url, { FINDABLE_AUDIT_TIMEOUT: "50 millis" }))
    expect(error.message).toBe("PageSpeed Insights did not respond (timeout).")
  })

  it("names the field of a response that is no report", function* () {
    const error = yield* Effect.flip(
      answered({ status: 200, body: { lighthouseResult: { lighthouseVersion: "13.5.0" } } })
    )
    expect(error.message).toBe("PageSpeed Insights: lighthouseResult: requestedUrl: must be an http or https URL")
  })
})
