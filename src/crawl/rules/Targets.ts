import { groupedBy } from "../../foundation/schema/Groups.ts"
import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import { placeOf } from "./Addresses.ts"
import { isEligible, type ReadPage, readPages } from "./Rule.ts"

/** The pages that may be indexed, in the order of the run. */
export const eligible = perSite((site): ReadonlyArray<ReadPage> => readPages(site).filter(isEligible))

/** A link of a page and the page of the site that it leads to. */
interface LinkedPage {
  readonly target: AnalysedPage
  readonly link: KeptLink
}

/** The page of the site that a link of a page leads to; undefined for other sites and for the page itself. */
const targetOf = ({ target }: KeptLink, { url }: ReadPage, site: AnalysedSite): AnalysedPage | undefined =>
  target.followable && target.url !== url ? site.find(target.url) : undefined

/** Whether a page links to another of the site of which something holds. */
export const leadsTo = (page: ReadPage, site: AnalysedSite, holds: (target: AnalysedPage) => boolean): boolean =>
  page.visit.facts.links.some((link) => {
    const target = targetOf(link, page, site)
    return target !== undefined && holds(target)
  })

/** The links of a page to others of the site of which something holds, in document order. */
export const linksTo = (
  page: ReadPage,
  site: AnalysedSite,
  holds: (target: AnalysedPage, link: KeptLink) => boolean
): ReadonlyArray<LinkedPage> => {
  const found: Array<LinkedPage> = []
  for (const link of page.visit.facts.links) {
    const target = targetOf(link, page, site)
    if (target !== undefined && holds(target, link)) found.push({ target, link })
  }
  return found
}

/** Groups pages by a key and returns, for each page, the others with its key; a null key is shared with none. */
export const twins = <P extends { readonly url: string }>(
  pages: ReadonlyArray<P>,
  keyOf: (page: P) => string | null
): ((page: P) => ReadonlyArray<string>) => {
  const groups = groupedBy(pages, keyOf)
  return (page) => {
    const key = keyOf(page)
    return key === null ? [] : (groups.get(key) ?? []).flatMap(({ url }) => (url === page.url ? [] : [url]))
  }
}

/** The other pages with the same title and text whose addresses differ as those of a folder and its index file do. */
export const sameFile = perSite((site) => {
  const read = site.pages.filter(({ visit }) => visit?.facts != null)
  const byPlace = groupedBy(read, ({ url }) => placeOf(url))
  return ({ url, visit }: AnalysedPage): ReadonlyArray<AnalysedPage> =>
    (byPlace.get(placeOf(url)) ?? []).filter(
      (other) =>
        other.url !== url &&
        other.visit?.facts?.title === visit?.facts?.title &&
        other.visit?.facts?.text.mainHash === visit?.facts?.text.mainHash
    )
})

/** The first few of a list of URLs, and how many more there are. */
export const some = (urls: ReadonlyArray<string>, most = 5): string =>
  urls.length <= most ? urls.join(", ") : `${urls.slice(0, most).join(", ")} and ${urls.length - most} more`

/** The text of a link as details quote it. */
export const quoted = (text: string): string => (text.trim() === "" ? "(no text)" : `"${text}"`)
