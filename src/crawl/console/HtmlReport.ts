import type * as Effect from "effect/Effect"
import { each, type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import { plural } from "../../foundation/text/Words.ts"
import type { CrawlDiff } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { DeadLink, DeadLinks } from "../report/Summary.ts"
import { changeSection } from "./HtmlChange.ts"
import { findingSections } from "./HtmlFindings.ts"
import { pageTable, scriptHash } from "./HtmlPages.ts"
import { html, link, type Markup } from "./Markup.ts"
import { sitePicture } from "./SitePicture.ts"
import { style } from "./Style.ts"
import { safe } from "./Text.ts"
import { madeBy, reasonWords, ruleName, terminationWords } from "./Wording.ts"

const costs = ({ score }: CrawlResult): Markup | null => {
  const worst = score.score_version === 1 ? [] : score.breakdown.lost.slice(0, 5)
  return worst.length === 0
    ? null
    : html`<ul>${worst.map(({ points, rule }) => html`<li><small>${ruleName(rule)}: ${points < 1 ? points.toFixed(1) : points.toFixed(0)} points</small></li>`)}</ul>`
}

/** Above critical findings no score is shown as good. */
const scoreCard = (result: CrawlResult): Markup => {
  const { aggregate_score, coverage, range, status } = result.score
  if (aggregate_score === null) return html`<p class="score">No score: nothing could be measured.</p>`
  const critical = result.findings.filter(({ severity, status }) => status === "fail" && severity === "critical").length
  const notes = [
    (status ?? "").replace("_", " "),
    ...(critical === 0 ? [] : [plural(critical, "critical finding")]),
    ...(range.low === range.high ? [] : [`between ${range.low} and ${range.high} with what is unverified`]),
    `${Math.floor(coverage * 100)} % of the pages assessed`
  ]
  return html`<div class="score ${critical > 0 && status === "good" ? "flawed" : status}"><span><b>${aggregate_score}</b> of 100</span><span>${notes.join(" · ")}</span>${costs(result)}</div>`
}

const inventory = ({ summary }: CrawlResult): Markup =>
  html`<h2>Inventory</h2><table><tbody><tr><td class="n">${summary.inventory.eligible}</td><td>${reasonWords.ok}</td><td class="u"></td></tr>${summary.inventory.reasons.map(
    ({ count, example_url, reason }) =>
      html`<tr><td class="n">${count}</td><td>${reasonWords[reason]}</td><td class="u"><small>such as</small> ${link(example_url)}</td></tr>`
  )}</tbody></table>`

const deadLink = ({ all_linked_from, anchor_text, http_status, linked_from, url }: DeadLink): Markup =>
  html`<tr><td class="n">${http_status}</td><td class="u">${link(url)}<br><small>${safe(anchor_text ?? "")}</small></td><td class="u">${linked_from.map((from) => html`${link(from)}<br>`)}${(all_linked_from?.length ?? 0) > linked_from.length ? html`<small>and ${(all_linked_from?.length ?? 0) - linked_from.length} more</small>` : null}</td></tr>`

function* brokenLinks(title: string, { checked, found, items, state, unverified }: DeadLinks) {
  yield html`<h2>${title}</h2><p>${state}: ${found} found, ${checked} checked, ${unverified} unverified.</p><table><tbody>`
  for (const item of items) yield deadLink(item)
  yield html`</tbody></table>`
}

/** Dead links, and links to other sites of a run that was told to ask. */
function* linkSections({ summary: { dead_links, external_links } }: CrawlResult) {
  yield* brokenLinks("Dead links", dead_links)
  if (external_links !== undefined && external_links.state !== "disabled")
    yield* brokenLinks("Links to other sites", external_links)
}

/** What the report may do in a browser. */
export const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'`

const beginning = (result: CrawlResult): Markup => {
  const start = safe(result.pages[0]?.url ?? "")
  const { crawl, pages: counts, termination } = result.summary
  const made = crawl === undefined ? null : html`<p class="quiet">${madeBy(crawl)}</p>`
  const met = `${plural(counts.discovered, "URL")} met: ${counts.fetched} answered, ${counts.failed} without answer, ${counts.skipped} not requested; ${terminationWords[termination]}.`
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Site health of ${start}</title><style>${style}</style></head><body><h1>Site health of ${start}</h1>${made}${scoreCard(result)}<p>${met}</p>`
}

function* parts(result: CrawlResult, diff: CrawlDiff | null) {
  yield beginning(result)
  if (diff !== null) yield changeSection(diff)
  yield* findingSections(result)
  yield sitePicture(result)
  yield inventory(result)
  yield* linkSections(result)
  yield* pageTable(result)
  yield html`</body></html>\n`
}

function* written(result: CrawlResult, diff: CrawlDiff | null): Steps<string> {
  const texts: Array<string> = []
  yield* each(parts(result, diff), ({ text }) => texts.push(text) && text.length)
  return texts.join("")
}

/** The report as one self-contained HTML file: no requests, one script of ours, everything from the site escaped. It may be megabytes, so others have their turn meanwhile. */
export const renderHtml = (result: CrawlResult, diff: CrawlDiff | null = null): Effect.Effect<string> =>
  unhurried(written(result, diff))
