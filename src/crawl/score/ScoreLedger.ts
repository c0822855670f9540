import { each, type Steps } from "../../foundation/schema/Steps.ts"
import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { PagePlace } from "../report/PagePlace.ts"
import { healthStateOf, isOpen } from "../report/States.ts"
import type { Checked } from "../rules/Findings.ts"
import { startAddress } from "../rules/Hiding.ts"
import { isRead } from "../rules/Rule.ts"
import { isListedOnly, standingOf } from "../rules/Standing.ts"
import { linksTo } from "../rules/Targets.ts"
import { blameOf } from "./Blame.ts"
import type { KnownPage, ScoreLedger } from "./Value.ts"

type Reference = KnownPage["refersToUnverified"]

/** Pages from which on the same link is one that pages have in common. */
const few = 3

/** Cost of booking a page and looking at a link of it, in characters. */
const worthOfPage = 64
const worthOfLink = 2

const worthOf = (page: AnalysedPage): number => worthOfPage + (page.visit?.facts?.links.length ?? 0) * worthOfLink

/** Which pages link to one that could not be verified: should that be dead, the link is too. */
function* referencesToOpen(site: AnalysedSite): Steps<(page: AnalysedPage) => Reference> {
  if (!site.checkDeadLinks) return () => "no"
  if (site.unlisted > 0) return (page) => (isRead(page) ? "own" : "no")
  if (site.pages.every(({ reason }) => !isOpen(reason))) return () => "no"
  const links = new Map<AnalysedPage, ReadonlySet<string>>()
  const counts = new Map<string, number>()
  yield* each(site.pages, (page) => {
    const open = isRead(page) ? linksTo(page, site, ({ reason }) => isOpen(reason)) : []
    const keys = new Set(
      open.map(({ link: { place }, target: { url } }): `${PagePlace} ${string}` => `${place} ${url}`)
    )
    if (keys.size > 0) links.set(page, keys)
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    return worthOf(page)
  })
  return (page) => {
    const keys = links.get(page)
    if (keys === undefined) return "no"
    return [...keys].every((key) => (counts.get(key) ?? 0) >= few) ? "shared" : "own"
  }
}

/** Whether a rule fails that is a factor of the score. */
const fails = (checks: ReadonlyArray<Checked>, id: string): boolean =>
  checks.some(({ check, rule }) => rule.id === id && check._tag === "Assessed" && check.failures.length > 0)

/** Books the findings on the pages of a run; URLs that could not be verified are not charged. */
export function* ledgerOf(site: AnalysedSite, checks: ReadonlyArray<Checked>): Steps<ScoreLedger> {
  const blame = yield* blameOf(checks)
  const refers = yield* referencesToOpen(site)
  const start = startAddress(site)
  const faultsOf = ({ url }: AnalysedPage) => blame.byUrl.get(url) ?? []
  const known = (page: AnalysedPage): ReadonlyArray<KnownPage> => {
    const common = { isStart: page.url === start, refersToUnverified: refers(page) }
    const state = standingOf(page, site)
    if (state === null) return []
    if (state === "down") return [{ ...common, state, rule: blame.down.get(page.url) ?? page.reason }]
    return [{ ...common, state, faults: faultsOf(page) }]
  }
  const pages: Array<KnownPage> = []
  yield* each(site.pages, (page) => {
    pages.push(...known(page))
    return worthOf(page)
  })
  const isBeside = (page: AnalysedPage) =>
    healthStateOf[page.reason] === "redirect" ||
    page.reason === "not_html" ||
    (healthStateOf[page.reason] === "failed" && standingOf(page, site) === null && isListedOnly(page, site))
  const elsewhere = [...blame.byUrl].flatMap(([url, faults]) => (site.find(url) === undefined ? faults : []))
  const open = site.pages.filter(({ reason, record }) => isOpen(reason) && !record.trapped)
  const isStartRead = site.find(site.start.href)?.visit?.facts != null
  return {
    pages,
    redirects: site.pages.filter(({ reason }) => healthStateOf[reason] === "redirect").length,
    outside: [...site.pages.filter(isBeside).flatMap(faultsOf), ...elsewhere],
    site: blame.site,
    needsJavascript: fails(checks, "needs_javascript"),
    blockedStart: fails(checks, "start_blocked") ? (isStartRead ? "read" : "unread") : "no",
    unverified: open.length + site.unlisted,
    isStartUnverified: open.some(({ url }) => url === site.start.href)
  }
}
