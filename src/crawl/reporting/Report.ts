import { block, type Steps } from "../../foundation/schema/Steps.ts"
import {
  type AgentAccess,
  type AnalysedPage,
  type AnalysedSite,
  isDead,
  linksElsewhere,
  wasAsked
} from "../analysis/AnalysedSite.ts"
import { maxLinkers } from "../frontier/Frontier.ts"
import { maskedText } from "../page/Credentials.ts"
import type {
  AgentSummary,
  CrawlRecord,
  CrawlResult,
  DeadLink,
  DeadLinks,
  Inventory,
  RobotsSummary,
  SitemapSummary,
  Summary
} from "../report/CrawlResult.ts"
import {
  HealthReason,
  healthStateOf,
  isOpen,
  type MeasuredPage,
  type PageEvidence,
  type RobotsLine
} from "../report/MeasuredPage.ts"
import { sitemapAddress } from "../robots/Parse.ts"
import { assess, finding } from "../rules/Findings.ts"
import type { Rule } from "../rules/Rule.ts"
import { isListedOnly, isOnlyReferred, waysTo } from "../rules/Targets.ts"
import { having, unasked } from "../run/Run.ts"
import { carriersOf, ledgerOf, scoreOf } from "../score/Score.ts"
import { isReadInPart } from "../visit/Visit.ts"

/** Whether a requested URL may be broken; a page too large to read is not. URLs never requested are neither checked nor unverified. */
const isUnverified = (page: AnalysedPage): boolean =>
  wasAsked(page) && isOpen(page.reason) && page.reason !== "too_large"

/** For each broken URL, every fetched page that links to it or to a redirect that ends there. */
const allLinkers = (
  site: AnalysedSite,
  dead: ReadonlyArray<AnalysedPage>
): ReadonlyMap<string, ReadonlySet<string>> => {
  const linkers = new Map(dead.map(({ url }) => [url, new Set<string>()]))
  if (dead.length === 0) return linkers
  const endOf = new Map(dead.flatMap((page) => waysTo(site)(page).map((source) => [source.url, page.url] as const)))
  for (const { url, visit } of site.pages) {
    for (const { target } of visit?.facts?.links ?? []) {
      const end = target.followable ? endOf.get(target.url) : undefined
      if (end !== undefined) linkers.get(end)?.add(url)
    }
  }
  return linkers
}

const deadLink = (
  page: AnalysedPage,
  ways: ReadonlyArray<AnalysedPage>,
  linkers: ReadonlySet<string> | undefined
): DeadLink => {
  // The page's own links come first, then links through a redirect.
  const sources = [page, ...ways.filter((source) => source !== page)]
  const linkedFrom = [...new Set(sources.flatMap(({ record }) => record.linkedFrom))]
  return {
    url: page.url,
    http_status: page.visit?.status ?? 0,
    linked_from: linkedFrom.slice(0, maxLinkers),
    all_linked_from: [...(linkers ?? [])],
    anchor_text: sources.find(({ record }) => record.anchorText !== null)?.record.anchorText ?? null,
    attempts: page.visit?.attempts ?? []
  }
}

/** Whether the crawl saw every link of every page. */
const isWhole = ({ isPart, needsJavascript, pages, termination, unseen }: AnalysedSite): boolean =>
  termination === "complete" &&
  !isPart &&
  unseen.size === 0 &&
  needsJavascript === null &&
  pages.every(({ visit }) => visit === null || !isReadInPart(visit))

/** The broken links of a crawl: `found` counts confirmed ones, never unverified ones. */
const deadLinks = (site: AnalysedSite): DeadLinks => {
  const nothing = { checked: 0, found: 0, unverified: 0, items: [] }
  if (!site.checkDeadLinks) return { state: "disabled", ...nothing }
  const reached = site.pages.filter(wasAsked)
  if (reached.length === 0) return { state: "unavailable", ...nothing }
  const unverified = reached.filter(isUnverified)
  const dead = reached.filter((page) => isDead(page) && !isListedOnly(page, site) && !isOnlyReferred(page, site))
  const linkers = allLinkers(site, dead)
  return {
    state: isWhole(site) ? "complete" : "partial",
    checked: reached.length - unverified.length,
    found: dead.length,
    unverified: unverified.length,
    items: dead.map((page) => deadLink(page, waysTo(site)(page), linkers.get(page.url)))
  }
}

/** The pages that link to a URL, and the text of the first link. */
interface Linkers {
  readonly pages: Set<string>
  text: string | null
}

/** The linking pages of each broken URL. */
const linkersOf = ({ pages, start }: AnalysedSite, broken: ReadonlyArray<string>): ReadonlyMap<string, Linkers> => {
  const linkers = new Map(broken.map((url): readonly [string, Linkers] => [url, { pages: new Set(), text: null }]))
  if (broken.length === 0) return linkers
  for (const { url, visit } of pages) {
    for (const { target, text } of linksElsewhere(start, visit?.facts?.links ?? [])) {
      const known = linkers.get(target.url)
      if (known === undefined) continue
      known.pages.add(url)
      known.text ??= text
    }
  }
  return linkers
}

/** Broken links to other sites: `found` counts confirmed ones, never unverified ones. */
const externalLinks = (site: AnalysedSite): DeadLinks => {
  const nothing = { checked: 0, found: 0, unverified: 0, items: [] }
  if (!site.checkExternalLinks) return { state: "disabled", ...nothing }
  if (!site.pages.some(wasAsked)) return { state: "unavailable", ...nothing }
  const checks = site.externalLinks
  if (checks === null) return { state: "partial", ...nothing }
  const broken = checks.wanted.filter((url) => checks.answers.get(url)?.verdict === "broken")
  const linkers = linkersOf(site, broken)
  const item = (url: string): DeadLink => {
    const from = [...(linkers.get(url)?.pages ?? [])]
    const check = checks.answers.get(url)
    return {
      url,
      http_status: check?.status ?? 0,
      linked_from: from.slice(0, maxLinkers),
      all_linked_from: from,
      anchor_text: linkers.get(url)?.text ?? null,
      attempts: check?.attempts ?? []
    }
  }
  return {
    state: isWhole(site) && unasked(checks) === 0 ? "complete" : "partial",
    checked: having(checks, "sound") + broken.length,
    found: broken.length,
    unverified: having(checks, "closed") + having(checks, "unverified"),
    items: broken.map(item)
  }
}

/** A line of robots.txt for reports. */
const lineOf = (line: RobotsLine | null): RobotsLine | null => {
  if (line === null) return null
  const shown = { ...line, text: maskedText(line.text) }
  return line.joined === undefined ? shown : { ...shown, joined: maskedText(line.joined) }
}

const evidenceOf = (page: AnalysedPage): PageEvidence | null => {
  const attempts = page.visit?.attempts ?? []
  if (attempts.length === 0 && page.robotsLine === null && page.note === null) return null
  return {
    attempts,
    redirect_chain: page.chain.hops,
    also: page.also,
    robots_line: lineOf(page.robotsLine),
    note: page.note === null ? null : maskedText(page.note)
  }
}

const titleOf = ({ visit }: AnalysedPage): string | null => {
  const title = visit?.facts?.title ?? null
  return title === null ? null : maskedText(title)
}

const headingOf = ({ visit }: AnalysedPage): string | null => {
  const heading = visit?.facts?.firstHeadings[0]
  return heading === undefined ? null : maskedText(heading)
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
  title: titleOf(page),
  h1: headingOf(page),
  words: page.visit?.facts?.text.words ?? 0,
  canonical_url: page.canonical.url ?? page.canonical.urls[0] ?? null,
  redirect_to: (page.visit?.redirect ?? page.visit?.refresh)?.to ?? null,
  response_ms: page.visit?.millis ?? null,
  content_bytes: page.visit?.bytes ?? null,
  linked_from_count: page.record.linkedFromCount,
  evidence: evidenceOf(page),
  rendering: page.visit?.scripted?.report ?? null
})

const agentSummary = ({ agent, closed, open, start }: AgentAccess): AgentSummary => ({
  agent: agent.name,
  allowed_pages: open.size,
  blocked_pages: closed.size,
  start_allowed: start.allowed,
  line: lineOf(start.rule)
})

const robotsSummary = ({ agents, deadlineMillis, robots, start }: AnalysedSite): RobotsSummary => {
  const groups = robots?.robots?.groups ?? []
  const groupOf = (wanted: (agent: string) => boolean) =>
    groups.flatMap(({ agents }) => agents.filter(wanted))[0] ?? null
  const token = robots?.productToken.toLowerCase()
  const delay = robots?.crawlDelay ?? null
  return {
    state: robots?.state ?? "unknown",
    url: robots?.url ?? new URL("/robots.txt", start).href,
    http_status: robots?.status ?? null,
    group: groupOf((agent) => agent.toLowerCase() === token) ?? groupOf((agent) => agent === "*"),
    crawl_delay_seconds: delay,
    crawl_delay_allows: delay === null || delay === 0 ? null : Math.floor(deadlineMillis / 1000 / delay),
    truncated: robots?.robots?.truncated ?? false,
    sitemaps: (robots?.robots?.sitemaps ?? []).filter((name) => sitemapAddress(name) !== null).length,
    agents: agents.map(agentSummary)
  }
}

const sitemapState = ({ sitemap }: AnalysedSite): SitemapSummary["state"] => {
  if (sitemap === null) return "not_read"
  if (sitemap.files.every(({ state }) => state === "absent")) return "absent"
  if (sitemap.files.every(({ state }) => state !== "read")) return "unreadable"
  return sitemap.complete ? "complete" : "partial"
}

const sitemapSummary = (site: AnalysedSite): SitemapSummary => ({
  state: sitemapState(site),
  urls: site.sitemap?.urls.length ?? 0,
  foreign_urls: site.sitemap?.foreignCount ?? 0,
  files: site.sitemap?.files ?? []
})

/** Numbers of eligible and excluded URLs; reasons in the order of the vocabulary, each with its first URL. */
const inventory = ({ pages }: AnalysedSite): Inventory => {
  const reasons = HealthReason.literals.flatMap((reason) => {
    const having = pages.filter((page) => page.reason === reason)
    const [first] = having
    return reason === "ok" || first === undefined ? [] : [{ reason, count: having.length, example_url: first.url }]
  })
  const eligible = pages.filter(({ reason }) => reason === "ok").length
  return { eligible, excluded: pages.length - eligible, reasons }
}

/** The summary of a crawl. */
const summaryOf = (site: AnalysedSite, crawl: CrawlRecord): Summary => {
  const asked = site.pages.filter(wasAsked)
  const answered = asked.filter(({ visit }) => visit?.status != null).length
  const discovered = site.pages.length + site.unlisted
  return {
    crawl,
    complete: site.termination === "complete",
    termination: site.termination,
    pages: {
      discovered,
      fetched: answered,
      failed: asked.length - answered,
      skipped: discovered - asked.length
    },
    robots: robotsSummary(site),
    sitemap: sitemapSummary(site),
    inventory: inventory(site),
    dead_links: deadLinks(site),
    external_links: externalLinks(site),
    limits: {
      max_pages: site.maxPages,
      deadline_seconds: site.deadlineMillis / 1000,
      unlisted_urls: site.unlisted,
      traps: site.traps.map(({ example, ...trap }) => ({ ...trap, example_url: example })),
      ...site.globs
    },
    rendering: site.rendering
  }
}

/** The result of a crawl, from its analysis, its record and its checks. */
export function* reportOf(site: AnalysedSite, crawl: CrawlRecord, rules: ReadonlyArray<Rule>): Steps<CrawlResult> {
  const checks = yield* assess(rules, site)
  const summary = summaryOf(site, crawl)
  yield block
  const ledger = ledgerOf(site, checks)
  yield block
  const score = scoreOf(ledger)
  const carriers = carriersOf(site, checks, score)
  yield block
  const findings = checks.map((checked) => finding(checked, site, carriers.get(checked.rule.id) ?? null))
  yield block
  return { summary, pages: site.pages.map(pageEntry), findings, score }
}
