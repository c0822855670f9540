import { each, mapped, type Steps } from "../../foundation/schema/Steps.ts"
import { isVariantOf } from "../frontier/Variation.ts"
import { type HealthReason, healthStateOf } from "../report/States.ts"
import { type AnalysedPage, wasAsked } from "./AnalysedPage.ts"

type Find = (url: string) => AnalysedPage | undefined

/** Whether the page names one that may be indexed as its canonical, which differs only in query, index file or trailing slash. */
const isFolded = ({ canonical, url }: AnalysedPage, find: Find): boolean =>
  canonical.url !== null && isVariantOf(url, canonical.url) && find(canonical.url)?.reason === "ok"

const asVariant = (reason: HealthReason): HealthReason =>
  reason === "canonical_elsewhere" ? "canonical_variant" : reason

/** Cost of looking at a page, in characters. */
const worth = 16

/** The pages with their last verdict: which of those that name another page as canonical are but variants of it is known when all have one. */
export function* withVariants(pages: ReadonlyArray<AnalysedPage>): Steps<ReadonlyArray<AnalysedPage>> {
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  return yield* mapped(pages, worth, (page) =>
    (page.reason === "canonical_elsewhere" || page.also.includes("canonical_elsewhere")) &&
    isFolded(page, (url) => byUrl.get(url))
      ? { ...page, reason: asVariant(page.reason), also: page.also.map(asVariant) }
      : page
  )
}

/**
 * Whether a hidden page is but one more address of a page that is known: it names an eligible one as canonical, is one of many parameter sets, or is a page that was
 * read with parameters added. How many of them there are, and how many were read, says nothing of the site. The start page is one only by its canonical.
 */
export const isHiddenVariant = ({ canonical, reason, record, url }: AnalysedPage, find: Find): boolean => {
  if (healthStateOf[reason] !== "hidden") return false
  if (reason === "canonical_variant" || record.kind?.isOutside === true) return true
  if (record.via === "start") return false
  const [plain = url] = url.split("?", 1)
  const isOther = reason === "canonical_elsewhere" && (canonical.url === null || !isVariantOf(url, canonical.url))
  return plain !== url && !isOther && find(plain)?.visit?.facts != null
}

/** The names of the parameters of an address, which are what repeats from page to page; null without any. */
const namesOf = (url: string): string | null =>
  url.includes("?") ? [...new Set(new URL(url).searchParams.keys())].sort().join("&") : null

/**
 * Leaves out the unread first parameter sets of pages that were read, where parameters of these names made nothing but variants on all pages on which they were read:
 * a list that can be sorted can be sorted on each of a hundred pages.
 */
export function* leaveVariants(pages: ReadonlyArray<AnalysedPage>, find: Find): Steps<void> {
  const areVariants = new Map<string, boolean>()
  yield* each(pages, (page) => {
    const names = wasAsked(page) ? namesOf(page.url) : null
    if (names !== null) areVariants.set(names, (areVariants.get(names) ?? true) && isHiddenVariant(page, find))
    return worth
  })
  yield* each(pages, (page) => {
    const { kind } = page.record
    if (wasAsked(page) || kind?.set !== "first" || find(kind.plain)?.visit?.facts == null) return 1
    if (areVariants.get(namesOf(page.url) ?? "") === true) page.record.trapped = true
    return worth
  })
}
