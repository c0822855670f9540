import { mapped, type Steps } from "../../foundation/schema/Steps.ts"
import { isVariantOf } from "../frontier/Variation.ts"
import { type HealthReason, healthStateOf } from "../report/States.ts"
import type { AnalysedPage } from "./AnalysedPage.ts"

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
    [page.reason, ...page.also].includes("canonical_elsewhere") && isFolded(page, (url) => byUrl.get(url))
      ? { ...page, reason: asVariant(page.reason), also: page.also.map(asVariant) }
      : page
  )
}

/**
 * Whether a hidden page is a variant of one that may be indexed: it names that page as canonical, or it is that page with parameters, which noindex or
 * robots.txt keep out of the index.
 */
export const isHiddenVariant = ({ reason, url }: AnalysedPage, find: Find): boolean => {
  if (reason === "canonical_variant") return true
  const [plain = url] = url.split("?", 1)
  return healthStateOf[reason] === "hidden" && reason !== "canonical_elsewhere" && plain !== url && find(plain)?.reason === "ok"
}
