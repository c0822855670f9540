import type { CrawlDiff } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { Finding } from "../report/Finding.ts"
import type { MeasuredPage } from "../report/MeasuredPage.ts"
import { html, type Markup } from "./Markup.ts"
import { style } from "./Style.ts"
import { safe } from "./Text.ts"
import { reasonWords, ruleWords, terminationWords } from "./Wording.ts"

/** A link only for web addresses: whatever else a redirect names is shown as text. */
const link = (url: string): Markup =>
  /^https?:\/\//i.test(url) ? html`<a href="${url}" rel="nofollow noreferrer">${safe(url)}</a>` : html`${safe(url)}`

const score = ({ score: { aggregate_score, coverage, range, status } }: CrawlResult): Markup =>
  aggregate_score === null
    ? html`<p class="score">No score: nothing could be measured.</p>`
    : html`<p class="score ${status}"><b>${aggregate_score}</b> of 100 <small>between ${range.low} and ${range.high} with what is unverified; ${Math.floor(coverage * 100)} % of the known pages assessed</small></p>`

const inventory = ({ summary }: CrawlResult): Markup =>
  html`<h2>Inventory</h2><table><tr><td class="n">${summary.inventory.eligible}</td><td>${reasonWords.ok}</td><td></td></tr>${summary.inventory.reasons.map(
    ({ count, example_url, reason }) =>
      html`<tr><td class="n">${count}</td><td>${reasonWords[reason]}</td><td>${link(example_url)}</td></tr>`
  )}</table>`

const deadLinks = ({ summary: { dead_links } }: CrawlResult): Markup =>
  html`<h2>Dead links</h2><p>${dead_links.state}: ${dead_links.found} found, ${dead_links.checked} checked, ${dead_links.unverified} unverified.</p><table>${dead_links.items.map(
    ({ anchor_text, http_status, linked_from, url }) =>
      html`<tr><td class="n">${http_status}</td><td>${link(url)}</td><td>${safe(anchor_text ?? "")}</td><td>${linked_from.map((from) => html`${link(from)}<br>`)}</td></tr>`
  )}</table>`

const failed = (finding: Finding): Markup => {
  const { fix, means, source } = ruleWords(finding.rule)
  return html`<details class="${finding.severity}"><summary><b>${finding.severity}</b> ${finding.rule} <small>${finding.count}</small></summary><p>${means}</p><p>${fix} <small>${source}</small></p><ul>${finding.evidence.items.map(
    ({ detail, url }) => html`<li>${link(url)} ${safe(detail)}</li>`
  )}</ul></details>`
}

const others = (title: string, findings: ReadonlyArray<Finding>): Markup =>
  html`<details><summary>${title} <small>${findings.length}</small></summary><ul>${findings.map(
    ({ evidence, rule }) => html`<li>${rule} <small>${evidence.reason ?? `${evidence.assessed} assessed`}</small></li>`
  )}</ul></details>`

const findings = ({ findings }: CrawlResult): Markup => {
  const of = (status: Finding["status"]) => findings.filter((finding) => finding.status === status)
  const bySeverity = (["critical", "warning", "info"] as const).flatMap((severity) =>
    of("fail").filter((finding) => finding.severity === severity)
  )
  return html`<h2>Findings</h2>${bySeverity.map(failed)}${others("Passed", of("pass"))}${others("Not assessed", of("not_assessed"))}`
}

const row = (page: MeasuredPage): Markup =>
  html`<tr class="${page.health_state}"><td class="n">${page.http_status}</td><td>${link(page.url)}<br><small>${safe(page.title ?? "")}</small></td><td>${reasonWords[page.health_reason]}</td><td>${page.indexability_state}</td><td class="n">${page.linked_from_count}</td></tr>`

const pages = ({ pages }: CrawlResult): Markup =>
  html`<h2>Pages</h2><table><tr><th>Status</th><th>URL</th><th>Health</th><th>Indexability</th><th>Linked from</th></tr>${pages.map(row)}</table>`

/** The report as one self-contained HTML file: no scripts, no requests, everything from the site escaped. */
export const renderHtml = (result: CrawlResult, _diff: CrawlDiff | null = null): string => {
  const start = safe(result.pages[0]?.url ?? "")
  const { pages: counts, termination } = result.summary
  const policy = "default-src 'none'; style-src 'unsafe-inline'"
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Site health of ${start}</title><style>${style}</style></head><body><h1>Site health of ${start}</h1>${score(result)}<p>${counts.discovered} URLs met, ${counts.fetched} answered, ${counts.failed} without answer, ${counts.skipped} not asked; ${terminationWords[termination]}.</p>${inventory(result)}${deadLinks(result)}${findings(result)}${pages(result)}</body></html>
`.text
}
