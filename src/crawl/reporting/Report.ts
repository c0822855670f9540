import { mapped, type Steps } from "../../foundation/schema/Steps.ts"
import type { AgentAccess } from "../analysis/AgentAccess.ts"
import { wasAsked } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { Finding } from "../report/Finding.ts"
import type { AgentSummary, RobotsSummary } from "../report/RobotsSummary.ts"
import { HealthReason } from "../report/States.ts"
import type { CrawlRecord, Inventory, SitemapSummary, Summary } from "../report/Summary.ts"
import { assess, finding } from "../rules/Findings.ts"
import type { Rule } from "../rules/Rule.ts"
import { scoreOf } from "../score/Score.ts"
import { ledgerOf } from "../score/ScoreLedger.ts"
import { deadLinks } from "./DeadLinkReport.ts"
import { externalLinks } from "./ExternalLinkReport.ts"
import { pageEntry } from "./PageEntry.ts"

const agentSummary = ({ agent, closed, open, start }: AgentAccess): AgentSummary => ({
  agent: agent.name,
  allowed_pages: open.size,
  blocked_pages: closed.size,
  start_allowed: start.allowed,
  line: start.rule
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
    sitemaps: robots?.robots?.sitemaps.length ?? 0,
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

/** Eligible against excluded URLs; the reasons in the order of the vocabulary, each with its first URL. */
const inventory = ({ pages }: AnalysedSite): Inventory => {
  const reasons = HealthReason.literals.flatMap((reason) => {
    const having = pages.filter((page) => page.reason === reason)
    const [first] = having
    return reason === "ok" || first === undefined ? [] : [{ reason, count: having.length, example_url: first.url }]
  })
  const eligible = pages.filter(({ reason }) => reason === "ok").length
  return { eligible, excluded: pages.length - eligible, reasons }
}

/** The summary of a run. */
function* summaryOf(site: AnalysedSite, crawl: CrawlRecord): Steps<Summary> {
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
    dead_links: yield* deadLinks(site),
    external_links: yield* externalLinks(site),
    limits: {
      max_pages: site.maxPages,
      deadline_seconds: site.deadlineMillis / 1000,
      unlisted_urls: site.unlisted,
      traps: site.traps.map(({ example, ...trap }) => ({ ...trap, example_url: example })),
      ...site.globs
    }
  }
}

/** Cost of the entry of a page, in characters. */
const worthOfPage = 32

/** The result of a run, from its analysis, the record of when it was made, and the rules that judge it. */
export function* reportOf(site: AnalysedSite, crawl: CrawlRecord, rules: ReadonlyArray<Rule>): Steps<CrawlResult> {
  const checks = yield* assess(rules, site)
  const findings: Array<Finding> = []
  for (const check of checks) findings.push(yield* finding(check))
  return {
    summary: yield* summaryOf(site, crawl),
    pages: yield* mapped(site.pages, worthOfPage, pageEntry),
    findings,
    score: scoreOf(yield* ledgerOf(site, checks))
  }
}
