import { type AnalysedPage, type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import type { Category, FaultPlace, PagePlace, Severity } from "../report/Finding.ts"
import { healthStateOf, type RobotsLine } from "../report/MeasuredPage.ts"
import type { KeptFacts, Visit } from "../visit/Visit.ts"

/** An element of a page that fails a rule. Pages that have the same one have one cause in common. */
export interface FaultyElement {
  /** The element with its contents, as the page writes it. */
  readonly markup: string
  /** What elements of one cause have in common, where that is less than the markup: templates give a link other attributes on some pages. */
  readonly key?: string
  readonly place: PagePlace
  /** The `href` of the link that it is or stands in, as written: a link and what it holds are one element to the score. Null outside of links. */
  readonly link: string | null
  /** What is wrong with it, where its markup does not show it, such as the target of a dead link with its status. */
  readonly value?: string | undefined
}

/** What is wrong with one URL. */
export interface Fault {
  readonly detail: string
  /** The value that fails, as the site writes it. */
  readonly value?: string | undefined
  /** The element, where the fault has one that is not among `elements`. */
  readonly markup?: string | undefined
  readonly place?: FaultPlace | undefined
  /** The elements at fault, of many the first; what is missing is no element, so a rule about that names none. */
  readonly elements?: ReadonlyArray<FaultyElement> | undefined
}

/** A fault with its URL. */
export interface Failure extends Fault {
  readonly url: string
}

/** What a rule says of a URL: nothing, or its fault, in words alone where there is no more to it. */
export type FaultOf = Fault | string | null

/** Elements that are counted and named of one page. */
export const maxElements = 50

/** The fault as one of a URL. */
export const failureOf = (url: string, fault: Fault | string): Failure =>
  typeof fault === "string"
    ? { url, detail: fault }
    : { ...fault, elements: fault.elements?.slice(0, maxElements), url }

/** A line of robots.txt in words, with the agent of its group and how that group came about. */
export const lineText = ({ group, joined, line, text }: RobotsLine, namesGroup = true): string =>
  `line ${line}: ${text}${namesGroup ? ` (group of ${group})` : ""}${joined === undefined ? "" : `. ${joined}`}`

/** What robots.txt forbids, by the line that decides. */
export const byLine = (line: RobotsLine | null): Fault => ({
  detail: line === null ? "disallowed" : lineText(line),
  value: line?.text,
  place: "robots"
})

/** How to fix an issue in code: constant texts, never a value of the site. */
export interface Guidance {
  readonly why: string
  /** What is true after the fix; an imperative without a full stop. */
  readonly goal: string
  /** Where to look for the cause. */
  readonly find: string
  /** What to do, in order. */
  readonly steps: readonly [string, string, ...ReadonlyArray<string>]
  /** The change that would only hide the issue. */
  readonly never: string
}

/** The texts and properties of a check: a row of the catalogue. */
export interface RuleText {
  /** snake_case, never reused. */
  readonly id: string
  readonly category: Category
  readonly severity: Severity
  readonly means: string
  readonly fix: string
  /** Where the rule comes from: RFC, standard or search engine documentation, with its section. */
  readonly source: string
  /** The issue's title for readers, a short noun phrase. Every check of the catalogue has one. */
  readonly name?: string
  /** Scripts may add or replace what the rule looks at, so it is not assessed on a site that shows nothing without them. */
  readonly needsRendering?: boolean
  /**
   * The answers that decide its verdict on a URL: the URL's own, or others as well, so that a part not seen may change it. `confirmed` rests on others,
   * but its failure names a confirmed error and stands. `checks` rests on the page and on addresses that are no pages of the run, all of which answered
   * unless the finding has a reason. Default by category: own, but others for links, canonicals, redirects, international and sitemaps.
   */
  readonly restsOn?: "own" | "others" | "confirmed" | "checks"
  /** It compares pages with what their scripts make of them, so a crawl that renders nothing cannot assess it. */
  readonly onlyRendered?: true
  /** It looks only at pages that may be indexed. */
  readonly eligibleOnly?: boolean
  /** False for a rule that is reported and costs nothing in the score. */
  readonly isCharged?: false
  /** How to fix the issue. Every check of the catalogue has it. */
  readonly guidance?: Guidance
}

/** What a rule found; `failures` has one entry for each failing page, in the order of the run. */
export type Check =
  | {
      readonly _tag: "Assessed"
      readonly assessed: number
      readonly failures: ReadonlyArray<Failure>
      /** Why more may fail than those; null when all are known. */
      readonly open: string | null
    }
  | { readonly _tag: "NotAssessed"; readonly reason: string }

/**
 * One check of the whole site. `scope` says whom a failure blames in the score: `page` and `url` the URL that it names,
 * `down` the same, which is then worth nothing, `site` no URL (what it names is the start page).
 */
export interface Rule extends RuleText {
  readonly scope: "page" | "url" | "site" | "down"
  readonly check: (site: AnalysedSite) => Check
}

/** A page whose HTML was read and which is neither an error nor a way to another page. */
export interface ReadPage extends AnalysedPage {
  readonly visit: Visit & { readonly facts: KeptFacts }
}

export const isRead = (page: AnalysedPage): page is ReadPage => {
  const health = healthStateOf[page.reason]
  return (
    page.visit?.facts != null && (health === "eligible" || health === "hidden") && !page.visit.facts.provesOwnership
  )
}

/** The pages that were read, in the order of the run. */
export const readPages = perSite((site): ReadonlyArray<ReadPage> => site.pages.filter(isRead))

export const isEligible = (page: AnalysedPage): boolean => page.reason === "ok"

/** What must hold before a rule that found nothing says that there is nothing: null when it holds, else why it does not. */
export type Precondition = (site: AnalysedSite) => string | null

interface PageCheck<P> {
  readonly among: (site: AnalysedSite) => ReadonlyArray<P>
  /** What is wrong with one of them, null when nothing is. */
  readonly fault: (page: P, site: AnalysedSite) => FaultOf
  readonly precondition?: Precondition | undefined
  readonly nothing: string
}

const check =
  <P extends AnalysedPage>({ among, fault, precondition, nothing }: PageCheck<P>): Rule["check"] =>
  (site) => {
    const pages = among(site)
    const failures = pages.flatMap((page): ReadonlyArray<Failure> => {
      const found = fault(page, site)
      return found === null ? [] : [failureOf(page.url, found)]
    })
    const open = pages.length === 0 ? nothing : (precondition?.(site) ?? null)
    return open === null || failures.length > 0
      ? { _tag: "Assessed", assessed: pages.length, failures, open }
      : { _tag: "NotAssessed", reason: open }
  }

interface RuleOptions {
  readonly precondition?: Precondition
}

interface PageRuleOptions extends RuleOptions {
  readonly among?: (page: ReadPage, site: AnalysedSite) => boolean
  readonly nothing?: string
}

interface UrlRuleOptions extends RuleOptions {
  readonly nothing: string
  readonly scope?: "url" | "down"
}

/** A rule that looks at each page read. */
export const perPage = (
  text: RuleText,
  fault: (page: ReadPage, site: AnalysedSite) => FaultOf,
  { among, nothing, precondition }: PageRuleOptions = {}
): Rule => ({
  ...text,
  scope: "page",
  check: check({
    among: (site) => (among === undefined ? readPages(site) : readPages(site).filter((page) => among(page, site))),
    fault,
    precondition,
    nothing: nothing ?? "no page could be crawled"
  })
})

/** A rule that looks at URLs of a kind, read or not. */
export const perUrl = (
  text: RuleText,
  among: (page: AnalysedPage, site: AnalysedSite) => boolean,
  fault: (page: AnalysedPage, site: AnalysedSite) => FaultOf,
  { nothing, precondition, scope = "url" }: UrlRuleOptions
): Rule => ({
  ...text,
  scope,
  check: check({
    among: (site) => site.pages.filter((page) => among(page, site)),
    fault,
    precondition,
    nothing
  })
})

/** A rule about the site as a whole: `fault` says what is wrong, `unknown` why that is not known. */
export const siteWide = (
  text: RuleText,
  fault: (site: AnalysedSite) => FaultOf,
  unknown: (site: AnalysedSite) => string | null = () => null
): Rule => ({
  ...text,
  scope: "site",
  check: (site) => {
    const reason = unknown(site)
    if (reason !== null) return { _tag: "NotAssessed", reason }
    const found = fault(site)
    const failures = found === null ? [] : [failureOf(site.start.href, found)]
    return { _tag: "Assessed", assessed: 1, failures, open: null }
  }
})
