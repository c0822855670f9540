import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import type { MeasuredPage, PageEvidence } from "../report/MeasuredPage.ts"
import { healthStateOf } from "../report/States.ts"

const evidenceOf = (page: AnalysedPage): PageEvidence | null => {
  const attempts = page.visit?.attempts ?? []
  if (attempts.length === 0 && page.robotsLine === null && page.note === null) return null
  return {
    attempts,
    redirect_chain: page.chain.hops,
    also: page.also,
    robots_line: page.robotsLine,
    note: page.note
  }
}

/** The report's entry for one URL. */
export const pageEntry = (page: AnalysedPage): MeasuredPage => ({
  url: page.url,
  depth: page.record.depth,
  http_status: page.visit?.status ?? null,
  fetch_state: page.fetchState,
  indexability_state: page.indexability,
  health_state: healthStateOf[page.reason],
  health_reason: page.reason,
  title: page.visit?.facts?.title ?? null,
  canonical_url: page.canonical.url ?? page.canonical.urls[0] ?? null,
  redirect_to: (page.visit?.redirect ?? page.visit?.refresh)?.to ?? null,
  response_ms: page.visit?.millis ?? null,
  content_bytes: page.visit?.bytes ?? null,
  linked_from_count: page.record.linkedFromCount,
  evidence: evidenceOf(page)
})
