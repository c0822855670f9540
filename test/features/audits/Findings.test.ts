import { describe, expect, test } from "bun:test"
import { vitalsStatus } from "../../../src/features/audits/Domain.ts"
import { findVerdicts } from "../../../src/features/audits/Findings.ts"
import { check, read, report } from "./reports.ts"

const none = { lcp_ms: null, inp_ms: null, fcp_ms: null, ttfb_ms: null, cls: null }

describe("the status of Core Web Vitals", () => {
  const status = (lcp_ms: number | null, inp_ms: number | null, cls: number | null) =>
    vitalsStatus({ ...none, lcp_ms, inp_ms, cls })

  test("at a boundary belongs to the better class", () => {
    expect(status(2500, 200, 0.1)).toBe("good")
    expect(status(2500.01, 200, 0.1)).toBe("needs_improvement")
    expect(status(4000, 500, 0.25)).toBe("needs_improvement")
    expect(status(4000.01, 200, 0.1)).toBe("poor")
    expect(status(100, 501, 0)).toBe("poor")
    expect(status(100, null, 0.26)).toBe("poor")
  })

  test("may lack INP, but not LCP or CLS", () => {
    expect(status(2500, null, 0)).toBe("good")
    expect(status(null, 9_000, 9)).toBe("unknown")
    expect(status(9_000, 9_000, null)).toBe("unknown")
  })
})

describe("the counts of checks", () => {
  const summary = (json: unknown) => findVerdicts(read(json)).summary

  test("pass a score of 0.9 and fail a lower one", () => {
    expect(summary(report({ seo: { canonical: check(0.9), hreflang: check(0.89) } }))).toEqual({
      critical: 0,
      warning: 1,
      passed: 1
    })
  })

  test("ignore checks without a result, metrics and hidden checks", () => {
    const json = report({
      seo: {
        "structured-data": check(null, { scoreDisplayMode: "manual" }),
        hreflang: check(0, { scoreDisplayMode: "informative" }),
        canonical: check(0, { scoreDisplayMode: "error" })
      }
    })
    expect(summary(json)).toEqual({ critical: 0, warning: 0, passed: 0 })
    const hidden = { score: 1, auditRefs: [{ id: "hreflang", weight: 0, group: "hidden" }] }
    const withHidden = {
      ...json,
      categories: { ...Object(json.categories), seo: hidden },
      audits: { hreflang: check(0) }
    }
    expect(summary(withHidden)).toEqual({ critical: 0, warning: 0, passed: 0 })
  })

  test("count a check of two categories once, in the category where it is worst", () => {
    const { findings, summary } = findVerdicts(
      read(
        report(
          { seo: { "image-alt": check(0) } },
          {
            categories: {
              performance: { score: 1, auditRefs: [] },
              "best-practices": { score: 1, auditRefs: [{ id: "image-alt", weight: 1 }] },
              accessibility: { score: 1, auditRefs: [{ id: "image-alt", weight: 10 }] },
              seo: { score: 1, auditRefs: [{ id: "image-alt", weight: 1 }] }
            }
          }
        )
      )
    )
    expect(summary).toEqual({ critical: 1, warning: 0, passed: 0 })
    expect(findings[0]).toMatchObject({ category: "accessibility", severity: "critical" })
  })

  test("named checks, heavy accessibility weights and large savings are critical", () => {
    const savings = (metricSavings: Record<string, number>) =>
      check(0, { scoreDisplayMode: "metricSavings", metricSavings })
    const { findings } = findVerdicts(
      read(
        report({
          seo: { "is-crawlable": check(0), "http-status-code": check(0), canonical: check(0) },
          "best-practices": { "is-on-https": check(0) },
          accessibility: { label: check(0) },
          performance: {
            "cache-insight": savings({ LCP: 1000 }),
            "unsized-images": savings({ CLS: 0.1 }),
            "long-tasks": savings({ TBT: 999, CLS: 0.09 })
          }
        })
      )
    )
    const critical = findings.filter((finding) => finding.severity === "critical").map((finding) => finding.audit.id)
    expect(critical.sort()).toEqual([
      "cache-insight",
      "http-status-code",
      "is-crawlable",
      "is-on-https",
      "unsized-images"
    ])
  })

  test("the estimate of an old report is as critical as its successor by metric", () => {
    const severity = (more: Record<string, unknown>) =>
      findVerdicts(read(report({ performance: { "uses-long-cache-ttl": check(0, more) } }))).findings[0]?.severity
    const saved = (overallSavingsMs: number) => ({ details: { items: [], overallSavingsMs, type: "opportunity" } })
    expect(severity(saved(1000))).toBe("critical")
    expect(severity(saved(999))).toBe("warning")
    // Savings by metric take precedence.
    expect(severity({ ...saved(1000), metricSavings: { FCP: 0, LCP: 0 } })).toBe("warning")
    expect(severity({ ...saved(0), metricSavings: { FCP: 0, LCP: 1000 } })).toBe("critical")
  })

  test("critical issues come first, then those with the largest savings", () => {
    const savings = (LCP: number) => check(0, { scoreDisplayMode: "metricSavings", metricSavings: { LCP } })
    const { findings } = findVerdicts(
      read(
        report({
          performance: {
            "unused-javascript": savings(100),
            "cache-insight": savings(400),
            "bootup-time": savings(3000)
          },
          seo: { "is-crawlable": check(0), canonical: check(0.5) }
        })
      )
    )
    expect(findings.map((finding) => finding.audit.id)).toEqual([
      "is-crawlable",
      "bootup-time",
      "canonical",
      "cache-insight",
      "unused-javascript"
    ])
  })
})
