import * as Schema from "effect/Schema"
import { type AnalysedPage, type AnalysedSite, leavesOpen } from "../analysis/AnalysedSite.ts"
import { type PagePlace, severityRank } from "../report/Finding.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { ratingOf } from "../report/ScoreVerdict.ts"
import { type Score, ScoreFactor } from "../report/SiteScore.ts"
import { isShared } from "../rules/Causes.ts"
import type { Checked } from "../rules/Findings.ts"
import { type Failure, type FaultyElement, isRead } from "../rules/Rule.ts"
import { isDeadTarget, isListedOnly, linksTo, standingOf, startAddress } from "../rules/Targets.ts"
import { assessedOf, type Fault, type KnownPage, type ScoreLedger, valueOf } from "./Value.ts"

/** The failures of all checks, by the URL to charge. */
interface Blame {
  readonly byUrl: ReadonlyMap<string, ReadonlyArray<Fault>>
  /** Pages that are down, with the check that reports it. */
  readonly down: ReadonlyMap<string, string>
  readonly site: ReadonlyArray<Fault>
}

const failuresOf = ({ check }: Checked): ReadonlyArray<Failure> => (check._tag === "Assessed" ? check.failures : [])

type Owner = (url: string, link: string) => string | undefined

/** Finds the check that charges a link and its content on a page: the most severe one that names the link, of equal ones the first. */
const ownersOf = (checks: ReadonlyArray<Checked>): Owner => {
  const owners = new Map<string, Map<string, string>>()
  for (const checked of checks.toSorted((a, b) => severityRank[a.rule.severity] - severityRank[b.rule.severity])) {
    for (const { elements = [], url } of failuresOf(checked)) {
      for (const { link } of elements) {
        if (link === null) continue
        const known = owners.get(url) ?? new Map<string, string>()
        owners.set(url, known)
        if (!known.has(link)) known.set(link, checked.rule.id)
      }
    }
  }
  return (url, link) => owners.get(url)?.get(link)
}

/** The charge of a check on a URL; null when more severe checks charge all its elements. */
const faultOf = (
  { causes, rule }: Checked,
  { elements = [], url }: Failure,
  ownerOf: Owner
): Pick<Fault, "isShared"> | null => {
  const isOwn = ({ link }: FaultyElement) => link === null || ownerOf(url, link) === rule.id
  const own = elements.filter(isOwn)
  if (elements.length > 0 && own.length === 0) return null
  return { isShared: own.length > 0 && own.every((element) => isShared(causes, element)) }
}

/** Collects the failures of all charged checks. */
export const blameOf = (all: ReadonlyArray<Checked>): Blame => {
  const checks = all.filter(({ rule }) => rule.isCharged !== false)
  const ownerOf = ownersOf(checks)
  const byUrl = new Map<string, Array<Fault>>()
  const down = new Map<string, string>()
  const site: Array<Fault> = []
  const book = (checked: Checked, failure: Failure) => {
    const { id, scope, severity } = checked.rule
    const charge = faultOf(checked, failure, ownerOf)
    if (charge === null) return
    const fault = { rule: id, severity: failure.severity ?? severity, ...charge }
    const known = byUrl.get(failure.url)
    if (scope === "site") site.push(fault)
    else if (scope === "down") down.set(failure.url, id)
    else if (known === undefined) byUrl.set(failure.url, [fault])
    else known.push(fault)
  }
  for (const checked of checks) for (const failure of failuresOf(checked)) book(checked, failure)
  return { byUrl, down, site }
}

/** ⌊100 · value⌋, where 0.29 is 29 although 0.29 × 100 is slightly less in floating point. */
const percent = (value: number): number => Math.floor(100 * value + 1e-9)

const many = (count: number, isStart: boolean, page: (isStart: boolean) => KnownPage): ReadonlyArray<KnownPage> =>
  Array.from({ length: count }, (_, index) => page(isStart && index === 0))

const isHiddenSequence = ({ rule }: Fault): boolean => rule === "canonical_to_first_page"

const isDeadLink = ({ rule }: Fault): boolean => rule === "broken_link"

/** The page if its unverified link targets were broken. */
const spoiled = (page: KnownPage): KnownPage => {
  if (page.state === "down" || page.refersToUnverified === "no") return page
  const known = page.faults.find(isDeadLink)
  const isShared = page.refersToUnverified === "shared" && known?.isShared !== false
  const deadLink: Fault = { rule: "broken_link", severity: "critical", isShared }
  return { ...page, faults: [...page.faults.filter((fault) => !isDeadLink(fault)), deadLink] }
}

/** An unseen page that turns out to be empty. */
const emptied = (page: KnownPage): KnownPage =>
  page.isUnseen === true
    ? { isStart: page.isStart, refersToUnverified: "no", rule: "unverified", state: "down" }
    : spoiled(page)

/** An unseen page that turns out to have no issue. */
const filled = (page: KnownPage): KnownPage =>
  page.isUnseen === true && page.state === "up" ? { ...page, faults: [], isUnseen: false } : page

/** The ledger if all unverified URLs were down, and all links to them broken. */
const atWorst = (ledger: ScoreLedger): ScoreLedger => ({
  ...ledger,
  pages: [
    ...ledger.pages.map(emptied),
    ...many(ledger.unverified, ledger.isStartUnverified, (isStart) => ({
      isStart,
      refersToUnverified: "no",
      state: "down",
      rule: "unverified"
    }))
  ]
})

/** The ledger if all unverified URLs were pages without issues. */
const atBest = (ledger: ScoreLedger): ScoreLedger => ({
  ...ledger,
  needsJavascript: ledger.needsJavascript && !ledger.pages.some(({ isUnseen }) => isUnseen === true),
  pages: [
    ...ledger.pages.map(filled),
    ...many(ledger.unverified, ledger.isStartUnverified, (isStart) => ({
      isStart,
      refersToUnverified: "no",
      state: "up",
      faults: []
    }))
  ]
})

/** The score of a site without enough data. */
export const noScore: Score = {
  score_version: 4,
  has_data: false,
  aggregate_score: null,
  status: null,
  coverage: 0,
  range: { low: null, high: null },
  provisional: false,
  breakdown: { mean: null, factor: null, lost: [] }
}

type Sight = Pick<Score, "coverage" | "range" | "provisional">

/** The share of the site that the score covers, and how far the rest may change the score. */
const sightOf = (ledger: ScoreLedger, value: number): Sight => {
  const low = percent(Math.min(value, valueOf(atWorst(ledger))?.value ?? 0))
  const high = percent(Math.max(value, valueOf(atBest(ledger))?.value ?? 1))
  const assessed = assessedOf(ledger).filter(({ isUnseen }) => isUnseen !== true).length
  const unverified = ledger.unverified + ledger.pages.filter(({ isUnseen }) => isUnseen === true).length
  return {
    coverage: Math.floor((10_000 * assessed) / (assessed + unverified)) / 10_000,
    range: { low, high },
    provisional: ratingOf(low) !== ratingOf(high)
  }
}

/** The start page is closed to search engines and to this crawler: the site is unknown, and its score low anyway. */
const unseen: Sight = { coverage: 0, range: { low: 0, high: 10 }, provisional: true }

/** The score of a crawl; unverified pages do not count, but widen its range. */
export const scoreOf = (ledger: ScoreLedger): Score => {
  const exact = valueOf(ledger)
  if (exact === null) return noScore
  const score = percent(exact.value)
  return {
    score_version: 4,
    has_data: true,
    aggregate_score: score,
    status: ratingOf(score),
    ...(ledger.blockedStart === "unread" ? unseen : sightOf(ledger, exact.value)),
    breakdown: {
      mean: exact.mean,
      factor: exact.factor,
      lost: [...exact.lost]
        .map(([rule, share]) => ({ rule, points: 100 * share }))
        .filter(({ points }) => points > 0)
        .sort((a, b) => b.points - a.points || (a.rule < b.rule ? -1 : 1))
    }
  }
}

type Reference = KnownPage["refersToUnverified"]

/** From this number of pages on, a link is shared. */
const few = 3

/** Which pages link to an unverified page: if that page is broken, so is the link. */
const referencesToOpen = (site: AnalysedSite): ((page: AnalysedPage) => Reference) => {
  if (!site.checkDeadLinks) return () => "no"
  if (site.unlisted > 0) return (page) => (isRead(page) ? "own" : "no")
  if (!site.pages.some(leavesOpen)) return () => "no"
  const links = new Map<AnalysedPage, ReadonlySet<string>>()
  const counts = new Map<string, number>()
  for (const page of site.pages) {
    const open = isRead(page) ? linksTo(page, site, leavesOpen) : []
    const keys = new Set(
      open.map(({ link: { place }, target: { url } }): `${PagePlace} ${string}` => `${place} ${url}`)
    )
    if (keys.size > 0) links.set(page, keys)
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return (page) => {
    const keys = links.get(page)
    if (keys === undefined) return "no"
    return [...keys].every((key) => (counts.get(key) ?? 0) >= few) ? "shared" : "own"
  }
}

/** Whether a check fails that is a factor of the score. */
const fails = (checks: ReadonlyArray<Checked>, id: string): boolean =>
  checks.some(({ check, rule }) => rule.id === id && check._tag === "Assessed" && check.failures.length > 0)

/** The ledger of a crawl; unverified URLs are not charged. */
export const ledgerOf = (site: AnalysedSite, checks: ReadonlyArray<Checked>): ScoreLedger => {
  const blame = blameOf(checks)
  const refers = referencesToOpen(site)
  const start = startAddress(site)
  const faultsOf = ({ url }: AnalysedPage) => blame.byUrl.get(url) ?? []
  const known = (page: AnalysedPage): ReadonlyArray<KnownPage> => {
    const common = { isStart: page.url === start, refersToUnverified: refers(page) }
    const state = standingOf(page, site)
    if (state === null) return []
    if (state === "down") return [{ ...common, state, rule: blame.down.get(page.url) ?? page.reason }]
    const isUnseen = state === "up" && site.unseenShells.has(page.url)
    return [{ ...common, faults: faultsOf(page), isUnseen, state }]
  }
  const isBeside = (page: AnalysedPage) =>
    healthStateOf[page.reason] === "redirect" ||
    page.reason === "not_html" ||
    (healthStateOf[page.reason] === "failed" && standingOf(page, site) === null && isListedOnly(page, site))
  // Later pages of a list have their own content, though another URL of the list is their canonical: all together cost as much as one.
  const ofVariants = site.pages.flatMap((page) =>
    standingOf(page, site) === null ? faultsOf(page).filter(isHiddenSequence) : []
  )
  const elsewhere = [...blame.byUrl].flatMap(([url, faults]) => (site.find(url) === undefined ? faults : []))
  const open = site.pages.filter(leavesOpen)
  const isStartRead = site.find(site.start.href)?.visit?.facts != null
  return {
    pages: site.pages.flatMap(known),
    redirects: site.pages.filter(({ reason }) => healthStateOf[reason] === "redirect").length,
    outside: [...site.pages.filter(isBeside).flatMap(faultsOf), ...ofVariants.slice(0, 1), ...elsewhere],
    site: blame.site,
    needsJavascript: site.needsJavascript !== null && fails(checks, "needs_javascript"),
    blockedStart: fails(checks, "start_blocked") ? (isStartRead ? "read" : "unread") : "no",
    unverified: open.length + site.unlisted,
    isStartUnverified: open.some(({ url }) => url === site.start.href)
  }
}

/** Whether a check is a factor of the score. */
const isFactor = Schema.is(ScoreFactor)

/** A check of the start page that is no factor itself: the factor of an unavailable start page carries its impact. */
const startHidden = "start_hidden"

/** The checks that carry the impact of one failure, as far as other checks than its own do. */
const carriersOn = (site: AnalysedSite, blame: Blame, ownerOf: Owner) => {
  return ({ elements = [], url }: Failure): ReadonlyArray<string> => {
    const page = site.find(url)
    const down = blame.down.get(url)
    if (page !== undefined) {
      if (standingOf(page, site) === "down") return down === undefined ? [] : [down]
      if (isDeadTarget(page, site)) return ["broken_link"]
      if (healthStateOf[page.reason] === "failed" && isListedOnly(page, site)) return ["sitemap_lists_errors"]
    }
    return elements.flatMap(({ link }) => (link === null ? [] : (ownerOf(url, link) ?? [])))
  }
}

/** For each issue without score impact, the check or factor that carries it: the one that does so on most pages. */
export const carriersOf = (
  site: AnalysedSite,
  checks: ReadonlyArray<Checked>,
  { breakdown: { factor, lost } }: Score
): ReadonlyMap<string, string> => {
  const charged = checks.filter(({ rule }) => rule.isCharged !== false)
  const carriersOfFailure = carriersOn(site, blameOf(checks), ownersOf(charged))
  const having = new Set(lost.map(({ rule }) => rule))
  const ofFactor = factor !== null && having.has(factor.name) ? factor.name : null
  const carriers = new Map<string, string>()
  for (const checked of checks) {
    const { id, isCharged } = checked.rule
    const failures = failuresOf(checked)
    if (failures.length === 0 || having.has(id)) continue
    if (isCharged === false) {
      if (ofFactor !== null && (id === startHidden || isFactor(id))) carriers.set(id, ofFactor)
      continue
    }
    const counts = new Map<string, number>()
    for (const carrier of failures.flatMap(carriersOfFailure))
      if (carrier !== id && having.has(carrier)) counts.set(carrier, (counts.get(carrier) ?? 0) + 1)
    const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
    if (first !== undefined) carriers.set(id, first[0])
  }
  return carriers
}
