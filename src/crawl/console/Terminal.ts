import { plural } from "../../foundation/text/Words.ts"
import type { CrawlDiff, FindingUnit } from "../diff/CrawlDiff.ts"
import type { CrawlEvent } from "../report/CrawlEvent.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { Finding, Severity } from "../report/Finding.ts"
import type { DeadLink, DeadLinks } from "../report/Summary.ts"
import { columns, fit, type Paint, paintOf, wrap } from "./Text.ts"
import { madeBy, reasonWords, ruleName, ruleWords, terminationWords } from "./Wording.ts"

type Section = ReadonlyArray<string>

const shownPages = 3
const rank: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

const shade = (paint: Paint, severity: Severity): ((text: string) => string) =>
  severity === "critical" ? paint.red : severity === "warning" ? paint.yellow : paint.dim

const scoreLine = ({ findings, score }: CrawlResult, paint: Paint): string => {
  if (score.aggregate_score === null) return `${paint.bold("Score")}  none: nothing could be measured`
  const isCritical = findings.some(({ severity, status }) => status === "fail" && severity === "critical")
  const color =
    score.status === "good" && !isCritical ? paint.green : score.status === "poor" ? paint.red : paint.yellow
  const { high, low } = score.range
  const range =
    low === high || low === null || high === null ? "" : `, between ${low} and ${high} with what is unverified`
  const value = paint.bold(color(`${score.aggregate_score}`))
  const words = score.status?.replace("_", " ")
  return `${paint.bold("Score")}  ${value} of 100, ${words}${isCritical ? ", with critical findings" : ""}${range}`
}

const overview = ({ pages, summary }: CrawlResult, paint: Paint): Section => {
  const { discovered, failed, fetched, skipped } = summary.pages
  const counts = `${plural(discovered, "URL")} met: ${fetched} answered, ${failed} without answer, ${skipped} not requested`
  const start = pages[0]?.url ?? ""
  return [
    `${paint.bold("Site health")}  ${fit(start, columns - 13)}`,
    wrap(`${counts}; ${terminationWords[summary.termination]}.`, columns, ""),
    `robots.txt ${summary.robots.state}, sitemap ${summary.sitemap.state.replace("_", " ")}`,
    ...(summary.crawl === undefined ? [] : [madeBy(summary.crawl)])
  ]
}

const inventory = ({ summary }: CrawlResult, paint: Paint): Section => [
  paint.bold("Inventory"),
  `  ${paint.green(`${summary.inventory.eligible}`.padStart(5))}  ${reasonWords.ok}`,
  ...summary.inventory.reasons.map(
    ({ count, example_url, reason }) =>
      `  ${`${count}`.padStart(5)}  ${reasonWords[reason].padEnd(32)}${paint.dim(fit(example_url, columns - 42))}`
  )
]

const deadLink = ({ anchor_text, http_status, linked_from, url }: DeadLink, paint: Paint): Section => {
  const sources = linked_from.slice(0, shownPages).map((from) => `from ${from}`)
  const details = anchor_text ? [`linked as "${anchor_text}"`, ...sources] : sources
  return [
    `  ${paint.red(`${http_status}`)}  ${fit(url, columns - 8)}`,
    ...details.map((detail) => `       ${paint.dim(fit(detail, columns - 8))}`)
  ]
}

const brokenLinks = (title: string, links: DeadLinks, paint: Paint): Section => {
  const { checked, found, items, state, unverified } = links
  if (state === "disabled" || state === "unavailable") return [`${paint.bold(title)}  ${state}`]
  return [
    `${paint.bold(title)}  ${found} found, ${checked} checked, ${unverified} unverified (${state})`,
    ...items.flatMap((item) => deadLink(item, paint))
  ]
}

const findingLines = (finding: Finding, paint: Paint): Section => {
  const words = ruleWords(finding.rule)
  const paintIt = shade(paint, finding.severity)
  const head = `${finding.severity.padEnd(9)}${ruleName(finding.rule)} (${plural(finding.count, "page")}, ${finding.rule})`
  return [
    paintIt(fit(head, columns)),
    `  ${wrap(words.means, columns - 2, "  ")}`,
    `  ${wrap(`Fix: ${words.fix}`, columns - 2, "  ")}`,
    ...finding.evidence.items
      .slice(0, shownPages)
      .map(({ detail, url }) => `    ${paint.dim(fit(`${url}  ${detail}`, columns - 4))}`),
    ...(finding.evidence.reason === null
      ? []
      : [`    ${paint.dim(fit(`more may: ${finding.evidence.reason}`, columns - 4))}`])
  ]
}

const findings = ({ findings }: CrawlResult, paint: Paint): Section => {
  const failed = findings.filter(({ status }) => status === "fail")
  const sorted = [...failed].sort((a, b) => rank[a.severity] - rank[b.severity])
  const passed = findings.filter(({ status }) => status === "pass").length
  const open = findings.filter(({ status }) => status === "not_assessed")
  const reasons = [...new Set(open.map(({ evidence }) => evidence.reason ?? ""))]
  return [
    `${paint.bold("Findings")}  ${failed.length} failed, ${passed} passed, ${open.length} not assessed`,
    ...sorted.flatMap((finding) => ["", ...findingLines(finding, paint)]),
    ...(reasons.length === 0 ? [] : ["", `Not assessed: ${wrap(reasons.join("; "), columns - 14, "  ")}`])
  ]
}

const unitLine = ({ rule, severity, url }: FindingUnit, paint: Paint): string =>
  `  ${shade(paint, severity)(severity.padEnd(9))}${fit(`${ruleName(rule)}  ${url}`, columns - 11)}`

const shownUnits = 20

const unitLines = (title: string, units: ReadonlyArray<FindingUnit>, paint: Paint): Section =>
  units.length === 0
    ? []
    : [
        `${title}:`,
        ...units.slice(0, shownUnits).map((unit) => unitLine(unit, paint)),
        ...(units.length > shownUnits ? [`  and ${units.length - shownUnits} more`] : [])
      ]

const change = (title: string, { dead_links, findings, pages, score }: CrawlDiff, paint: Paint): Section => {
  const counts = `${findings.new.length} new, ${findings.fixed.length} fixed, ${findings.persisting.length} as before, ${findings.not_comparable.length} not comparable`
  const delta = score === null ? [] : [`score ${score.before} to ${score.after}`]
  const links = `dead links: ${dead_links.new.length} new, ${dead_links.fixed.length} fixed`
  const others = [
    links,
    ...delta,
    `${plural(pages.added.length, "page")} added, ${pages.removed.length} removed, ${pages.changed.length} changed`
  ]
  return [
    `${paint.bold(title)}  ${counts}`,
    `  ${others.join("; ")}`,
    ...unitLines("New", findings.new, paint),
    ...unitLines("Fixed", findings.fixed, paint)
  ]
}

/** The report as text for a terminal, at most 100 columns wide; nothing of the site can move the cursor. */
export const renderReport = (
  result: CrawlResult,
  { color, diff = null }: { readonly color: boolean; readonly diff?: CrawlDiff | null }
): string => {
  const paint = paintOf(color)
  const { dead_links, external_links } = result.summary
  const isAsked = external_links !== undefined && external_links.state !== "disabled"
  const sections = [
    [...overview(result, paint), scoreLine(result, paint)],
    ...(diff === null ? [] : [change("Since the baseline", diff, paint)]),
    inventory(result, paint),
    brokenLinks("Dead links", dead_links, paint),
    // A run that was not told to ask has nothing to say.
    ...(isAsked ? [brokenLinks("Links to other sites", external_links, paint)] : []),
    findings(result, paint)
  ]
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`
}

/** What changed between two reports, as text for a terminal. */
export const renderChange = (diff: CrawlDiff, color: boolean): string =>
  `${change("Change", diff, paintOf(color)).join("\n")}\n`

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
