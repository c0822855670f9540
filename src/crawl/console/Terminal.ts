import { plural } from "../../foundation/text/Words.ts"
import type { CrawlDiff } from "../diff/CrawlDiff.ts"
import type { CrawlEvent } from "../report/CrawlEvent.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { AgentSummary } from "../report/RobotsSummary.ts"
import type { DeadLink, DeadLinks } from "../report/Summary.ts"
import { quoted } from "../rules/Targets.ts"
import { notRead } from "./NotRead.ts"
import { changeSection } from "./TerminalChange.ts"
import { findingsSection } from "./TerminalFindings.ts"
import { beside, columns, fit, type Paint, paintOf, safe, wrap } from "./Text.ts"
import { costsOf, madeBy, reasonWords, sightWords, startWords } from "./Wording.ts"

type Section = ReadonlyArray<string>

/** Pages that a dead link is shown with. */
const shownPages = 3

const overview = ({ pages, summary }: CrawlResult, paint: Paint): Section => {
  const { discovered, failed, fetched, skipped } = summary.pages
  const counts = `${plural(discovered, "URL")} met: ${fetched} answered, ${failed} without answer, ${skipped} not requested`
  return [
    `${paint.bold("Site health")}  ${safe(pages[0]?.url ?? "")}`,
    wrap(`${counts}; ${sightWords(summary)}.`, columns, ""),
    `robots.txt ${summary.robots.state}, sitemap ${summary.sitemap.state.replace("_", " ")}`,
    wrap(madeBy(summary.crawl), columns, "")
  ]
}

/** A number of URLs, what they are, and one of them. */
const counted = (count: number, words: string, example: string | null, paint: Paint): Section => {
  const label = `  ${`${count}`.padStart(5)}  ${words}`
  return example === null ? [label] : beside(label.padEnd(39), example, 9, paint.dim)
}

const unread = (result: CrawlResult, paint: Paint): Section => {
  const { head, parts } = notRead(result)
  return [
    `${paint.bold("Not read")}  ${wrap(head, columns - 10, "  ")}`,
    ...parts.flatMap(({ count, example, words }) => counted(count, words, example, paint))
  ]
}

const score = (result: CrawlResult, paint: Paint): Section => {
  const { aggregate_score, range, status } = result.score
  if (aggregate_score === null) return [`${paint.bold("Score")}  none: nothing could be measured`]
  const isCritical = result.findings.some(({ severity, status }) => status === "fail" && severity === "critical")
  const color = status === "good" && !isCritical ? paint.green : status === "poor" ? paint.red : paint.yellow
  const { high, low } = range
  const between =
    low === high || low === null || high === null ? "" : `, between ${low} and ${high} with what is unverified`
  const value = paint.bold(color(`${aggregate_score}`))
  const costs = costsOf(result)
  return [
    `${paint.bold("Score")}  ${value} of 100, ${status?.replace("_", " ")}${isCritical ? ", with critical findings" : ""}${between}`,
    ...(costs.length === 0 ? [] : [`  ${wrap(`What costs most: ${costs.join("; ")}`, columns - 2, "  ")}`])
  ]
}

const inventory = ({ summary }: CrawlResult, paint: Paint): Section => [
  paint.bold("Inventory"),
  `  ${paint.green(`${summary.inventory.eligible}`.padStart(5))}  ${reasonWords.ok}`,
  ...summary.inventory.reasons.flatMap(({ count, example_url, reason }) =>
    counted(count, reasonWords[reason], example_url, paint)
  )
]

const deadLink = ({ all_linked_from, anchor_text, http_status, linked_from, url }: DeadLink, paint: Paint): Section => {
  const sources = linked_from.slice(0, shownPages)
  const more = all_linked_from.length - sources.length
  const details = [
    ...(anchor_text === null ? [] : [fit(`linked as ${quoted(anchor_text)}`, columns - 7)]),
    ...sources.map((from) => safe(`from ${from}`)),
    ...(more > 0 ? [`and from ${plural(more, "more page")}`] : [])
  ]
  return [`  ${paint.red(`${http_status}`)}  ${safe(url)}`, ...details.map((detail) => `       ${paint.dim(detail)}`)]
}

const deadLinks = (title: string, links: DeadLinks, paint: Paint): Section => {
  const { checked, found, items, state, unverified } = links
  if (state === "disabled" || state === "unavailable") return [`${paint.bold(title)}  ${state}`]
  return [
    `${paint.bold(title)}  ${found} found, ${checked} checked, ${unverified} unverified (${state})`,
    ...items.flatMap((item) => deadLink(item, paint))
  ]
}

/** Links to other sites are shown only where they were asked for. */
const externalLinks = ({ external_links: links }: CrawlResult["summary"], paint: Paint): ReadonlyArray<Section> =>
  links === undefined || links.state === "disabled" ? [] : [deadLinks("Links to other sites", links, paint)]

const agentLine = (agent: AgentSummary): string => {
  const counts = `${`${agent.allowed_pages}`.padStart(8)}${`${agent.blocked_pages}`.padStart(9)}`
  return `  ${agent.agent.padEnd(20)}${counts}  ${wrap(startWords(agent), columns - 41, " ".repeat(41))}`
}

/** What robots.txt lets search engines and AI companies read. */
const agents = ({ robots }: CrawlResult["summary"], paint: Paint): ReadonlyArray<Section> =>
  robots.agents.length === 0
    ? []
    : [[`${paint.bold("robots.txt for")}${"pages".padStart(16)}  blocked  start page`, ...robots.agents.map(agentLine)]]

/** The report as text for a terminal, at most 100 columns wide but for addresses, which stay whole; nothing of the site can move the cursor. */
export const renderReport = (
  result: CrawlResult,
  { color, diff = null }: { readonly color: boolean; readonly diff?: CrawlDiff | null }
): string => {
  const paint = paintOf(color)
  const sections = [
    overview(result, paint),
    [...unread(result, paint), ...score(result, paint)],
    ...(diff === null ? [] : [changeSection("Since the baseline", diff, paint)]),
    inventory(result, paint),
    ...agents(result.summary, paint),
    deadLinks("Dead links", result.summary.dead_links, paint),
    ...externalLinks(result.summary, paint),
    findingsSection(result, paint)
  ]
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`
}

/** The line that says how far a crawl is; it fits the terminal and holds no control characters. */
export const progressLine = (event: CrawlEvent): string => {
  switch (event._tag) {
    case "Phase":
      return `${event.phase} …`
    case "Page": {
      const { pages_discovered, pages_failed, pages_fetched } = event.counters
      const failed = pages_failed === 0 ? "" : `, ${pages_failed} without answer`
      const status = event.page.http_status ?? event.page.fetch_state
      const counts = `${pages_fetched} of ${plural(pages_discovered, "URL")}${failed}`
      return fit(`${counts}  ${status}  ${event.page.url}`, columns)
    }
    case "Finished":
      return `finished: ${plural(event.report.summary.pages.fetched, "page")} read`
  }
}
