import type { Steps } from "../../foundation/schema/Steps.ts"
import type { UrlRecord } from "../frontier/Frontier.ts"
import type { Kind, Trap } from "../frontier/Traps.ts"
import { type LinkTarget, ownPrefixes } from "../page/UrlIdentity.ts"
import {
  type FetchState,
  type HealthReason,
  healthStateOf,
  type IndexabilityState,
  isOpen,
  type RobotsLine,
  type Termination
} from "../report/MeasuredPage.ts"
import type { RenderingSummary } from "../report/Rendering.ts"
import { isSameSelection, type Matcher, type Selection, selection } from "../robots/Match.ts"
import { type Agent, agents, type RobotsVerdict } from "../robots/Parse.ts"
import type { Checks, Run } from "../run/Run.ts"
import type { SoftProbe } from "../visit/CheckAddress.ts"
import { matcherOf, type RobotsFile } from "../visit/RobotsCache.ts"
import type { SitemapReading } from "../visit/SitemapWalk.ts"
import type { KeptLink, Visit } from "../visit/Visit.ts"
import type { Globs } from "../visit/Visitor.ts"
import type { Canonical, RedirectChain } from "./Verdict.ts"

/** One URL with its final verdict. */
export interface AnalysedPage {
  readonly url: string
  readonly record: UrlRecord
  readonly visit: Visit | null
  readonly fetchState: FetchState
  readonly indexability: IndexabilityState
  /** The first reason in the order of verdicts; its health state follows from it. */
  readonly reason: HealthReason
  /** Further reasons that hold. */
  readonly also: ReadonlyArray<HealthReason>
  readonly robotsLine: RobotsLine | null
  readonly canonical: Canonical
  readonly chain: RedirectChain
  readonly note: string | null
}

/** Whether the crawl requested the URL. */
export const wasAsked = ({ visit }: AnalysedPage): boolean => visit !== null && visit.attempts.length > 0

/** Whether statements about the whole site leave the URL out: it was not requested, and it acts, is excluded, or is one of endless URLs or parameter sets. */
export const isLeftOut = (page: AnalysedPage): boolean => page.record.trapped && !wasAsked(page)

/** Whether the URL's unknown state leaves statements about the whole site open. */
export const leavesOpen = (page: AnalysedPage): boolean => isOpen(page.reason) && !isLeftOut(page)

/** Whether the page names another page as its canonical. */
export const isCanonicalised = ({ also, reason }: AnalysedPage): boolean =>
  [reason, ...also].some((each) => each === "canonical_elsewhere" || each === "canonical_variant")

/** Whether the URL returns a confirmed error. */
export const isDead = ({ reason }: AnalysedPage): boolean => reason === "http_4xx" || reason === "http_5xx"

/** What robots.txt lets one agent read. */
export interface AgentAccess {
  readonly agent: Agent
  /** Pages that the agent may read. */
  readonly open: ReadonlySet<string>
  /** Pages that the agent may not read, each with the deciding line; null when robots.txt could not be fetched. */
  readonly closed: ReadonlyMap<string, RobotsLine | null>
  /** The verdict on the start URL, whether or not the page exists. */
  readonly start: RobotsVerdict
}

/** Whether a URL counts as a page of the site. Redirects, errors, non-HTML files, URLs that act and unread endless URLs do not count. */
const isPage = (page: AnalysedPage): boolean =>
  healthStateOf[page.reason] !== "redirect" &&
  healthStateOf[page.reason] !== "failed" &&
  page.reason !== "not_html" &&
  page.reason !== "action_link" &&
  !isLeftOut(page)

/** Maximum comparisons (characters times rules) for all agents together: about 50 ms, enough for all pages of a usual site. Further pages are not counted. */
const comparisons = 100_000_000

/** A page with the robots.txt of its origin. */
interface Place {
  readonly url: string
  readonly file: RobotsFile
}

/** The rule groups that an agent obeys in each file. */
type Selections = ReadonlyMap<RobotsFile, Selection>

const selectionsOf = (files: ReadonlySet<RobotsFile>, { tokens }: Agent): Selections =>
  new Map([...files].map((file) => [file, file.robots === null ? [] : selection(file.robots, tokens)]))

const isSame = (one: Selections, other: Selections): boolean =>
  [...one].every(([file, groups]) => isSameSelection(groups, other.get(file) ?? []))

/** A robots.txt without rules (missing or out of reach) gives every agent one verdict. */
const matchersOf = (selections: Selections): ReadonlyMap<RobotsFile, Matcher> =>
  new Map([...selections].map(([file, groups]) => [file, file.robots === null ? file : matcherOf(groups)]))

/** The pages with a known robots.txt. */
const placesOf = (run: Run, pages: ReadonlyArray<AnalysedPage>): ReadonlyArray<Place> =>
  pages.filter(isPage).flatMap(({ url }) => {
    const file = run.robots.known(new URL(url))
    return file === null || file.state === "unknown" ? [] : [{ url, file }]
  })

/** Pages and files for comparing agents. */
interface Comparison {
  readonly places: ReadonlyArray<Place>
  readonly start: Place
  /** Comparisons left. */
  room: number
}

function* accessOf(agent: Agent, selections: Selections, comparison: Comparison): Steps<AgentAccess> {
  const matchers = matchersOf(selections)
  const closed = new Map<string, RobotsLine | null>()
  const open = new Set<string>()
  for (const { file, url } of comparison.places) {
    const matcher = matchers.get(file) ?? file
    // When the budget runs out, later agents skip all further pages too: no agent has a verdict on a page where Googlebot lacks one.
    comparison.room = Math.max(0, comparison.room - matcher.cost(url))
    if (comparison.room === 0) break
    const verdict = matcher.verdict(url)
    if (verdict.allowed) open.add(url)
    else closed.set(url, verdict.rule)
    yield url.length
  }
  const { file, url } = comparison.start
  return { agent, open, closed, start: (matchers.get(file) ?? file).verdict(url) }
}

/** What robots.txt lets each listed agent read; empty when the crawl ended before robots.txt answered. */
export function* agentAccess(run: Run, pages: ReadonlyArray<AnalysedPage>): Steps<ReadonlyArray<AgentAccess>> {
  const { start } = run.found
  const home = run.robots.known(start)
  if (home === null || home.state === "unknown") return []
  const places = placesOf(run, pages)
  const comparison = { places, start: { url: start.href, file: home }, room: comparisons }
  const files = new Set([home, ...places.map(({ file }) => file)])
  const known: Array<{ readonly selections: Selections; readonly access: AgentAccess }> = []
  for (const agent of agents) {
    const selections = selectionsOf(files, agent)
    const twin = known.find((each) => isSame(each.selections, selections))
    const access = twin === undefined ? yield* accessOf(agent, selections, comparison) : { ...twin.access, agent }
    known.push({ selections, access })
  }
  return known.map(({ access }) => access)
}

/** Number of URLs with one pattern that one reason put last or left out. */
interface TrapCount extends Trap {
  readonly count: number
  /** How many of the URLs were not requested. */
  readonly unread: number
  readonly example: string
}

/** Counts the URLs that the frontier put last or left out, including URLs without a record. */
export const trapCounts = (
  records: ReadonlyArray<UrlRecord>,
  beyond: ReadonlyMap<string, Kind>
): ReadonlyArray<TrapCount> => {
  const counts = new Map<string, TrapCount>()
  const add = (trap: Trap | null, example: string, isRead: boolean) => {
    if (trap === null) return
    const key = `${trap.reason} ${trap.pattern}`
    const known = counts.get(key) ?? { ...trap, count: 0, unread: 0, example }
    counts.set(key, { ...known, count: known.count + 1, unread: known.unread + (isRead ? 0 : 1) })
  }
  for (const { kind, url, visit } of records) add(kind?.trap ?? null, url, (visit?.attempts.length ?? 0) > 0)
  for (const [url, { trap }] of beyond) add(trap, url, false)
  return [...counts.values()]
}

/** A crawled site with a verdict on each URL: the input of checks, score and report. */
export interface AnalysedSite {
  /** The start page after its redirects. */
  readonly start: URL
  readonly pages: ReadonlyArray<AnalysedPage>
  readonly find: (url: string) => AnalysedPage | undefined
  /** Null when the crawl ended before it requested robots.txt. */
  readonly robots: RobotsFile | null
  /** What robots.txt lets search engines and AI companies read, in list order; empty when the crawl ended before robots.txt answered. */
  readonly agents: ReadonlyArray<AgentAccess>
  /** Null when the crawl ended before it read the sitemaps. */
  readonly sitemap: SitemapReading | null
  readonly probe: SoftProbe | null
  /** Why the site cannot be seen without running its scripts; null when it can. */
  readonly needsJavascript: string | null
  readonly rendering: RenderingSummary
  /** The pages with scripts that a crawl with a browser could not render. */
  readonly unseen: ReadonlySet<string>
  /** The ones of them that are almost empty without their scripts: nothing is known of their content. */
  readonly unseenShells: ReadonlySet<string>
  readonly termination: Termination
  /** Number of URLs beyond `pages`. */
  readonly unlisted: number
  readonly traps: ReadonlyArray<TrapCount>
  /** Where URLs multiply without end, in words. */
  readonly endless: ReadonlyArray<string>
  /** Where URLs may multiply without end, in words: the crawl requested no such URL. */
  readonly mayBeEndless: ReadonlyArray<string>
  readonly checkDeadLinks: boolean
  readonly checkExternalLinks: boolean
  /** Requested images, styles and scripts of the site, and pages of other sites; null when the crawl ended before. */
  readonly parts: Checks | null
  readonly externalLinks: Checks | null
  /** The crawl covered only part of the site, so it says nothing about the whole site. */
  readonly isPart: boolean
  /** Exclude and include globs of the crawl. */
  readonly globs: Globs
  readonly maxPages: number
  readonly deadlineMillis: number
  /** The crawl's time in milliseconds since the epoch, for comparing dates of the site. */
  readonly now: number
}

/** Computes a value once per site for checks that need it on every page. */
export const perSite = <T>(make: (site: AnalysedSite) => T): ((site: AnalysedSite) => T) => {
  const known = new WeakMap<AnalysedSite, { readonly value: T }>()
  return (site) => {
    const found = known.get(site)
    if (found !== undefined) return found.value
    const value = make(site)
    known.set(site, { value })
    return value
  }
}

/** A link to a page of another site. */
interface LinkElsewhere extends KeptLink {
  readonly target: Extract<LinkTarget, { readonly followable: true }>
}

/** The links of a page to other sites than the site of `start`. Frames do not count, because nobody follows them. */
export const linksElsewhere = (start: URL, links: ReadonlyArray<KeptLink>): ReadonlyArray<LinkElsewhere> => {
  const own = ownPrefixes(start)
  const isOwn = (url: string) => own.some((prefix) => url.startsWith(prefix))
  const isElsewhere = (link: KeptLink): link is LinkElsewhere =>
    link.target.followable && (link.kind === "a" || link.kind === "area") && !isOwn(link.target.url)
  return links.filter(isElsewhere)
}
