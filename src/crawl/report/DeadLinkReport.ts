import { type AnalysedPage, wasAsked } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { isReadInPart } from "../visit/Visit.ts"
import { isOpen } from "./States.ts"
import type { DeadLink, DeadLinks } from "./Summary.ts"

const maxLinkers = 10

export const isDead = ({ reason }: AnalysedPage): boolean => reason === "http_4xx" || reason === "http_5xx"

/** Whether it is open that a page asked for is dead: one too large to read is not. URLs never asked for are neither checked nor unverified. */
const isUnverified = (page: AnalysedPage): boolean =>
  wasAsked(page) && isOpen(page.reason) && page.reason !== "too_large"

/** Pages whose link leads here, directly or through redirects, in the order of meeting. */
const linkersOf = (site: AnalysedSite): ReadonlyMap<string, ReadonlyArray<AnalysedPage>> => {
  const through = new Map<string, Array<AnalysedPage>>()
  for (const page of site.pages) {
    const end = page.chain.target?.url ?? page.url
    through.set(end, [...(through.get(end) ?? []), page])
  }
  return through
}

const deadLink = (page: AnalysedPage, through: ReadonlyArray<AnalysedPage>): DeadLink => {
  // The page's own links come first, then those that reach it by a redirect.
  const sources = [page, ...through.filter((source) => source !== page)]
  const linkedFrom = [...new Set(sources.flatMap(({ record }) => record.linkedFrom))]
  return {
    url: page.url,
    http_status: page.visit?.status ?? 0,
    linked_from: linkedFrom.slice(0, maxLinkers),
    anchor_text: sources.find(({ record }) => record.anchorText !== null)?.record.anchorText ?? null,
    attempts: page.visit?.attempts ?? []
  }
}

/** Every link of every page was there to be checked. */
const isWhole = ({ needsJavascript, pages, termination, traps }: AnalysedSite): boolean =>
  termination === "complete" &&
  needsJavascript === null &&
  traps.every(({ reason }) => reason !== "repeated_segments") &&
  pages.every(({ visit }) => visit === null || !isReadInPart(visit))

/** What the run may say about dead links: found means confirmed, unverified is never found (spec, Site health result). */
export const deadLinks = (site: AnalysedSite): DeadLinks => {
  const nothing = { checked: 0, found: 0, unverified: 0, items: [] }
  if (!site.checkDeadLinks) return { state: "disabled", ...nothing }
  const reached = site.pages.filter(wasAsked)
  if (reached.length === 0) return { state: "unavailable", ...nothing }
  const dead = reached.filter(isDead)
  const unverified = reached.filter(isUnverified)
  const through = linkersOf(site)
  return {
    state: isWhole(site) ? "complete" : "partial",
    checked: reached.length - unverified.length,
    found: dead.length,
    unverified: unverified.length,
    items: dead.map((page) => deadLink(page, through.get(page.url) ?? []))
  }
}
