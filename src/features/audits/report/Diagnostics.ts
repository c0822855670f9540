import type { RenderBlockingResource, VitalsDiagnostics } from "../CoreWebVitals.ts"
import { at, elements, measured, objectsWithin, text } from "./Json.ts"
import { plain } from "./PlainText.ts"

const maxSelector = 1_000
const maxUrl = 2_048
const maxResources = 100

const lcpAudits = [
  "lcp-breakdown-insight",
  "lcp-phases-insight",
  "lcp-discovery-insight",
  "largest-contentful-paint-element"
]

const lcpSelector = (report: unknown): string | null => {
  for (const id of lcpAudits)
    for (const object of objectsWithin(at(report, "audits", id, "details"))) {
      const selector = object.type === "node" ? text(object.selector) : null
      if (selector !== null && selector !== "") return plain(selector, maxSelector)
    }
  return null
}

const readResource = (item: unknown): ReadonlyArray<RenderBlockingResource> => {
  const url = text(at(item, "url"))
  const bytes = measured(at(item, "totalBytes"))
  if (url === null || url === "") return []
  return [
    {
      url: plain(url, maxUrl),
      transfer_bytes: bytes === null ? null : Math.min(Math.round(bytes), Number.MAX_SAFE_INTEGER),
      wasted_ms: measured(at(item, "wastedMs"))
    }
  ]
}

const renderBlocking = (report: unknown): ReadonlyArray<RenderBlockingResource> => {
  for (const id of ["render-blocking-insight", "render-blocking-resources"]) {
    const items = elements(at(report, "audits", id, "details", "items"))
    if (items.length > 0) return items.slice(0, maxResources).flatMap(readResource)
  }
  return []
}

/** The LCP element and the render-blocking requests (at most 100): insights of Lighthouse 12 and 13 first, older audits next. */
export const readDiagnostics = (report: unknown): VitalsDiagnostics => ({
  lcp_element_selector: lcpSelector(report),
  render_blocking_resources: renderBlocking(report)
})
