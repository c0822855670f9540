import { each, type Steps } from "../../foundation/schema/Steps.ts"
import type { RobotsLine } from "../report/MeasuredPage.ts"
import { healthStateOf } from "../report/States.ts"
import { type Agent, agents } from "../robots/Agents.ts"
import { isSameSelection, type Matcher, type Selection, selection } from "../robots/Match.ts"
import type { RobotsVerdict } from "../robots/RobotsTxt.ts"
import type { Run } from "../run/Run.ts"
import type { RobotsFile } from "../visit/RobotsCache.ts"
import { matcherOf } from "../visit/SpellingMatcher.ts"
import type { AnalysedPage } from "./AnalysedPage.ts"

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
 * and addresses without end.
 */
const isPage = ({ reason, record }: AnalysedPage): boolean =>
  healthStateOf[reason] !== "redirect" &&
  healthStateOf[reason] !== "failed" &&
  reason !== "not_html" &&
  reason !== "action_link" &&
  !record.trapped

/** Characters times rules that are compared at most, for all agents together: some 50 ms of work, enough for all pages of a usual site. Pages beyond are not counted. */
const comparisons = 100_000_000
/** How many of them cost as much as a character of a page. */
const perCharacter = 1000
/** Cost of a page, in characters. */
const worthOfPage = 64

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
function* matchersOf(selections: Selections): Steps<ReadonlyMap<RobotsFile, Matcher>> {
  const matchers = new Map<RobotsFile, Matcher>()
  for (const [file, groups] of selections) matchers.set(file, file.robots === null ? file : yield* matcherOf(groups))
  return matchers
}

/** The pages of the run whose robots.txt is known. */
function* placesOf(run: Run, pages: ReadonlyArray<AnalysedPage>): Steps<ReadonlyArray<Place>> {
  const places: Array<Place> = []
  yield* each(pages, (page) => {
    const file = isPage(page) ? run.robots.known(new URL(page.url)) : null
    if (file !== null && file.state !== "unknown") places.push({ url: page.url, file })
    return worthOfPage
  })
  return places
}

/** What the agents are compared on. */
interface Comparison {
  readonly places: ReadonlyArray<Place>
  readonly start: Place
  /** Comparisons left. */
  room: number
}

function* accessOf(agent: Agent, selections: Selections, comparison: Comparison): Steps<AgentAccess> {
  const matchers = yield* matchersOf(selections)
  const closed = new Map<string, RobotsLine | null>()
  const open = new Set<string>()
  yield* each(comparison.places, ({ file, url }) => {
    if (comparison.room === 0) return 1
    const matcher = matchers.get(file) ?? file
    const cost = matcher.cost(url)
    // Once a page is left out, so are all later ones of all later agents: no agent has a verdict on a page on which Googlebot has none.
    comparison.room = Math.max(0, comparison.room - cost)
    if (comparison.room === 0) return worthOfPage
    const verdict = matcher.verdict(url)
    if (verdict.allowed) open.add(url)
    else closed.set(url, verdict.rule)
    return worthOfPage + cost / perCharacter
  })
  const { file, url } = comparison.start
  return { agent, open, closed, start: (matchers.get(file) ?? file).verdict(url) }
}

/** What robots.txt lets each agent of the list read; empty when the run ended before robots.txt answered. */
export function* agentAccess(run: Run, pages: ReadonlyArray<AnalysedPage>): Steps<ReadonlyArray<AgentAccess>> {
  const { start } = run.found
  const home = run.robots.known(start)
  if (home === null || home.state === "unknown") return []
  const places = yield* placesOf(run, pages)
  const comparison = { places, start: { url: start.href, file: home }, room: comparisons }
  const files = new Set([home, ...places.map(({ file }) => file)])
  const groups = [...files].reduce((sum, { robots }) => sum + (robots?.groups.length ?? 0), 0)
  const known: Array<{ readonly selections: Selections; readonly access: AgentAccess }> = []
  for (const agent of agents) {
    const selections = selectionsOf(files, agent)
    yield groups * worthOfPage
    const twin = known.find((each) => isSame(each.selections, selections))
    const access = twin === undefined ? yield* accessOf(agent, selections, comparison) : { ...twin.access, agent }
    known.push({ selections, access })
  }
  return known.map(({ access }) => access)
}
