import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import { placeOf } from "./Addresses.ts"
import type { ReadPage } from "./Rule.ts"

/** A link of a page and the page of the site that it leads to. */
interface LinkedPage {
  readonly target: AnalysedPage
  readonly link: KeptLink
}

/** Calls `onTarget` with each page of the site that a page links to, once a link, in document order, never with itself; true ends the walk. */
const findLinked = (
  { url, visit }: ReadPage,
  site: AnalysedSite,
  onTarget: (target: AnalysedPage, link: KeptLink) => boolean
): boolean =>
  visit.facts.links.some((link) => {
    const { target } = link
    const found = target.followable && target.url !== url ? site.find(target.url) : undefined
    return found !== undefined && onTarget(found, link)
  })

/** Whether a page links to another of the site of which something holds. */
export const leadsTo = (page: ReadPage, site: AnalysedSite, holds: (target: AnalysedPage) => boolean): boolean =>
  findLinked(page, site, holds)

/** The links of a page to pages of the site of which something holds, in document order. */
export const linksTo = (
  page: ReadPage,
  site: AnalysedSite,
  holds: (target: AnalysedPage) => boolean
): ReadonlyArray<LinkedPage> => {
  const found: Array<LinkedPage> = []
  findLinked(page, site, (target, link) => {
    if (holds(target)) found.push({ target, link })
    return false
  })
  return found
}

/** The pages of the site that a page links to and of which something holds, each once with the first link, in document order. */
export const linkedPages = (
  page: ReadPage,
  site: AnalysedSite,
  holds: (target: AnalysedPage) => boolean
): ReadonlyArray<LinkedPage> => {
  const found = new Map<AnalysedPage, LinkedPage>()
  for (const each of linksTo(page, site, holds)) if (!found.has(each.target)) found.set(each.target, each)
  return [...found.values()]
}

/** Groups pages by a key and returns, for each page, the others with its key; a null key is shared with none. */
export const twins = <P extends { readonly url: string }>(
  pages: ReadonlyArray<P>,
  keyOf: (page: P) => string | null
): ((page: P) => ReadonlyArray<string>) => {
  const groups = new Map<string, Array<string>>()
  for (const page of pages) {
    const key = keyOf(page)
    const group = key === null ? undefined : groups.get(key)
    if (group !== undefined) group.push(page.url)
    else if (key !== null) groups.set(key, [page.url])
  }
  return (page) => {
    const key = keyOf(page)
    return key === null ? [] : (groups.get(key) ?? []).filter((url) => url !== page.url)
  }
}

/** The other pages with the same title and text whose addresses differ as those of a folder and its index file do. */
export const sameFile = perSite((site) => {
  const byPlace = new Map<string, Array<AnalysedPage>>()
  for (const page of site.pages) {
    if (page.visit?.facts == null) continue
    const place = placeOf(page.url)
    byPlace.set(place, [...(byPlace.get(place) ?? []), page])
  }
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
