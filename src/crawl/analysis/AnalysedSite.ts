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
  /** Reasons that hold as well. */
  readonly also: ReadonlyArray<HealthReason>
  readonly robotsLine: RobotsLine | null
  readonly canonical: Canonical
  readonly chain: RedirectChain
  readonly note: string | null
}

/** Whether the run sent a request for the URL. */
export const wasAsked = ({ visit }: AnalysedPage): boolean => visit !== null && visit.attempts.length > 0

/** Whether the URL stands outside of what the run says of the whole site: it was not asked, and is an address that acts, left out by the options, one more parameter set, or leads on without end. */
export const isLeftOut = (page: AnalysedPage): boolean => page.record.trapped && !wasAsked(page)

/** Whether it is open what the URL would be, so that claims about the whole site are too. */
export const leavesOpen = (page: AnalysedPage): boolean => isOpen(page.reason) && !isLeftOut(page)

/** Whether the page names another as its canonical. */
export const isCanonicalised = ({ also, reason }: AnalysedPage): boolean =>
  [reason, ...also].some((each) => each === "canonical_elsewhere" || each === "canonical_variant")

/** Whether the URL answers with an error, confirmed. */
export const isDead = ({ reason }: AnalysedPage): boolean => reason === "http_4xx" || reason === "http_5xx"

/** What robots.txt lets one agent read. */
export interface AgentAccess {
  readonly agent: Agent
  /** The pages that it may read. */
  readonly open: ReadonlySet<string>
  /** The pages that it may not read, each with the line that decides; null where robots.txt could not be had. */
  readonly closed: ReadonlyMap<string, RobotsLine | null>
  /** The verdict on the start page, whatever that answers. */
  readonly start: RobotsVerdict
}

/**
 * Whether a URL counts as a page of the site: all that were met, read or not, but those that proved to be a redirect, an error, or no HTML, addresses that act,
 * and addresses without end that were not read.
 */
const isPage = (page: AnalysedPage): boolean =>
  healthStateOf[page.reason] !== "redirect" &&
  healthStateOf[page.reason] !== "failed" &&
  page.reason !== "not_html" &&
  page.reason !== "action_link" &&
  !isLeftOut(page)

/** Characters times rules that are compared at most, for all agents together: some 50 ms of work, enough for all pages of a usual site. Pages beyond are not counted. */
const comparisons = 100_000_000

/** A page with the robots.txt of its origin. */
interface Place {
  readonly url: string
  readonly file: RobotsFile
}

/** What an agent obeys in each file. */
type Selections = ReadonlyMap<RobotsFile, Selection>

const selectionsOf = (files: ReadonlySet<RobotsFile>, { tokens }: Agent): Selections =>
  new Map([...files].map((file) => [file, file.robots === null ? [] : selection(file.robots, tokens)]))

const isSame = (one: Selections, other: Selections): boolean =>
  [...one].every(([file, groups]) => isSameSelection(groups, other.get(file) ?? []))

/** Without rules to compare, a file says the same of every agent: it is absent, or could not be had. */
const matchersOf = (selections: Selections): ReadonlyMap<RobotsFile, Matcher> =>
  new Map([...selections].map(([file, groups]) => [file, file.robots === null ? file : matcherOf(groups)]))

/** The pages of the run whose robots.txt is known. */
const placesOf = (run: Run, pages: ReadonlyArray<AnalysedPage>): ReadonlyArray<Place> =>
  pages.filter(isPage).flatMap(({ url }) => {
    const file = run.robots.known(new URL(url))
    return file === null || file.state === "unknown" ? [] : [{ url, file }]
  })

/** What the agents are compared on. */
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
    // Once a page is left out, so are all later ones of all later agents: no agent has a verdict on a page on which Googlebot has none.
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

/** What robots.txt lets each agent of the list read; empty when the run ended before robots.txt answered. */
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

/** Addresses of one pattern that were put last or left out, for one reason. */
interface TrapCount extends Trap {
  readonly count: number
  /** Those of them that were not asked for. */
  readonly unread: number
  readonly example: string
}

/** Counts what the frontier put last or left out, what it has no record of included. */
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

/** Everything a run found, with a verdict on each URL: what rules, score and report are computed from. */
export interface AnalysedSite {
  /** The start page after its redirects. */
  readonly start: URL
  readonly pages: ReadonlyArray<AnalysedPage>
  readonly find: (url: string) => AnalysedPage | undefined
  /** Null when the run ended before robots.txt was requested. */
  readonly robots: RobotsFile | null
  /** What robots.txt lets search engines and AI companies read, in the order of the list; empty when the run ended before it answered. */
  readonly agents: ReadonlyArray<AgentAccess>
  /** Null when the run ended before the sitemaps were read. */
  readonly sitemap: SitemapReading | null
  readonly probe: SoftProbe | null
  /** Why the site cannot be seen without running its scripts; null when it can. */
  readonly needsJavascript: string | null
  readonly rendering: RenderingSummary
  /** The pages of which it is open what their scripts make of them, in a run that renders. */
  readonly unseen: ReadonlySet<string>
  readonly termination: Termination
  /** URLs met beyond those kept in `pages`. */
  readonly unlisted: number
  readonly traps: ReadonlyArray<TrapCount>
  /** Where addresses multiply without end, in words. */
  readonly endless: ReadonlyArray<string>
  /** Where they may, in words: of these addresses none had its turn. */
  readonly mayBeEndless: ReadonlyArray<string>
  readonly checkDeadLinks: boolean
  readonly checkExternalLinks: boolean
  /** Images, styles and scripts of the site, and pages of other sites, that were asked for; null when the run ended before. */
  readonly parts: Checks | null
  readonly externalLinks: Checks | null
  /** The run covered only part of the site, so it says nothing of the whole. */
  readonly isPart: boolean
  /** Globs of addresses that the run was not to request, and of those that alone it was to read. */
  readonly globs: Globs
  readonly maxPages: number
  readonly deadlineMillis: number
  /** Milliseconds since the epoch by which dates of the site are judged. */
  readonly now: number
}

/** A value of a site that rules need for each of its pages, computed once a site. */
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

/** The links of a page that lead to other sites than that of `start`; frames are no links that somebody follows. */
export const linksElsewhere = (start: URL, links: ReadonlyArray<KeptLink>): ReadonlyArray<LinkElsewhere> => {
  const own = ownPrefixes(start)
  const isOwn = (url: string) => own.some((prefix) => url.startsWith(prefix))
  const isElsewhere = (link: KeptLink): link is LinkElsewhere =>
    link.target.followable && (link.kind === "a" || link.kind === "area") && !isOwn(link.target.url)
  return links.filter(isElsewhere)
}
