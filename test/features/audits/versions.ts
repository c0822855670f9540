import { check, node, report } from "./reports.ts"

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
      // Lighthouse knew only the requested and the final address before version 10.
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

/** One report for each shape that the versions have had, and the TTFB that is to be read from it. */
export const versions: ReadonlyArray<readonly [version: string, report: Record<string, unknown>, ttfb: number]> = [
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
