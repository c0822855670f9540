import { block, type Steps } from "../../foundation/schema/Steps.ts"
import { plural } from "../../foundation/text/Words.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { maskedText } from "../page/Credentials.ts"
import { maxMarkup } from "../page/Markup.ts"
import { type Effort, type EvidenceItem, type Finding, type Severity, severityRank } from "../report/Finding.ts"
import { isRendering, scriptsNotRun } from "../report/Rendering.ts"
import { patternOf } from "../site/Site.ts"
import { type Cause, type Causes, causesOf, few, isSiteWide, itemOfCause } from "./Causes.ts"
import { type Check, type Failure, isRead, type Rule } from "./Rule.ts"

/**
 * Reports keep every failing URL, so all details share a budget of characters, which fifty pages do not fill. With fewer failing pages each detail may be
 * longer, because every fault needs a fix.
 */
const maxDetail = 300
const longDetail = 4096
const roomForDetails = 16_384

/** Characters per detail. */
const shareOf = (room: number, details: number): number =>
  Math.min(longDetail, Math.max(maxDetail, Math.floor(room / Math.max(1, details))))

/** Longest URL at the end of a shortened detail. */
const maxWord = 2048

/** Cuts a detail after the word, mostly a URL, that crosses the limit, because a part of a URL is useless. */
const shortened = (detail: string, most: number): string => {
  if (detail.length <= most) return detail
  const end = detail.slice(0, most + maxWord).indexOf(" ", most)
  return end === -1 ? detail.slice(0, most + maxWord) : `${detail.slice(0, end)} …`
}

/** A check with its result on a site. */
export interface Checked {
  readonly rule: Rule
  readonly check: Check
  /** The common causes of its failures. */
  readonly causes: Causes
}

/** Whether the crawl met scripts and ran none. */
const leavesScripts = perSite(
  ({ pages, rendering }) => !isRendering(rendering) && pages.some(({ visit }) => visit?.scripted != null)
)

/** Why a check does not apply to a site whose scripts were not run, or that needs them; null when it does. */
const unseen = (site: AnalysedSite, { needsRendering, onlyRendered }: Rule): string | null => {
  if (onlyRendered === true && leavesScripts(site)) return scriptsNotRun
  if (site.needsJavascript === null || needsRendering !== true) return null
  return leavesScripts(site)
    ? `${scriptsNotRun}, and the site is almost empty without them`
    : "the site is almost empty without JavaScript, which may change this"
}

/** A check of raw HTML with the remark that scripts may change its result. */
const onRaw = (check: Check, site: AnalysedSite, { needsRendering }: Rule): Check => {
  if (check._tag === "NotAssessed" || needsRendering !== true || !leavesScripts(site)) return check
  return { ...check, open: check.open === null ? scriptsNotRun : `${scriptsNotRun}; ${check.open}` }
}

/** A check without its failures on pages that could not be rendered: scripts may fix or cause an issue there. */
const onSeen = (check: Check, { pages, unseen }: AnalysedSite, { needsRendering }: Rule): Check => {
  if (check._tag === "NotAssessed" || needsRendering !== true || unseen.size === 0) return check
  const reason = `${plural(unseen.size, "page")} of ${pages.filter(({ visit }) => visit?.scripted != null).length} with scripts could not be rendered`
  const failures = check.failures.filter(({ url }) => !unseen.has(url))
  const assessed = Math.max(0, check.assessed - unseen.size)
  return assessed === 0 && failures.length === 0
    ? { _tag: "NotAssessed", reason }
    : { ...check, assessed, failures, open: check.open ?? reason }
}

/** Runs every check of a catalogue, in order. */
export function* assess(catalogue: ReadonlyArray<Rule>, site: AnalysedSite): Steps<ReadonlyArray<Checked>> {
  const checked: Array<Checked> = []
  for (const rule of catalogue) {
    const reason = unseen(site, rule)
    const check: Check =
      reason === null ? onRaw(onSeen(rule.check(site), site, rule), site, rule) : { _tag: "NotAssessed", reason }
    const causes = causesOf(check._tag === "Assessed" ? check.failures : [])
    checked.push({ rule, check, causes })
    yield block
  }
  return checked
}

/** The evidence of a failure, with its detail cut to `most` characters. */
const itemOf = ({ detail, elements = [], markup, place, url, value }: Failure, most: number): EvidenceItem => {
  const [first] = elements
  const thing = markup ?? first?.markup
  const where = place ?? first?.place
  return {
    url,
    detail: most > 0 ? shortened(maskedText(detail), most) : "",
    ...(value === undefined ? {} : { value: maskedText(value).slice(0, maxDetail) }),
    ...(thing === undefined ? {} : { markup: thing.slice(0, maxMarkup) }),
    ...(where === undefined ? {} : { place: where })
  }
}

/** The evidence of a check: a line for each site-wide cause, most pages first, and a line for each URL with faults of its own. */
const itemsOf = ({ causes, check, rule }: Checked): ReadonlyArray<EvidenceItem> => {
  if (check._tag === "NotAssessed") return []
  const shared = new Set<Cause>()
  const items: Array<EvidenceItem> = []
  let room = roomForDetails
  let left = check.failures.length
  for (const failure of check.failures) {
    const own = (failure.elements ?? []).filter((element) => {
      const cause = causes.of(element)
      const isShared = rule.scope === "page" && cause !== undefined && isSiteWide(cause, check.assessed)
      if (isShared) shared.add(cause)
      return !isShared
    })
    if (own.length > 0 || (failure.elements ?? []).length === 0) {
      const item = itemOf({ ...failure, elements: own }, room > 0 ? shareOf(room, left) : 0)
      room -= item.detail.length
      items.push(item)
    }
    left--
  }
  return [...[...shared].sort((a, b) => b.count - a.count).map(itemOfCause), ...items]
}

/** The severity of a check's worst failure; the check's own without failures. */
const severityOf = ({ check, rule }: Checked): Severity => {
  const found = check._tag === "Assessed" ? check.failures.map(({ severity }) => severity ?? rule.severity) : []
  const [worst = rule.severity] = found.toSorted((a, b) => severityRank[a] - severityRank[b])
  return worst
}

/** Whether pages without an element at fault lack the same thing: their details are equal. */
const isSameLack = (failures: ReadonlyArray<Failure>): boolean =>
  failures.length >= few &&
  failures.every(({ detail, elements = [], value }) => {
    const [first] = failures
    return elements.length === 0 && detail === first?.detail && value === first.value
  })

/** Whether every crawled page of the kinds of URLs that fail fails, and each kind has several. */
const isWholeKinds = (failures: ReadonlyArray<Failure>, { pages }: AnalysedSite): boolean => {
  const kindOf = ({ url }: { readonly url: string }) => patternOf(new URL(url))
  const failing = Map.groupBy(failures, kindOf)
  const crawled = Map.groupBy(pages.filter(isRead), kindOf)
  return Array.from(failing).every(([kind, { length }]) => length >= few && length === crawled.get(kind)?.length)
}

/**
 * Where the fix of failures is. Elements decide by the causes that the evidence groups; a thing that pages lack is missing in the layout if all checked pages
 * lack it, and in a template if all pages of its kind do.
 */
const effortOf = ({ causes, check, rule }: Checked, site: AnalysedSite): Effort | null => {
  if (check._tag === "NotAssessed" || check.failures.length === 0) return null
  if (rule.scope === "site") return "site"
  const { assessed, failures } = check
  const isEach = (holds: (cause: Cause) => boolean) =>
    failures.every(
      ({ elements = [] }) =>
        elements.length > 0 &&
        elements.every((element) => {
          const cause = causes.of(element)
          return cause !== undefined && holds(cause)
        })
    )
  if (rule.scope === "page" && isEach((cause) => isSiteWide(cause, assessed))) return "site"
  if (isEach(({ count }) => count >= few)) return "template"
  if (!isSameLack(failures)) return "pages"
  return failures.length === assessed ? "site" : isWholeKinds(failures, site) ? "template" : "pages"
}

/** The report's entry for one check; `chargedBy` carries its score impact if it has none itself. */
export const finding = (checked: Checked, site: AnalysedSite, chargedBy: string | null): Finding => {
  const { check, rule } = checked
  const { category, id } = rule
  const entry = { rule: id, category, severity: severityOf(checked) }
  if (check._tag === "NotAssessed") {
    const evidence = { assessed: 0, reason: check.reason, items: [] }
    return { ...entry, status: "not_assessed", count: 0, pages: [], evidence, effort: null, charged_by: null }
  }
  return {
    ...entry,
    status: check.failures.length === 0 ? "pass" : "fail",
    count: check.failures.length,
    pages: check.failures.map(({ url }) => url),
    evidence: { assessed: check.assessed, reason: check.open, items: itemsOf(checked) },
    effort: effortOf(checked, site),
    charged_by: chargedBy
  }
}
