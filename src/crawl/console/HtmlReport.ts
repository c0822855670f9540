import type * as Effect from "effect/Effect"
import { each, type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import { plural } from "../../foundation/text/Words.ts"
import type { CrawlDiff } from "../diff/CrawlDiff.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { AgentSummary } from "../report/RobotsSummary.ts"
import type { DeadLink, DeadLinks } from "../report/Summary.ts"
import { quoted } from "../rules/Targets.ts"
import { changeSection } from "./HtmlChange.ts"
import { findingSections } from "./HtmlFindings.ts"
import { pageTable, scriptHash } from "./HtmlPages.ts"
import { html, link, type Markup } from "./Markup.ts"
import { notRead } from "./NotRead.ts"
import { sitePicture } from "./SitePicture.ts"
import { style } from "./Style.ts"
import { safe } from "./Text.ts"
import { costsOf, madeBy, reasonWords, sightWords, startWords } from "./Wording.ts"

const costs = (result: CrawlResult): Markup | null => {
  const worst = costsOf(result)
  return worst.length === 0 ? null : html`<ul>${worst.map((each) => html`<li><small>${each}</small></li>`)}</ul>`
}

/** What the run could not read comes before anything that it says. */
const unread = (result: CrawlResult): Markup => {
  const { head, parts } = notRead(result)
  return html`<p><b>Not read:</b> ${head}.</p>${
    parts.length === 0
      ? null
      : html`<ul>${parts.map(({ count, example, words }) => html`<li class="u">${plural(count, "URL")}: ${words}${example === null ? null : html`, <small>such as</small> ${link(example)}`}</li>`)}</ul>`
  }`
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
  html`<tr><td class="n">${http_status}</td><td class="u">${link(url)}<br><small>${anchor_text === null ? null : safe(quoted(anchor_text))}</small></td><td class="u">${linked_from.map((from) => html`${link(from)}<br>`)}${(all_linked_from?.length ?? 0) > linked_from.length ? html`<small>and ${(all_linked_from?.length ?? 0) - linked_from.length} more</small>` : null}</td></tr>`

function* deadLinks(title: string, { checked, found, items, state, unverified }: DeadLinks) {
  yield html`<h2>${title}</h2><p>${state}: ${found} found, ${checked} checked, ${unverified} unverified.</p><table><tbody>`
  for (const item of items) yield deadLink(item)
  yield html`</tbody></table>`
}

const agentRow = (agent: AgentSummary): Markup =>
  html`<tr><td>${agent.agent}</td><td class="n" data-is="pages">${agent.allowed_pages}</td><td class="n" data-is="blocked">${agent.blocked_pages}</td><td class="u">${safe(startWords(agent))}</td></tr>`

/** What robots.txt lets search engines and AI companies read. */
const agents = ({ summary: { robots } }: CrawlResult): Markup | null =>
  robots.agents.length === 0
    ? null
    : html`<h2>robots.txt by agent</h2><table><thead><tr><th>Agent</th><th class="n">Pages</th><th class="n">Blocked</th><th>Start page</th></tr></thead><tbody>${robots.agents.map(agentRow)}</tbody></table>`

/** What the report may do in a browser. */
export const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'`

const beginning = (result: CrawlResult): Markup => {
  const start = safe(result.pages[0]?.url ?? "")
  const { crawl, pages: counts } = result.summary
  const met = `${plural(counts.discovered, "URL")} met: ${counts.fetched} answered, ${counts.failed} without answer, ${counts.skipped} not requested; ${sightWords(result.summary)}.`
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Site health of ${start}</title><style>${style}</style></head><body><h1>Site health of ${start}</h1><p class="quiet">${madeBy(crawl)}</p><p>${met}</p>${unread(result)}${scoreCard(result)}`
}

function* parts(result: CrawlResult, diff: CrawlDiff | null) {
  yield beginning(result)
  if (diff !== null) yield changeSection(diff)
  yield* findingSections(result)
  yield sitePicture(result)
  yield inventory(result)
  const robots = agents(result)
  if (robots !== null) yield robots
  const { dead_links, external_links } = result.summary
  yield* deadLinks("Dead links", dead_links)
  if (external_links.state !== "disabled") yield* deadLinks("Links to other sites", external_links)
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
