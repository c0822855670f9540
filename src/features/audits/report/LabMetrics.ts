import type { VitalsMetrics } from "../CoreWebVitals.ts"
import { at, measured, objectsWithin } from "./Json.ts"

const numericValue = (report: unknown, ...ids: ReadonlyArray<string>): number | null => {
  for (const id of ids) {
    const value = measured(at(report, "audits", id, "numericValue"))
    if (value !== null) return value
  }
  return null
}

const breakdownTtfb = (report: unknown): number | null => {
  for (const id of ["lcp-breakdown-insight", "lcp-phases-insight"])
    for (const row of objectsWithin(at(report, "audits", id, "details")))
      if (row.subpart === "timeToFirstByte" || row.phase === "timeToFirstByte") return measured(row.duration)
  return null
}

const ttfb = (report: unknown): number | null =>
  measured(at(report, "audits", "metrics", "details", "items", 0, "timeToFirstByte")) ??
  breakdownTtfb(report) ??
  numericValue(report, "server-response-time") ??
  measured(at(report, "audits", "document-latency-insight", "details", "debugData", "serverResponseTime"))

/**
 * Lab values of a report. TTFB is taken from the navigation metrics (Lighthouse 10.1 on), else the LCP breakdown, else the
 * server response time. INP needs an interaction: a navigation has none, and TBT never replaces it.
 */
export const readLabMetrics = (report: unknown): VitalsMetrics => ({
  lcp_ms: numericValue(report, "largest-contentful-paint"),
  inp_ms: numericValue(report, "interaction-to-next-paint", "experimental-interaction-to-next-paint"),
  fcp_ms: numericValue(report, "first-contentful-paint"),
  ttfb_ms: ttfb(report),
  cls: numericValue(report, "cumulative-layout-shift")
})
