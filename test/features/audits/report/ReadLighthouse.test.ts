import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import { assess } from "../../../../src/features/audits/Assessment.ts"
import { importReport } from "../../../../src/features/audits/report/ReadPsi.ts"
import { assessed, check, complaint, node, read, report } from "../reports.ts"

const blocking = { url: "https://shop.example/a.css", totalBytes: 2048, wastedMs: 300 }

const hero = node("main > img.hero")

/** The LCP element as Lighthouse 6 to 12 gives it: one table, from 10 on inside a list. */
const lcpElement = (nested: boolean) => {
  const table = { type: "table", headings: [], items: [{ node: hero }] }
  return check(null, { details: nested ? { type: "list", items: [table, { type: "table", items: [] }] } : table })
}

const opportunity = check(0.4, {
  scoreDisplayMode: "numeric",
  details: { type: "opportunity", headings: [], items: [blocking], overallSavingsMs: 300 }
})

const metricsAudit = check(null, {
  scoreDisplayMode: "informative",
  details: { type: "debugdata", items: [{ timeToFirstByte: 450 }] }
})

const old = (version: string, nested: boolean, withTtfb: boolean) =>
  report(
    {
      performance: {
        "render-blocking-resources": opportunity,
        "largest-contentful-paint-element": lcpElement(nested),
        "server-response-time": check(1, { numericValue: 120 }),
        ...(withTtfb ? { metrics: metricsAudit } : {})
      }
    },
    {
      lighthouseVersion: version,
      // Before version 10 Lighthouse knew only the requested and the final URL.
      ...(nested ? {} : { finalDisplayedUrl: undefined }),
      ...(version.startsWith("6")
        ? { configSettings: { emulatedFormFactor: "mobile" }, runtimeError: { code: "NO_ERROR" } }
        : {})
    }
  )

const insights = (version: string, breakdown: string, rowKey: string) =>
  report(
    {
      performance: {
        "render-blocking-insight": check(0.5, {
          scoreDisplayMode: "metricSavings",
          metricSavings: { FCP: 300, LCP: 300 },
          details: { type: "table", headings: [], items: [blocking] }
        }),
        [breakdown]: check(null, {
          scoreDisplayMode: "informative",
          details: {
            type: "list",
            items: [{ type: "table", headings: [], items: [{ [rowKey]: "timeToFirstByte", duration: 131 }] }, hero]
          }
        })
      }
    },
    { lighthouseVersion: version }
  )

/** One report for each format of the versions, and its expected TTFB. */
const versions: ReadonlyArray<readonly [version: string, report: Record<string, unknown>, ttfb: number]> = [
  ["6.0.0", old("6.0.0", false, false), 120],
  ["7.0.0", old("7.0.0", false, false), 120],
  ["8.0.0", old("8.0.0", false, false), 120],
  ["9.3.0", old("9.3.0", false, false), 120],
  ["10.1.0", old("10.1.0", true, true), 450],
  ["11.4.0", old("11.4.0", true, true), 450],
  ["12.0.0", old("12.0.0", true, true), 450],
  ["12.6.1", insights("12.6.1", "lcp-phases-insight", "phase"), 131],
  ["13.0.0", insights("13.0.0", "lcp-breakdown-insight", "subpart"), 131],
  ["13.5.0", insights("13.5.0", "lcp-breakdown-insight", "subpart"), 131],
  ["14.0.0", insights("14.0.0", "lcp-breakdown-insight", "subpart"), 131]
]

describe("a Lighthouse report of any version from 6 on", () => {
  for (const [version, json, ttfb] of versions)
    test(`is parsed in the format of ${version}`, () => {
      const { core_web_vitals, scores, url } = assessed(json).report
      expect(url).toBe("https://shop.example/page")
      expect(scores).toEqual({ performance: 90, seo: 60, accessibility: 80, best_practices: 70 })
      expect(core_web_vitals.metrics).toEqual({
        lcp_ms: 2600.25,
        inp_ms: null,
        fcp_ms: 1000.5,
        ttfb_ms: ttfb,
        cls: 0.05
      })
      expect(core_web_vitals.diagnostics).toEqual({
        lcp_element_selector: "main > img.hero",
        render_blocking_resources: [{ url: "https://shop.example/a.css", transfer_bytes: 2048, wasted_ms: 300 }]
      })
      expect(read(json).device).toBe("mobile")
    })

  test("has INP only after an interaction, and never from blocking time", () => {
    const interaction = { "interaction-to-next-paint": check(1, { numericValue: 41.019 }) }
    expect(assessed(report({ performance: interaction })).report.core_web_vitals.metrics.inp_ms).toBe(41.019)
    const blocking = { "total-blocking-time": check(0.2, { numericValue: 900 }) }
    expect(assessed(report({ performance: blocking })).report.core_web_vitals.metrics.inp_ms).toBeNull()
  })

  test("has null for missing measurements", () => {
    const { metrics, status } = assessed(report({}, { audits: {} })).report.core_web_vitals
    expect(metrics).toEqual({ lcp_ms: null, inp_ms: null, fcp_ms: null, ttfb_ms: null, cls: null })
    expect(status).toBe("unknown")
  })

  test("has the rounded overall score of its four rounded scores", () => {
    expect(assessed(report()).report.overall_score).toBe(75)
  })
})

describe("a failed audit", () => {
  const failure = (json: unknown) => Either.getOrThrow(Either.flip(assess(read(json), null)))

  test("has the meaning of its runtimeError", () => {
    const json = report(
      {},
      { categories: {}, audits: {}, runtimeError: { code: "DNS_FAILURE", message: "evil\u202e" } }
    )
    expect(failure(json)).toEqual({
      code: "dns_failure",
      message: "DNS lookup found no address for the host of the page.",
      lighthouse_code: "DNS_FAILURE"
    })
  })

  test("is unreachable behind a browser's own error page, not insecure, and a refused connection is named", () => {
    const said = (code: string, message = "") => failure(report({}, { runtimeError: { code, message } })).code
    expect(said("INSECURE_DOCUMENT_REQUEST")).toBe("page_insecure")
    expect(said("CHROME_INTERSTITIAL_ERROR")).toBe("page_unreachable")
    expect(said("CHROME_INTERSTITIAL_ERROR", "(Details: net::ERR_CONNECTION_REFUSED)")).toBe("connection_refused")
    expect(said("FAILED_DOCUMENT_REQUEST", "(Details: net::ERR_CONNECTION_REFUSED)")).toBe("connection_refused")
    expect(said("FAILED_DOCUMENT_REQUEST", "(Details: net::ERR_CONNECTION_RESET)")).toBe("page_unreachable")
  })

  test("keeps the code of an unknown runtimeError, and no malformed one", () => {
    expect(failure(report({}, { runtimeError: { code: "NEW_ONE" } })).lighthouse_code).toBe("NEW_ONE")
    expect(failure(report({}, { runtimeError: { code: "ignore all\nrules" } })).lighthouse_code).toBe("UNKNOWN_ERROR")
    expect(failure(report({}, { runtimeError: { code: "constructor" } })).code).toBe("lighthouse_error")
  })

  test("is the result of a category without a score", () => {
    const json = report()
    const broken = { ...json, categories: { ...Object(json.categories), performance: { score: null, auditRefs: [] } } }
    expect(failure(broken)).toMatchObject({ code: "score_missing" })
  })
})

describe("an invalid report", () => {
  test("is refused with the file and the field", () => {
    expect(complaint(null)).toBe("report.json: must contain a JSON object")
    expect(complaint([])).toBe("report.json: must contain a JSON object")
    expect(complaint({})).toBe("report.json: lighthouseVersion: is missing: this is not a Lighthouse report")
    expect(complaint(report({}, { lighthouseVersion: "5.6.0" }))).toContain("lighthouseVersion: is 5.6.0")
    expect(complaint(report({}, { requestedUrl: "file:///etc/passwd", finalUrl: 1, finalDisplayedUrl: "x" }))).toBe(
      "report.json: requestedUrl: must be an http or https URL"
    )
    expect(complaint(report({}, { audits: [] }))).toBe("report.json: audits: must be an object")
    expect(complaint(report({ seo: { canonical: check(7) } }))).toBe(
      "report.json: audits.canonical.score: must be null or a number from 0 to 1"
    )
    expect(complaint(report({}, { audits: { "a b": {} } }))).toBe(
      'report.json: audits["a b"]: is not the id of an audit'
    )
    expect(complaint(report({}, { categories: { performance: { score: 1, auditRefs: [] } } }))).toStartWith(
      "report.json: categories.accessibility: is missing"
    )
    expect(complaint({ steps: [] })).toContain("user flow")
    expect(complaint({ lighthouseResult: report() })).toContain("PageSpeed Insights response")
  })

  test("is refused when it has too many checks", () => {
    const audits = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`a${i}`, check(1)]))
    expect(complaint(report({}, { audits }))).toBe("report.json: audits: has more than 1000 entries")
  })

  const imported = (bytes: Uint8Array) =>
    Either.match(importReport({ format: "lighthouse", bytes, name: "a.json" }, null), {
      onLeft: (error) => error.message,
      onRight: ({ report }) => report.version
    })

  test("is refused as a file that is empty, no JSON, nested too deeply or too large", () => {
    const text = new TextEncoder()
    expect(imported(new Uint8Array())).toBe("a.json: the file is empty")
    expect(imported(text.encode("{"))).toBe("a.json: not valid JSON")
    expect(imported(text.encode("[".repeat(2_000_000)))).toBe("a.json: not valid JSON")
    expect(imported(new Uint8Array(33 * 1024 * 1024))).toBe("a.json: larger than 32 MiB")
  })

  test("is not one with a UTF-8 or UTF-16 byte order mark", () => {
    const json = JSON.stringify(report())
    expect(imported(new TextEncoder().encode(`\ufeff${json}`))).toBe("13.5.0")
    expect(imported(new Uint8Array(Buffer.from(`\ufeff${json}`, "utf16le")))).toBe("13.5.0")
  })
})
