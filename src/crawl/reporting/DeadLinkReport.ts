import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { type AnalysedPage, isDead, wasAsked } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { maxLinkers } from "../frontier/UrlRecord.ts"
import { isOpen } from "../report/States.ts"
import type { DeadLink, DeadLinks } from "../report/Summary.ts"
import { isListedOnly, waysTo } from "../rules/Standing.ts"
import { isReadInPart } from "../visit/Visit.ts"

/** Whether a requested URL may be dead or not; a page too large to read is not dead. URLs never requested are neither checked nor unverified. */
const isUnverified = (page: AnalysedPage): boolean =>
  wasAsked(page) && isOpen(page.reason) && page.reason !== "too_large"

/** Cost of looking a link up, in characters. */
const worthOfLink = 2

/** For each dead URL every page read that links to it or to a redirect that ends there. */
function* allLinkers(
  site: AnalysedSite,
  dead: ReadonlyArray<AnalysedPage>
): Steps<ReadonlyMap<string, ReadonlySet<string>>> {
  const linkers = new Map(dead.map(({ url }) => [url, new Set<string>()]))
  if (dead.length === 0) return linkers
  const endOf = new Map(dead.flatMap((page) => waysTo(site)(page).map((source) => [source.url, page.url] as const)))
  yield* each(site.pages, ({ url, visit }) => {
    const links = visit?.facts?.links ?? []
    for (const { target } of links) {
      const end = target.followable ? endOf.get(target.url) : undefined
      if (end !== undefined) linkers.get(end)?.add(url)
    }
    return 1 + links.length * worthOfLink
  })
  return linkers
}

const deadLink = (
  page: AnalysedPage,
  ways: ReadonlyArray<AnalysedPage>,
  linkers: ReadonlySet<string> | undefined
): DeadLink => {
  // The page's own links come first, then those that reach it by a redirect.
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

/** Every link of every page was there to be checked. */
const isWhole = ({ isPart, needsJavascript, pages, termination }: AnalysedSite): boolean =>
  termination === "complete" &&
  !isPart &&
  needsJavascript === null &&
  pages.every(({ visit }) => visit === null || !isReadInPart(visit))

/** What the run may say about dead links: found means confirmed, unverified is never found. */
export function* deadLinks(site: AnalysedSite): Steps<DeadLinks> {
  const nothing = { checked: 0, found: 0, unverified: 0, items: [] }
  if (!site.checkDeadLinks) return { state: "disabled", ...nothing }
  const reached = site.pages.filter(wasAsked)
  if (reached.length === 0) return { state: "unavailable", ...nothing }
  const unverified = reached.filter(isUnverified)
  const dead = reached.filter((page) => isDead(page) && !isListedOnly(page, site))
  const linkers = yield* allLinkers(site, dead)
  return {
    state: isWhole(site) ? "complete" : "partial",
    checked: reached.length - unverified.length,
    found: dead.length,
    unverified: unverified.length,
    items: dead.map((page) => deadLink(page, waysTo(site)(page), linkers.get(page.url)))
  }
}
