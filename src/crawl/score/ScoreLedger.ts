import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { type AnalysedPage, isLeftOut, leavesOpen } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { isHiddenVariant } from "../analysis/Variants.ts"
import { healthStateOf } from "../report/States.ts"
import type { Checked } from "../rules/Findings.ts"
import { startAddress } from "../rules/Hiding.ts"
import { isRead } from "../rules/Rule.ts"
import { leadsTo } from "../rules/Targets.ts"
import type { Fault, KnownPage, ScoreLedger } from "./Value.ts"

/** The rule that says that a site shows nothing without running its scripts. */
const shellRule = "needs_javascript"

/** What the failing rules say, by whom they blame. */
interface Blame {
  readonly byUrl: ReadonlyMap<string, ReadonlyArray<Fault>>
  /** Pages that are down, with the rule that says so. */
  readonly down: ReadonlyMap<string, string>
  readonly site: ReadonlyArray<Fault>
}

const blameOf = (checks: ReadonlyArray<Checked>): Blame => {
  const byUrl = new Map<string, Array<Fault>>()
  const down = new Map<string, string>()
  const site: Array<Fault> = []
  for (const { check, rule } of checks) {
    if (rule.isCharged === false) continue
    const fault = { rule: rule.id, severity: rule.severity }
    for (const { url } of check._tag === "Assessed" ? check.failures : []) {
      const known = byUrl.get(url)
      if (rule.scope === "site") site.push(fault)
      else if (rule.scope === "down") down.set(url, rule.id)
      else if (known === undefined) byUrl.set(url, [fault])
      else known.push(fault)
    }
  }
  return { byUrl, down, site }
}

/** Which pages link to one that could not be verified: should that be dead, the link is too. */
const refersToOpen = (site: AnalysedSite): ((page: AnalysedPage) => boolean) => {
  if (!site.checkDeadLinks) return () => false
  if (site.unlisted > 0) return isRead
  if (!site.pages.some(leavesOpen)) return () => false
  return (page) => isRead(page) && leadsTo(page, site, leavesOpen)
}

/** Cost of booking a page and looking at a link of it, in characters. */
const worthOfPage = 64
const worthOfLink = 2

/** Books the findings on the pages of a run; URLs that could not be verified are not charged. */
export function* ledgerOf(site: AnalysedSite, checks: ReadonlyArray<Checked>): Steps<ScoreLedger> {
  const blame = blameOf(checks)
  const refers = refersToOpen(site)
  const start = startAddress(site)
  const faultsOf = ({ url }: AnalysedPage) => blame.byUrl.get(url) ?? []
  const known = (page: AnalysedPage): ReadonlyArray<KnownPage> => {
    if (isLeftOut(page) || isHiddenVariant(page, site.find)) return []
    const common = { isStart: page.url === start, refersToUnverified: refers(page) }
    switch (healthStateOf[page.reason]) {
      case "eligible":
        return [{ ...common, state: "up", faults: faultsOf(page) }]
      case "hidden":
        return [{ ...common, state: "hidden", faults: faultsOf(page) }]
      case "failed":
        return [{ ...common, state: "down", rule: blame.down.get(page.url) ?? page.reason }]
      default:
        return []
    }
  }
  const pages: Array<KnownPage> = []
  yield* each(site.pages, (page) => {
    pages.push(...known(page))
    return worthOfPage + (page.visit?.facts?.links.length ?? 0) * worthOfLink
  })
  const isNoPage = ({ reason }: AnalysedPage) => healthStateOf[reason] === "redirect" || reason === "not_html"
  const elsewhere = [...blame.byUrl].flatMap(([url, faults]) => (site.find(url) === undefined ? faults : []))
  const open = site.pages.filter(leavesOpen)
  return {
    pages,
    redirects: site.pages.filter(({ reason }) => healthStateOf[reason] === "redirect").length,
    outside: [...site.pages.filter(isNoPage).flatMap(faultsOf), ...elsewhere],
    site: blame.site,
    needsJavascript: checks.some(
      ({ check, rule }) => rule.id === shellRule && check._tag === "Assessed" && check.failures.length > 0
    ),
    unverified: open.length + site.unlisted,
    isStartUnverified: open.some(({ url }) => url === site.start.href)
  }
}
