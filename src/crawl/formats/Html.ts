import type * as Effect from "effect/Effect"
import { each, type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import { plural } from "../../foundation/text/Words.ts"
import type { CrawlDiff, DeadLinkUnit, FindingUnit } from "../diff/CrawlDiff.ts"
import type { AgentSummary, CrawlResult, DeadLink, DeadLinks } from "../report/CrawlResult.ts"
import { countsOf, type Finding } from "../report/Finding.ts"
import { healthWords, indexabilityWords, reasonWords, verdictWords } from "../report/Labels.ts"
import { HealthState, type MeasuredPage } from "../report/MeasuredPage.ts"
import { verdictOn } from "../report/ScoreVerdict.ts"
import { quoted } from "../rules/Targets.ts"
import { html, link, Markup, style } from "./Markup.ts"
import {
  costsOf,
  type EvidenceGroup,
  fit,
  groupsOf,
  headOf,
  impactOf,
  madeBy,
  notRead,
  ruleName,
  ruleWords,
  safe,
  saidOf,
  scriptWords,
  shownUrls,
  sightWords,
  startWords,
  valueOf
} from "./Wording.ts"

const finding = ({ detail, rule, severity, url }: FindingUnit): Markup =>
  html`<li><span class="tag ${severity}">${severity}</span>${ruleName(rule)} <span class="u">${link(url)} <small>${safe(detail)}</small></span></li>`

const deadLink = ({ linked_from, url }: DeadLinkUnit): Markup =>
  html`<li>Broken link <span class="u">${link(url)} on ${link(linked_from)}</span></li>`

const list = (title: string, kind: string, items: ReadonlyArray<Markup>): ReadonlyArray<Markup> =>
  items.length === 0
    ? []
    : [
        html`<details open><summary><span class="tag ${kind}">${title}</span><small>${items.length}</small></summary><ul>${items}</ul></details>`
      ]

const pages = (title: string, changes: CrawlDiff["pages"]["added"]): ReadonlyArray<Markup> =>
  changes.length === 0
    ? []
    : [
        html`<details><summary>${title} <small>${changes.length}</small></summary><ul>${changes.map(({ url }) => html`<li class="u">${link(url)}</li>`)}</ul></details>`
      ]

/** Changes since the baseline: new and fixed issues in full, the rest in numbers. */
const changeSection = ({ dead_links, findings, pages: changed, score }: CrawlDiff): Markup => {
  const open = findings.not_comparable.length + dead_links.not_comparable.length
  const words = [
    `${findings.new.length} new, ${findings.fixed.length} fixed and ${findings.persisting.length} unresolved issues`,
    `${dead_links.new.length} new and ${dead_links.fixed.length} fixed broken links`,
    ...(open === 0 ? [] : [`${open} not comparable, because one of the crawls did not check them`]),
    ...(score === null ? [] : [`score ${score.before} → ${score.after}`])
  ]
  return html`<h2>Since the baseline</h2><p>${words.join("; ")}.</p>${list("new", "critical", [...findings.new.map(finding), ...dead_links.new.map(deadLink)])}${list("fixed", "fixed", [...findings.fixed.map(finding), ...dead_links.fixed.map(deadLink)])}${pages("Pages added", changed.added)}${pages("Pages removed", changed.removed)}${pages("Pages changed", changed.changed)}`
}

/** Groups visible at first; the others unfold. */
const shownGroups = 10

/** The value and the element at fault, as the site writes them. */
const thing = ({ item }: EvidenceGroup): Markup => {
  const value = valueOf(item)
  const { markup } = item
  return html`${value === null ? null : html`<br><small>value</small> <code>${safe(value)}</code>`}${markup === undefined ? null : html`<br><code>${safe(markup)}</code>`}`
}

const urlList = (urls: ReadonlyArray<string>): Markup =>
  html`<ul>${urls.map((url) => html`<li class="u">${link(url)}</li>`)}</ul>`

const ofOne = (group: EvidenceGroup): Markup =>
  html`<li><span class="u">${link(group.item.url)} ${safe(saidOf(group.item))}${thing(group)}</span></li>`

const ofSeveral = (group: EvidenceGroup): Markup => {
  const { count, urls } = group
  const rest = urls.slice(shownUrls)
  const unnamed = count - urls.length
  return html`<li><span class="u"><b>${safe(headOf(group))}</b>${thing(group)}</span>${urlList(urls.slice(0, shownUrls))}${rest.length === 0 ? null : html`<details><summary>${rest.length} more</summary>${urlList(rest)}</details>`}${unnamed > 0 ? html`<small>and ${unnamed} more</small>` : null}</li>`
}

const groupItem = (group: EvidenceGroup): Markup => (group.count === 1 ? ofOne(group) : ofSeveral(group))

const groupList = (groups: ReadonlyArray<EvidenceGroup>): Markup =>
  html`<ul>${groups.slice(0, shownGroups).map(groupItem)}</ul>${
    groups.length <= shownGroups
      ? null
      : html`<details><summary>${plural(groups.length - shownGroups, "more cause")}</summary><ul>${groups.slice(shownGroups).map(groupItem)}</ul></details>`
  }`

const failed = (finding: Finding, result: CrawlResult): Markup => {
  const { fix, means, source } = ruleWords(finding.rule)
  const { reason } = finding.evidence
  return html`<details open class="${finding.severity}"><summary><span class="tag ${finding.severity}">${finding.severity}</span><b>${ruleName(finding.rule)}</b> <small>${plural(finding.count, "URL")}</small></summary><p>${means}</p><p><b>Fix.</b> ${fix} <small>${source}</small></p><p class="quiet">${impactOf(finding, result).join(" ")}</p>${reason === null ? null : html`<p class="quiet">There may be more: ${safe(reason)}.</p>`}${groupList(groupsOf(finding))}</details>`
}

const others = (title: string, findings: ReadonlyArray<Finding>): Markup =>
  html`<details><summary>${title} <small>${findings.length}</small></summary><ul>${findings.map(
    ({ evidence: { assessed, reason }, rule }) =>
      html`<li>${ruleName(rule)} <small>${[...(assessed > 0 ? [`${plural(assessed, "URL")} checked`] : []), ...(reason === null ? [] : [safe(reason)])].join("; ")}</small></li>`
  )}</ul></details>`

/** Every check: failed ones open and worst first, the others folded. */
function* findingSections(result: CrawlResult) {
  const { findings } = result
  const of = (status: Finding["status"]) => findings.filter((finding) => finding.status === status)
  const bySeverity = (["critical", "warning", "info"] as const).flatMap((severity) =>
    of("fail").filter((finding) => finding.severity === severity)
  )
  yield html`<h2>Issues</h2>${bySeverity.length === 0 ? html`<p>No issues found.</p>` : null}`
  for (const finding of bySeverity) yield failed(finding, result)
  yield html`${others("Passed", of("pass"))}${others("Not checked", of("not_assessed"))}`
}

/** Filters the rows by the typed text; without scripts the table is whole and the filter hidden. */
const script = `(()=>{const[f,q,s,n]=["filter","q","s","n"].map(i=>document.getElementById(i)),r=[...document.querySelectorAll("#pages tbody tr")];const show=()=>{const t=q.value.toLowerCase();let c=0;for(const e of r){const ok=(!s.value||e.className===s.value)&&e.textContent.toLowerCase().includes(t);e.hidden=!ok;c+=ok}n.textContent=c+" of "+r.length};q.addEventListener("input",show);s.addEventListener("change",show);f.hidden=false;show()})()`

/** The one script that the page's policy allows, by its hash (Content Security Policy 3 §2.3.1). */
const scriptHash = "sha256-GlSI8FoVun5aiWDcJSgk/Qp8gaUV5yKd6sVNDRcKZWU="

const row = (page: MeasuredPage): Markup =>
  html`<tr class="${page.health_state}"><td class="n">${page.http_status}</td><td class="u">${link(page.url)}<br><small>${safe(page.title ?? "")}</small></td><td>${reasonWords[page.health_reason]}</td><td>${indexabilityWords[page.indexability_state]}</td><td class="n" data-is="depth">${page.depth}</td><td class="n" data-is="linked from">${page.linked_from_count}</td><td class="n" data-is="ms">${page.response_ms === null ? null : Math.round(page.response_ms)}</td></tr>`

const filter = html`<div id="filter" hidden><label>Filter <input id="q" type="search"></label><label>State <select id="s"><option value="">all</option>${HealthState.literals.map((state) => html`<option value="${state}">${healthWords[state]}</option>`)}</select></label><span id="n" class="quiet"></span></div>`

/** Every URL of the crawl, with a filter by words and by state. */
function* pageTable({ pages }: CrawlResult) {
  yield html`<h2>Pages</h2>${filter}<table id="pages"><thead><tr><th class="n">Status</th><th>URL</th><th>Result</th><th>Indexability</th><th class="n">Depth</th><th class="n">Linked from</th><th class="n">Response (ms)</th></tr></thead><tbody>`
  for (const page of pages) yield row(page)
  yield html`</tbody></table><script>${new Markup(script)}</script>`
}

/** A folder of the site's URLs, with the pages at its own URL. */
interface Folder {
  readonly name: string
  readonly pages: Array<MeasuredPage>
  readonly children: Map<string, Folder>
}

const folder = (name: string): Folder => ({ name, pages: [], children: new Map() })

/** The site's URLs as a tree of path segments; a query belongs to its last segment. */
const treeOf = ({ pages }: CrawlResult): Folder => {
  const root = folder("/")
  for (const page of pages) {
    const { pathname, search } = new URL(page.url)
    const parts = pathname.split("/").filter((part) => part !== "")
    if (search !== "") parts.push(search)
    let at = root
    for (const part of parts) {
      const next = at.children.get(part) ?? folder(part)
      at.children.set(part, next)
      at = next
    }
    at.pages.push(page)
  }
  return root
}

const size = ({ children, pages }: Folder): number =>
  Math.max(1, pages.length) + [...children.values()].reduce((sum, child) => sum + size(child), 0)

/** The states from worst to best: a cell has the colour of its worst page. */
const worst: ReadonlyArray<HealthState> = ["failed", "unchecked", "hidden", "redirect", "eligible"]

const colour = ({ pages }: Folder): string =>
  worst.find((state) => pages.some(({ health_state }) => health_state === state)) ?? "folder"

const rowHeight = 24
const maxRows = 8
/** Cells narrower than this are left out. */
const least = 1
const characterWidth = 6.6

const draw = (at: Folder, left: number, width: number, row: number): ReadonlyArray<Markup> => {
  if (width < least || row >= maxRows) return []
  const all = size(at)
  const label = width > 24 ? fit(at.name, Math.floor((width - 8) / characterWidth)) : ""
  const pages = at.pages.map(({ health_reason, url }) => `${url}: ${reasonWords[health_reason]}`).join("\n")
  const cell = html`<g><title>${pages === "" ? `${at.name}: ${plural(all - 1, "URL")}` : pages}</title><rect class="${colour(at)}" x="${left.toFixed(1)}" y="${row * rowHeight}" width="${width.toFixed(1)}" height="${rowHeight}" rx="2"/>${label === "" ? null : html`<text x="${(left + 4).toFixed(1)}" y="${row * rowHeight + 16}">${label}</text>`}</g>`
  const below: Array<Markup> = []
  let x = left
  for (const child of at.children.values()) {
    const share = (width * size(child)) / (all - Math.max(1, at.pages.length))
    below.push(...draw(child, x, share, row + 1))
    x += share
  }
  return [cell, ...below]
}

const rowsOf = ({ children }: Folder): number => 1 + Math.max(0, ...[...children.values()].map(rowsOf))

const depths = ({ pages }: CrawlResult): string => {
  const counts = new Map<number | null, number>()
  for (const { depth } of pages) counts.set(depth, (counts.get(depth) ?? 0) + 1)
  const linked = [...counts].flatMap(([depth, count]) => (depth === null ? [] : [[depth, count] as const]))
  const parts = linked.sort(([a], [b]) => a - b).map(([depth, count]) => `${plural(depth, "click")}: ${count}`)
  const loose = counts.get(null)
  return [...parts, ...(loose === undefined ? [] : [`not linked: ${loose}`])].join(", ")
}

/** Unlinked pages, by the check for them where the crawl could know. */
const orphans = ({ findings }: CrawlResult): string => {
  const finding = findings.find(({ rule }) => rule === "orphan_page")
  return finding === undefined || finding.status === "not_assessed" ? "" : ` Orphan pages: ${finding.count}.`
}

const states = ["eligible", "hidden", "redirect", "failed", "unchecked"] as const

/** The site's structure as a picture: a row for each folder level, as wide as its number of URLs, coloured by state. */
const sitePicture = (result: CrawlResult): Markup => {
  const tree = treeOf(result)
  const height = Math.min(maxRows, rowsOf(tree)) * rowHeight
  const name = `The site's folders: ${plural(result.pages.length, "URL")}`
  return html`<h2>Structure</h2><p class="quiet">URLs by crawl depth: ${depths(result)}.${orphans(result)}</p><div class="wide"><svg viewBox="0 0 1000 ${height}" role="img" aria-label="${name}">${draw(tree, 0, 1000, 0)}</svg></div><p class="legend">${states.map((state) => html`<span><i class="${state}"></i>${healthWords[state]}</span>`)}</p>`
}

const costs = (result: CrawlResult): Markup | null => {
  const worst = costsOf(result)
  return worst.length === 0 ? null : html`<ul>${worst.map((each) => html`<li><small>${each}</small></li>`)}</ul>`
}

/** The unread part of the site comes before all statements. */
const unread = (result: CrawlResult): Markup => {
  const { head, parts } = notRead(result)
  return html`<p><b>Not crawled:</b> ${head}.</p>${
    parts.length === 0
      ? null
      : html`<ul>${parts.map(({ count, example, words }) => html`<li class="u">${plural(count, "URL")}: ${words}${example === null ? null : html`, <small>such as</small> ${link(example)}`}</li>`)}</ul>`
  }`
}

/** The score with the verdict on the crawl. */
const scoreCard = (result: CrawlResult): Markup => {
  const { aggregate_score, coverage, range } = result.score
  if (aggregate_score === null) return html`<p class="score">No score: no page could be crawled.</p>`
  const { critical } = countsOf(result.findings)
  const verdict = verdictOn(aggregate_score, critical)
  const notes = [
    verdictWords[verdict],
    ...(critical === 0 ? [] : [plural(critical, "critical issue")]),
    ...(range.low === range.high ? [] : [`range ${range.low}–${range.high} because some URLs could not be verified`]),
    `${Math.floor(coverage * 100)}% of the pages checked`
  ]
  return html`<div class="score ${verdict}"><span><b>${aggregate_score}</b> of 100</span><span>${notes.join(" · ")}</span>${costs(result)}</div>`
}

const inventory = ({ summary }: CrawlResult): Markup =>
  html`<h2>URLs by status</h2><table><tbody><tr><td class="n">${summary.inventory.eligible}</td><td>${reasonWords.ok}</td><td class="u"></td></tr>${summary.inventory.reasons.map(
    ({ count, example_url, reason }) =>
      html`<tr><td class="n">${count}</td><td>${reasonWords[reason]}</td><td class="u"><small>such as</small> ${link(example_url)}</td></tr>`
  )}</tbody></table>`

const deadLinkItem = ({ all_linked_from, anchor_text, http_status, linked_from, url }: DeadLink): Markup =>
  html`<tr><td class="n">${http_status}</td><td class="u">${link(url)}<br><small>${anchor_text === null ? null : safe(quoted(anchor_text))}</small></td><td class="u">${linked_from.map((from) => html`${link(from)}<br>`)}${(all_linked_from?.length ?? 0) > linked_from.length ? html`<small>and ${(all_linked_from?.length ?? 0) - linked_from.length} more</small>` : null}</td></tr>`

function* deadLinks(title: string, { checked, found, items, state, unverified }: DeadLinks) {
  const isOff = state === "disabled" || state === "unavailable"
  const counts = isOff ? "Not checked." : `${state}: ${found} found, ${checked} checked, ${unverified} unverified.`
  yield html`<h2>${title}</h2><p>${counts}</p><table><tbody>`
  for (const item of items) yield deadLinkItem(item)
  yield html`</tbody></table>`
}

const agentRow = (agent: AgentSummary): Markup =>
  html`<tr><td>${agent.agent}</td><td class="n" data-is="pages">${agent.allowed_pages}</td><td class="n" data-is="blocked">${agent.blocked_pages}</td><td class="u">${safe(startWords(agent))}</td></tr>`

/** What robots.txt lets search engines and AI companies read. */
const agents = ({ summary: { robots } }: CrawlResult): Markup | null =>
  robots.agents.length === 0
    ? null
    : html`<h2>robots.txt by crawler</h2><table><thead><tr><th>Crawler</th><th class="n">Pages</th><th class="n">Blocked</th><th>Start page</th></tr></thead><tbody>${robots.agents.map(agentRow)}</tbody></table>`

/** Content security policy of the report. */
export const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'`

const beginning = (result: CrawlResult): Markup => {
  const start = safe(result.pages[0]?.url ?? "")
  const { crawl, pages: counts } = result.summary
  const found = `${plural(counts.discovered, "URL")} found: ${counts.fetched} responded, ${counts.failed} did not respond, ${counts.skipped} not requested; ${sightWords(result.summary)}.`
  const scripts = scriptWords(result.summary)
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Site health of ${start}</title><style>${style}</style></head><body><h1>Site health of ${start}</h1><p class="quiet">${madeBy(crawl)}</p><p>${found}</p>${scripts === null ? null : html`<p>${scripts}.</p>`}${unread(result)}${scoreCard(result)}`
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
  yield* deadLinks("Broken links", dead_links)
  if (external_links.state !== "disabled") yield* deadLinks("External links", external_links)
  yield* pageTable(result)
  yield html`</body></html>\n`
}

function* written(result: CrawlResult, diff: CrawlDiff | null): Steps<string> {
  const texts: Array<string> = []
  yield* each(parts(result, diff), ({ text }) => texts.push(text) && text.length)
  return texts.join("")
}

/**
 * The report as one self-contained HTML file: no requests, one inline script, all text from the site escaped. It may be megabytes, so the work yields to
 * other tasks.
 */
export const renderHtml = (result: CrawlResult, diff: CrawlDiff | null = null): Effect.Effect<string> =>
  unhurried(written(result, diff))
