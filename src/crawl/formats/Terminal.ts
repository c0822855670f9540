import { plural } from "../../foundation/text/Words.ts"
import type { CrawlDiff, FindingUnit } from "../diff/CrawlDiff.ts"
import type { AgentSummary, CrawlEvent, CrawlResult, DeadLink, DeadLinks } from "../report/CrawlResult.ts"
import { countsOf, type Finding, type Severity, severityRank } from "../report/Finding.ts"
import { fetchWords, reasonWords, robotsWords, sitemapWords, verdictWords } from "../report/Labels.ts"
import { verdictOn } from "../report/ScoreVerdict.ts"
import { quoted } from "../rules/Targets.ts"
import {
  beside,
  columns,
  costsOf,
  type EvidenceGroup,
  fit,
  groupsOf,
  headOf,
  impactOf,
  madeBy,
  notRead,
  type Paint,
  paintOf,
  ruleName,
  ruleWords,
  safe,
  saidOf,
  scriptWords,
  shownUrls,
  sightWords,
  startWords,
  valueOf,
  widthOf,
  wrap
} from "./Wording.ts"

type Section = ReadonlyArray<string>

/** Groups of evidence shown per issue. */
const shownGroups = 3

/** The colour of a severity. */
const shade = (paint: Paint, severity: Severity): ((text: string) => string) =>
  severity === "critical" ? paint.red : severity === "warning" ? paint.yellow : paint.dim

const indented = (by: number, text: string): string => `${" ".repeat(by)}${wrap(text, columns - by, " ".repeat(by))}`

/** The value and the element at fault, as the site writes them. */
const thing = ({ item }: EvidenceGroup): Section => {
  const value = valueOf(item)
  return [
    ...(value === null ? [] : [indented(6, `value: ${value}`)]),
    ...(item.markup === undefined ? [] : [indented(6, `\`${item.markup}\``)])
  ]
}

const groupLines = (group: EvidenceGroup): Section => {
  const { count, item, urls } = group
  if (count === 1) {
    const line = `    ${safe(item.url)}  ${safe(saidOf(item))}`.trimEnd()
    const head = widthOf(line) <= columns ? [line] : [`    ${safe(item.url)}`, indented(6, saidOf(item))]
    return [...head, ...thing(group)]
  }
  const shown = urls.slice(0, shownUrls)
  return [
    indented(4, headOf(group)),
    ...thing(group),
    ...shown.map((url) => `      ${safe(url)}`),
    ...(count > shown.length ? [`      and ${count - shown.length} more`] : [])
  ]
}

const findingLines = (finding: Finding, result: CrawlResult, paint: Paint): Section => {
  const words = ruleWords(finding.rule)
  const groups = groupsOf(finding)
  const { reason } = finding.evidence
  const head = `${finding.severity.padEnd(9)}${ruleName(finding.rule)} (${plural(finding.count, "URL")}, ${finding.rule})`
  return [
    shade(paint, finding.severity)(fit(head, columns)),
    indented(2, words.means),
    indented(2, `Fix: ${words.fix}`),
    ...impactOf(finding, result).map((line) => indented(2, line)),
    ...groups.slice(0, shownGroups).flatMap((group) => groupLines(group).map(paint.dim)),
    ...(groups.length > shownGroups ? [paint.dim(`    and ${plural(groups.length - shownGroups, "more cause")}`)] : []),
    ...(reason === null ? [] : [paint.dim(indented(4, `There may be more: ${reason}.`))])
  ]
}

/** The issues, worst first, each group of evidence with its value or element and five URLs; other checks in numbers. */
const findingsSection = (result: CrawlResult, paint: Paint): Section => {
  const { findings } = result
  const failed = findings.filter(({ status }) => status === "fail")
  const sorted = failed.toSorted((a, b) => severityRank[a.severity] - severityRank[b.severity])
  const passed = findings.filter(({ status }) => status === "pass").length
  const open = findings.filter(({ status }) => status === "not_assessed")
  const reasons = [...new Set(open.map(({ evidence }) => evidence.reason ?? ""))]
  return [
    `${paint.bold("Issues")}  ${failed.length} found, ${passed} checks passed, ${open.length} not checked`,
    ...sorted.flatMap((finding) => ["", ...findingLines(finding, result, paint)]),
    ...(reasons.length === 0 ? [] : ["", `Not checked: ${wrap(reasons.join("; "), columns - 13, "  ")}`])
  ]
}

type ChangeSection = ReadonlyArray<string>

const unitLines = ({ rule, severity, url }: FindingUnit, paint: Paint): ChangeSection => {
  const [first = "", ...rest] = beside(`  ${severity.padEnd(9)}${ruleName(rule)}`, url, 11)
  return [first.replace(severity, shade(paint, severity)), ...rest]
}

const shownUnits = 20

const unitList = (title: string, units: ReadonlyArray<FindingUnit>, paint: Paint): ChangeSection =>
  units.length === 0
    ? []
    : [
        `${title}:`,
        ...units.slice(0, shownUnits).flatMap((unit) => unitLines(unit, paint)),
        ...(units.length > shownUnits ? [`  and ${units.length - shownUnits} more`] : [])
      ]

/** Changes between two crawls: counts, and the new and fixed issues by name. */
const changeSection = (title: string, diff: CrawlDiff, paint: Paint): ChangeSection => {
  const { dead_links, findings, pages, score } = diff
  const counts = `${findings.new.length} new, ${findings.fixed.length} fixed, ${findings.persisting.length} unresolved, ${findings.not_comparable.length} not comparable`
  const others = [
    `broken links: ${dead_links.new.length} new, ${dead_links.fixed.length} fixed`,
    ...(score === null ? [] : [`score ${score.before} → ${score.after}`]),
    `${plural(pages.added.length, "page")} added, ${pages.removed.length} removed, ${pages.changed.length} changed`
  ]
  return [
    `${paint.bold(title)}  ${counts}`,
    `  ${others.join("; ")}`,
    ...unitList("New", findings.new, paint),
    ...unitList("Fixed", findings.fixed, paint)
  ]
}

/** Changes between two reports, as text for a terminal. */
export const renderChange = (diff: CrawlDiff, color: boolean): string =>
  `${changeSection("Changes", diff, paintOf(color)).join("\n")}\n`

type TerminalSection = ReadonlyArray<string>

/** Pages shown per broken link. */
const shownPages = 3

const overview = ({ pages, summary }: CrawlResult, paint: Paint): TerminalSection => {
  const { discovered, failed, fetched, skipped } = summary.pages
  const counts = `${plural(discovered, "URL")} found: ${fetched} responded, ${failed} did not respond, ${skipped} not requested`
  const scripts = scriptWords(summary)
  return [
    `${paint.bold("Site health")}  ${safe(pages[0]?.url ?? "")}`,
    wrap(`${counts}; ${sightWords(summary)}.`, columns, ""),
    `robots.txt ${robotsWords[summary.robots.state]}, sitemap ${sitemapWords[summary.sitemap.state]}`,
    ...(scripts === null ? [] : [wrap(scripts, columns, "")]),
    wrap(madeBy(summary.crawl), columns, "")
  ]
}

/** A number of URLs with a label and one example. */
const counted = (count: number, words: string, example: string | null, paint: Paint): TerminalSection => {
  const label = `  ${`${count}`.padStart(5)}  ${words}`
  return example === null ? [label] : beside(label.padEnd(39), example, 9, paint.dim)
}

const unread = (result: CrawlResult, paint: Paint): TerminalSection => {
  const { head, parts } = notRead(result)
  return [
    `${paint.bold("Not crawled")}  ${wrap(head, columns - 13, "  ")}`,
    ...parts.flatMap(({ count, example, words }) => counted(count, words, example, paint))
  ]
}

const score = (result: CrawlResult, paint: Paint): TerminalSection => {
  const { aggregate_score, range } = result.score
  if (aggregate_score === null) return [`${paint.bold("Score")}  none: no page could be crawled`]
  const { critical } = countsOf(result.findings)
  const verdict = verdictOn(aggregate_score, critical)
  const color = verdict === "good" ? paint.green : verdict === "poor" ? paint.red : paint.yellow
  const { high, low } = range
  const between =
    low === high || low === null || high === null
      ? ""
      : `, range ${low}–${high} because some URLs could not be verified`
  const value = paint.bold(color(`${aggregate_score}`))
  const costs = costsOf(result)
  return [
    `${paint.bold("Score")}  ${value} of 100, ${verdictWords[verdict]}${critical === 0 ? "" : `, ${plural(critical, "critical issue")}`}${between}`,
    ...(costs.length === 0 ? [] : [`  ${wrap(`Score impact: ${costs.join("; ")}`, columns - 2, "  ")}`])
  ]
}

const inventory = ({ summary }: CrawlResult, paint: Paint): TerminalSection => [
  paint.bold("URLs by status"),
  `  ${paint.green(`${summary.inventory.eligible}`.padStart(5))}  ${reasonWords.ok}`,
  ...summary.inventory.reasons.flatMap(({ count, example_url, reason }) =>
    counted(count, reasonWords[reason], example_url, paint)
  )
]

const deadLink = (
  { all_linked_from, anchor_text, http_status, linked_from, url }: DeadLink,
  paint: Paint
): TerminalSection => {
  const sources = linked_from.slice(0, shownPages)
  const more = all_linked_from.length - sources.length
  const details = [
    ...(anchor_text === null ? [] : [fit(`linked as ${quoted(anchor_text)}`, columns - 7)]),
    ...sources.map((from) => safe(`from ${from}`)),
    ...(more > 0 ? [`and from ${plural(more, "more page")}`] : [])
  ]
  return [`  ${paint.red(`${http_status}`)}  ${safe(url)}`, ...details.map((detail) => `       ${paint.dim(detail)}`)]
}

const deadLinks = (title: string, links: DeadLinks, paint: Paint): TerminalSection => {
  const { checked, found, items, state, unverified } = links
  if (state === "disabled" || state === "unavailable") return [`${paint.bold(title)}  not checked`]
  return [
    `${paint.bold(title)}  ${found} found, ${checked} checked, ${unverified} unverified (${state})`,
    ...items.flatMap((item) => deadLink(item, paint))
  ]
}

/** Links to other sites, shown only when the crawl checked them. */
const externalLinks = (
  { external_links: links }: CrawlResult["summary"],
  paint: Paint
): ReadonlyArray<TerminalSection> =>
  links === undefined || links.state === "disabled" ? [] : [deadLinks("External links", links, paint)]

const agentLine = (agent: AgentSummary): string => {
  const counts = `${`${agent.allowed_pages}`.padStart(8)}${`${agent.blocked_pages}`.padStart(9)}`
  return `  ${agent.agent.padEnd(20)}${counts}  ${wrap(startWords(agent), columns - 41, " ".repeat(41))}`
}

/** What robots.txt lets search engines and AI companies read. */
const agents = ({ robots }: CrawlResult["summary"], paint: Paint): ReadonlyArray<TerminalSection> =>
  robots.agents.length === 0
    ? []
    : [[`${paint.bold("robots.txt for")}${"pages".padStart(16)}  blocked  start page`, ...robots.agents.map(agentLine)]]

/** The report as text for a terminal, at most 100 columns wide except for URLs, which stay whole; text from the site cannot move the cursor. */
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
    deadLinks("Broken links", result.summary.dead_links, paint),
    ...externalLinks(result.summary, paint),
    findingsSection(result, paint)
  ]
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`
}

const phaseWords = { analysing: "Analyzing pages", crawling: "Crawling", preparing: "Preparing" } as const

/** One line with the crawl's progress; it fits the terminal and has no control characters. */
export const progressLine = (event: CrawlEvent): string => {
  switch (event._tag) {
    case "Phase":
      return `${phaseWords[event.phase]} …`
    case "Page": {
      const { pages_discovered, pages_failed, pages_fetched } = event.counters
      const failed = pages_failed === 0 ? "" : `, ${pages_failed} failed`
      const status = event.page.http_status ?? fetchWords[event.page.fetch_state]
      const counts = `${pages_fetched} of ${plural(pages_discovered, "URL")}${failed}`
      return fit(`${counts}  ${status}  ${event.page.url}`, columns)
    }
    case "Finished":
      return `Finished: ${plural(event.report.summary.pages.fetched, "page")} crawled`
  }
}
