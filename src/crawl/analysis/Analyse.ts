import { block, groupedBy, type Steps } from "../../foundation/schema/Steps.ts"
import type { UrlRecord } from "../frontier/Frontier.ts"
import { isNeverAsked, isVariantOf } from "../frontier/Traps.ts"
import { type HealthReason, healthStateOf, type Termination } from "../report/MeasuredPage.ts"
import { isRendering, isUnseen, type PageRendering, type RenderingSummary } from "../report/Rendering.ts"
import type { Run } from "../run/Run.ts"
import { isOutOfReach } from "../site/Site.ts"
import { inPart, isReadInPart, unasked, type Visit } from "../visit/Visit.ts"
import { barred, shutOut, writtenGlobs } from "../visit/Visitor.ts"
import { type AnalysedPage, type AnalysedSite, agentAccess, isLeftOut, trapCounts, wasAsked } from "./AnalysedSite.ts"
import { endless, whyLeftOut } from "./Endless.ts"
import { needsJavascript, softNotFoundCandidates } from "./SoftNotFound.ts"
import { hopOf, indexabilityOf, verdictOf } from "./Verdict.ts"

/** The reason of URLs that the crawl did not reach. */
const cutShort = ({ found }: Run) => (found.paused ? "rate_limited" : "limit_reached")

/**
 * The verdict of robots.txt on a URL without a turn; null when the crawl has too few steps left, because comparing 50,000 long URLs with 50,000 wildcard
 * rules takes hours.
 */
const known = (run: Run, url: URL): Visit | null => {
  const file = run.robots.known(url)
  if (file === null || file.state === "unknown") return null
  const cost = file.cost(url.href)
  if (cost > run.found.steps) return null
  run.found.steps -= cost
  const closed = barred(file, url)
  if (closed !== null) return closed
  const line = shutOut(file, url)
  return line === null ? null : unasked("not_fetched", "blocked_by_robots", line)
}

/** Why a URL had no turn: its kind or the options exclude it, a known robots.txt blocks it, or a limit stopped the crawl first. */
const untouched = (run: Run, record: UrlRecord): Visit => {
  const trap = record.kind?.trap ?? null
  if (isNeverAsked(trap)) return unasked("not_fetched", trap?.reason === "action_link" ? "action_link" : "excluded")
  const judged =
    run.found.judged.get(record.url) ?? known(run, new URL(record.url)) ?? unasked("not_fetched", cutShort(run))
  run.found.judged.set(record.url, judged)
  return judged
}

/** One record with the verdict known so far; `suspects` are soft 404s that the crawl can no longer confirm. */
export const analysedPage = (
  run: Run,
  record: UrlRecord,
  suspects: ReadonlyMap<string, string> = new Map()
): AnalysedPage => {
  const own = record.visit ?? untouched(run, record)
  const signs = run.found.soft.get(record.url) ?? null
  const suspicion = suspects.get(record.url)
  const { canonical, chain, reasons } = verdictOf(record, {
    now: run.now,
    find: (url) => run.frontier.find(url),
    isSoft: (url) => (run.found.soft.get(url) ?? null) !== null,
    isUnreachable: (url) => isOutOfReach(run.found.start, url) || (run.robots.known(url)?.down ?? null) !== null,
    open: own.reason ?? (suspicion === undefined ? null : cutShort(run))
  })
  const [reason, ...also] = reasons
  const remark = signs ?? whyLeftOut(record) ?? (record.visit !== null && isReadInPart(record.visit) ? inPart : null)
  return {
    url: record.url,
    record,
    visit: record.visit,
    fetchState: own.fetchState,
    indexability: indexabilityOf(reason),
    reason,
    also,
    robotsLine: own.robotsLine,
    canonical,
    chain,
    note: suspicion === undefined ? remark : `not fetched again in time: ${suspicion}`
  }
}

/**
 * Fewest clicks from the start to each URL; redirects cost none. The crawl counts clicks at its first meeting, and may meet a shorter way later, behind a
 * redirect or on a page from the sitemap.
 */
const clicksFrom = (
  records: ReadonlyArray<UrlRecord>,
  find: (url: string) => UrlRecord | undefined
): ReadonlyMap<string, number> => {
  const clicks = new Map<string, number>()
  let round = records.filter(({ via }) => via === "start")
  for (let depth = 0; round.length > 0; depth++) {
    const linked: Array<UrlRecord> = []
    const take = (url: string, into: Array<UrlRecord>) => {
      const record = clicks.has(url) ? undefined : find(url)
      if (record !== undefined) into.push(record)
    }
    for (const record of round) {
      if (clicks.has(record.url)) continue
      clicks.set(record.url, depth)
      const to = hopOf(record)?.to ?? null
      if (to !== null) take(to, round)
      for (const { target } of record.visit?.facts?.links ?? []) if (target.followable) take(target.url, linked)
    }
    round = linked
  }
  return clicks
}

type Find = (url: string) => AnalysedPage | undefined

/** Whether the page's canonical is an indexable URL that differs only in query, index file or trailing slash. */
const isFolded = ({ canonical, url }: AnalysedPage, find: Find): boolean =>
  canonical.url !== null && isVariantOf(url, canonical.url) && find(canonical.url)?.reason === "ok"

const asVariant = (reason: HealthReason): HealthReason =>
  reason === "canonical_elsewhere" ? "canonical_variant" : reason

/** Marks canonicalized pages as variants; needs the verdicts of all pages. */
const withVariants = (pages: ReadonlyArray<AnalysedPage>): ReadonlyArray<AnalysedPage> => {
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  return pages.map((page) =>
    (page.reason === "canonical_elsewhere" || page.also.includes("canonical_elsewhere")) &&
    isFolded(page, (url) => byUrl.get(url))
      ? { ...page, reason: asVariant(page.reason), also: page.also.map(asVariant) }
      : page
  )
}

/**
 * Whether a hidden page is another URL of a known page: a canonical to a variant, one of many parameter sets, or a fetched page with parameters added. The
 * number of such URLs says nothing about the site. Only its canonical makes the start page a variant.
 */
export const isHiddenVariant = ({ canonical, reason, record, url }: AnalysedPage, find: Find): boolean => {
  if (healthStateOf[reason] !== "hidden") return false
  if (reason === "canonical_variant" || record.kind?.isOutside === true) return true
  if (record.via === "start") return false
  const [plain = url] = url.split("?", 1)
  const isOther = reason === "canonical_elsewhere" && (canonical.url === null || !isVariantOf(url, canonical.url))
  return plain !== url && !isOther && find(plain)?.visit?.facts != null
}

/** The sorted parameter names of a URL, which repeat from page to page; null without parameters. */
const namesOf = (url: string): string | null =>
  url.includes("?") ? [...new Set(new URL(url).searchParams.keys())].sort().join("&") : null

/**
 * Leaves out unread first parameter sets of fetched pages if the same parameters made only variants wherever they were fetched: a sort order works on each of
 * a hundred lists.
 */
const leaveVariants = (pages: ReadonlyArray<AnalysedPage>, find: Find): void => {
  const areVariants = new Map<string, boolean>()
  for (const page of pages) {
    const names = wasAsked(page) ? namesOf(page.url) : null
    if (names !== null) areVariants.set(names, (areVariants.get(names) ?? true) && isHiddenVariant(page, find))
  }
  for (const page of pages) {
    const { kind } = page.record
    if (wasAsked(page) || kind?.set !== "first" || find(kind.plain)?.visit?.facts == null) continue
    if (areVariants.get(namesOf(page.url) ?? "") === true) page.record.trapped = true
  }
}

/** A URL that was not requested only because of a limit. */
const cutOff = (page: AnalysedPage): boolean =>
  page.fetchState === "not_fetched" && page.reason !== "robots_unreachable" && !isLeftOut(page)

/** Why the start page and all other fetched pages are shells for scripts; null when they are not. */
const shellOf = (pages: ReadonlyArray<AnalysedPage>, { probe, start }: Run["found"]): string | null => {
  const read = pages.flatMap(({ reason, url, visit }) => {
    const facts = visit?.facts ?? null
    return facts === null || healthStateOf[reason] === "redirect" ? [] : [{ facts, isHome: url === start.href }]
  })
  const home = read.find(({ isHome }) => isHome)?.facts ?? null
  return needsJavascript(
    home,
    read.flatMap(({ facts, isHome }) => (isHome ? [] : [facts])),
    probe
  )
}

/** What a run renders with, and how it went. */
type Renderer = Pick<RenderingSummary, "browser" | "mode" | "reason" | "requests">

/** Templates that are listed. */
const maxTemplates = 100

/** What was rendered, and what was left out, by the pages of the run. */
const renderingOf = (records: ReadonlyArray<UrlRecord>, renderer: Renderer): RenderingSummary => {
  const reports = records.flatMap(({ url, visit }) => (visit?.scripted == null ? [] : [{ ...visit.scripted, url }]))
  const having = (state: PageRendering["state"]) => reports.filter(({ report }) => report.state === state)
  const left = groupedBy(having("not_rendered"), ({ report }) => report.reason ?? "off")
  const templates = groupedBy(reports, ({ template }) => template)
  return {
    ...renderer,
    rendered: having("rendered").length,
    failed: having("failed").length,
    not_rendered: Object.fromEntries([...left].sort().map(([reason, pages]) => [reason, pages.length])),
    templates: [...templates.values()].slice(0, maxTemplates).map((pages) => ({
      example: pages[0]?.url ?? "",
      pages: pages.length,
      rendered: pages.filter(({ report }) => report.state === "rendered").length,
      differs: pages.some(({ report }) => report.differences.length > 0 || report.redirect !== null)
    }))
  }
}

/** The verdicts on all URLs of a crawl; `interrupted` says that the deadline cut it off. */
export function* analyse(run: Run, interrupted: boolean, renderer: Renderer): Steps<AnalysedSite> {
  const { found, frontier, options } = run
  const records = frontier.records()
  const clicks = clicksFrom(records, (url) => frontier.find(url))
  for (const record of records) record.depth = clicks.get(record.url) ?? null
  yield block
  const without = endless(records, run.now)
  for (const { idle } of without) for (const record of idle) record.trapped = true
  yield block
  const suspects = softNotFoundCandidates(run)
  yield block
  const judged: Array<AnalysedPage> = []
  for (const record of records) {
    judged.push(analysedPage(run, record, suspects))
    yield record.url.length
  }
  const pages = withVariants(judged)
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  leaveVariants(pages, (url) => byUrl.get(url))
  yield block
  const rendering = renderingOf(records, renderer)
  const unseen = isRendering(rendering) ? records.filter(({ visit }) => isUnseen(visit?.scripted?.report ?? null)) : []
  const late = interrupted || found.outOfTime
  const cut = pages.some(cutOff) || frontier.unlisted() > 0
  const termination: Termination = late ? "max-duration" : cut ? "max-pages" : "complete"
  return {
    start: found.start,
    pages,
    find: (url) => byUrl.get(url),
    robots: run.robots.known(found.start),
    agents: yield* agentAccess(run, pages),
    sitemap: found.sitemap,
    probe: found.probe,
    needsJavascript: shellOf(pages, found),
    rendering,
    unseen: new Set(unseen.map(({ url }) => url)),
    unseenShells: new Set(unseen.flatMap(({ url, visit }) => (visit?.scripted?.isShell === true ? [url] : []))),
    termination,
    unlisted: frontier.unlisted(),
    traps: trapCounts(records, frontier.beyond()),
    endless: without.flatMap(({ isSeen, text }) => (isSeen ? [text] : [])),
    mayBeEndless: without.flatMap(({ isSeen, text }) => (isSeen ? [] : [text])),
    checkDeadLinks: options.checkDeadLinks,
    checkExternalLinks: options.checkExternalLinks === true,
    parts: found.parts,
    externalLinks: found.externalLinks,
    isPart: options.only !== undefined,
    globs: writtenGlobs(options),
    maxPages: options.maxPages,
    deadlineMillis: run.deadlineMillis,
    now: run.now
  }
}
