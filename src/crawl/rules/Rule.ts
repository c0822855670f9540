import { type AnalysedPage, type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import type { Category, FaultPlace, PagePlace, Severity } from "../report/Finding.ts"
import { healthStateOf, type RobotsLine } from "../report/MeasuredPage.ts"
import type { KeptFacts, Visit } from "../visit/Visit.ts"

/** An element of a page that fails a check. Pages with an equal element have a common cause. */
export interface FaultyElement {
  /** The element with its contents, as written. */
  readonly markup: string
  /** The common part of elements with one cause, when it is less than the markup: templates give a link other attributes on some pages. */
  readonly key?: string
  readonly place: PagePlace
  /** The `href` of the link that is or encloses the element, as written: the score counts a link and its content as one element. Null outside of links. */
  readonly link: string | null
  /** A detail that the markup does not show, such as the target of a broken link with its status. */
  readonly value?: string | undefined
}

/** A fault on one URL. */
export interface Fault {
  readonly detail: string
  /** The failing value, as the site writes it. */
  readonly value?: string | undefined
  /** The element, for a fault with an element that is not in `elements`. */
  readonly markup?: string | undefined
  readonly place?: FaultPlace | undefined
  /** The first elements at fault. A missing element cannot be listed, so a check for it lists nothing. */
  readonly elements?: ReadonlyArray<FaultyElement> | undefined
  /** The severity on this URL, if it differs from the check's. Faults with elements have none: a shared cause has one severity. */
  readonly severity?: Severity | undefined
}

/** A fault with its URL. */
export interface Failure extends Fault {
  readonly url: string
}

/** The result of a check on a URL: null without a fault; text for a fault without further parts. */
export type FaultOf = Fault | string | null

/** Maximum elements to count and name per page. */
export const maxElements = 50

/** The fault with its URL. */
export const failureOf = (url: string, fault: Fault | string): Failure =>
  typeof fault === "string"
    ? { url, detail: fault }
    : { ...fault, elements: fault.elements?.slice(0, maxElements), url }

/** A line of robots.txt in words, with its group's agent and how Google joined the group. */
export const lineText = ({ group, joined, line, text }: RobotsLine, namesGroup = true): string =>
  `line ${line}: ${text}${namesGroup ? ` (group of ${group})` : ""}${joined === undefined ? "" : `. ${joined}`}`

/** The fault of a URL that robots.txt blocks, with the deciding line. */
export const byLine = (line: RobotsLine | null): Fault => ({
  detail: line === null ? "disallowed" : lineText(line),
  value: line?.text,
  place: "robots"
})

/** How to fix an issue in code: constant texts, never a value of the site. */
export interface Guidance {
  readonly why: string
  /** The state after the fix; an imperative without a full stop. */
  readonly goal: string
  /** Where to look for the cause. */
  readonly find: string
  /** The steps of the fix, in order. */
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
  /** The source of the check: RFC, standard or search engine documentation, with its section. */
  readonly source: string
  /** The issue's title for readers, a short noun phrase. Every check of the catalogue has one. */
  readonly name?: string
  /** Scripts may add or replace the checked content, so the check does not apply to a site that shows nothing without them. */
  readonly needsRendering?: boolean
  /**
   * The responses that decide the check on a URL: its own, or other URLs' too, so an unseen part of the site may change the result. `confirmed` needs others,
   * but its failure names a confirmed error and is certain. `checks` needs the page and URLs outside the crawled pages, which all answered unless the issue
   * has a reason. Default: own, but others for links, canonicals, redirects, international and sitemaps.
   */
  readonly restsOn?: "own" | "others" | "confirmed" | "checks"
  /** The check compares pages before and after their scripts, so a crawl that renders nothing cannot run it. */
  readonly onlyRendered?: true
  /** The check looks only at indexable pages. */
  readonly eligibleOnly?: boolean
  /** False for a check without score impact. */
  readonly isCharged?: false
  /** How to fix the issue. Every check of the catalogue has it. */
  readonly guidance?: Guidance
}

/** The result of a check; `failures` has one entry for each failing page, in the order of the crawl. */
export type Check =
  | {
      readonly _tag: "Assessed"
      readonly assessed: number
      readonly failures: ReadonlyArray<Failure>
      /** Why further pages may fail, or scripts may change the result; null when neither. */
      readonly open: string | null
    }
  | { readonly _tag: "NotAssessed"; readonly reason: string }

/**
 * One check of the whole site. `scope` says which URLs a failure charges in the score: `page` and `url` the failing URL, `down` the failing URL with its full
 * value, `site` none (the failure names the start page).
 */
export interface Rule extends RuleText {
  readonly scope: "page" | "url" | "site" | "down"
  readonly check: (site: AnalysedSite) => Check
}

/** A fetched HTML page that is neither an error nor a redirect. */
export interface ReadPage extends AnalysedPage {
  readonly visit: Visit & { readonly facts: KeptFacts }
}

export const isRead = (page: AnalysedPage): page is ReadPage => {
  const health = healthStateOf[page.reason]
  return (
    page.visit?.facts != null && (health === "eligible" || health === "hidden") && !page.visit.facts.provesOwnership
  )
}

/** The fetched pages, in the order of the crawl. */
export const readPages = perSite((site): ReadonlyArray<ReadPage> => site.pages.filter(isRead))

export const isEligible = (page: AnalysedPage): boolean => page.reason === "ok"

/** Why a check may not report the absence of failures; null when it may. */
export type Precondition = (site: AnalysedSite) => string | null

interface PageCheck<P> {
  readonly among: (site: AnalysedSite) => ReadonlyArray<P>
  /** The fault of a page; null without one. */
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

/** A check of each fetched page. */
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

/** A check of URLs of a kind, fetched or not. */
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

/** A check of the site as a whole: `fault` returns the fault, `unknown` why it is unknown. */
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
