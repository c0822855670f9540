import { groupedBy } from "../../foundation/schema/Steps.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { isUnderstood } from "../page/LanguageTags.ts"
import { hreflang } from "../page/Links.ts"
import { type HreflangLink, plainBase } from "../page/UrlIdentity.ts"
import { hreflangsOf } from "../visit/Visit.ts"
import type { ReadPage } from "./Rule.ts"
import { eligible, placeOf } from "./Targets.ts"

const versions = perSite(({ sitemap }) => {
  const known = new WeakMap<ReadPage, ReadonlyArray<HreflangLink>>()
  return (page: ReadPage): ReadonlyArray<HreflangLink> => {
    const found = known.get(page) ?? [
      ...hreflangsOf(page.visit).filter(({ inHead }) => inHead),
      ...(sitemap?.alternates.get(page.url) ?? []).map(({ href, language }) =>
        hreflang({ source: "sitemap", language, href, base: plainBase(page.url), inHead: true })
      )
    ]
    known.set(page, found)
    return found
  }
})

/** The language versions of a page, from its head, its Link header, and its sitemap entry. */
export const versionsOf = (page: ReadPage, site: AnalysedSite): ReadonlyArray<HreflangLink> => versions(site)(page)

/** Whether a page names a URL as a language version, directly or by a redirect; its own URL counts. */
export const namesVersion = (page: ReadPage, url: string, site: AnalysedSite): boolean =>
  versionsOf(page, site).some(
    (version) => version.url === url || (version.url !== null && site.find(version.url)?.chain.target?.url === url)
  )

/** Whether a version's URL was not fetched, so its target is unknown. */
export const isOpenVersion = ({ url }: HreflangLink, site: AnalysedSite): boolean =>
  url !== null && site.find(url)?.chain.target?.visit === null

/** Whether a page names a URL as a version, or may do so: by a URL that may redirect there, or in a sitemap that was not read. */
export const mayNameVersion = (page: ReadPage, url: string, site: AnalysedSite): boolean =>
  site.sitemap === null ||
  namesVersion(page, url, site) ||
  versionsOf(page, site).some((version) => isOpenVersion(version, site))

/** A version of a page in another language, by its URL. */
export interface LanguageCopy {
  readonly url: string
  /** The language in its URL, in lower case; null without one. */
  readonly language: string | null
}

const tagLike = /^[a-z]{2}(?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|\d{3}))?$/i

/** The language of a URL part, such as `de` or `en_US`; null for other words. */
const languageOf = (part: string): string | null => {
  const tag = part.toLowerCase().replaceAll("_", "-")
  return tagLike.test(part) && isUnderstood(tag) ? tag : null
}

/** The language without script and region. */
export const primary = (language: string | null): string => language?.trim().toLowerCase().split(/[-_]/, 1)[0] ?? ""

/** A page with the language in its path, and the common URL of its copies. */
interface Marked {
  readonly page: ReadPage
  readonly language: string | null
  readonly common: string
}

const marked = (page: ReadPage): Marked => {
  const url = new URL(page.url)
  const parts = url.pathname.split("/")
  const at = parts.findIndex((part) => languageOf(part) !== null)
  if (at === -1) return { page, language: null, common: placeOf(page.url) }
  url.pathname = parts.toSpliced(at, 1).join("/")
  return { page, language: languageOf(parts[at] ?? ""), common: placeOf(url.href) }
}

const langOf = ({ visit }: ReadPage): string => primary(visit.facts.lang)

/** Whether most pages in a folder named after a language declare that language. */
const saysSo = (language: string, pages: ReadonlyArray<Marked>): boolean =>
  2 * pages.filter(({ page }) => langOf(page) === primary(language)).length > pages.length

/** Whether nine of ten pages declare the site's most frequent language, or none. */
const sayNothing = (pages: ReadonlyArray<Marked>, usual: string): boolean =>
  10 * pages.filter(({ page }) => ["", usual].includes(langOf(page))).length >= 9 * pages.length

/** Minimum copies outside of language folders that make a folder a language folder. */
const fewestBesideRoot = 5

/**
 * The folders of a language among the folders named like one (`/it/` may be a department): the name has a region, or most pages declare the language. If the
 * pages declare nothing special, half of the folder's pages must have a copy: at least two in another such folder, or at least five outside of them, because
 * a department may have one page like the site's.
 */
const languageFolders = (
  all: ReadonlyArray<Marked>,
  byCommon: ReadonlyMap<string, ReadonlyArray<Marked>>
): ReadonlySet<string> => {
  const said = groupedBy(
    all.map(({ page }) => langOf(page)).filter((lang) => lang !== ""),
    (lang) => lang
  )
  const isMute = said.size <= 1
  const [usual = ""] = [...said].toSorted(([, a], [, b]) => b.length - a.length).map(([lang]) => lang)
  const hasCopy = ({ common, language }: Marked, isOther: (found: string | null) => boolean): boolean =>
    byCommon.get(common)?.some((other) => isOther(other.language) && other.language !== language) === true
  const sure = [...groupedBy(all, ({ language }) => language)].flatMap(([language, pages]) => {
    if (language === null) return []
    const copied = (isOther: (found: string | null) => boolean, least: number) => {
      const count = pages.filter((page) => hasCopy(page, isOther)).length
      return count >= least && 2 * count >= pages.length
    }
    const isSure =
      language.includes("-") ||
      saysSo(language, pages) ||
      (isMute && copied((found) => found !== null, 2)) ||
      (sayNothing(pages, usual) && copied((found) => found === null, fewestBesideRoot))
    return isSure ? [language] : []
  })
  return new Set(sure)
}

/** Whether two pages that differ only in their folder are copies: each folder is a language folder, and the pages do not declare one language. */
const areCopies = (one: Marked, other: Marked, folders: ReadonlySet<string>): boolean => {
  const [a, b] = [one.language, other.language]
  if (a === b || [a, b].some((language) => language !== null && !folders.has(language))) return false
  if (a !== null && b !== null) return true
  const language = a ?? b ?? ""
  return language.includes("-") || langOf(a === null ? one.page : other.page) !== primary(language)
}

/** The eligible pages by URL and by common URL, and the language folders. */
const folders = perSite((site) => {
  const all = eligible(site).map(marked)
  const byCommon = groupedBy(all, ({ common }) => common)
  return {
    byCommon,
    byUrl: new Map(all.map((each) => [each.page.url, each])),
    languages: languageFolders(all, byCommon)
  }
})

const copiesByPath = ({ url }: ReadPage, site: AnalysedSite): ReadonlyArray<LanguageCopy> => {
  const { byCommon, byUrl, languages } = folders(site)
  const own = languages.size === 0 ? undefined : byUrl.get(url)
  const others = own === undefined ? [] : (byCommon.get(own.common) ?? [])
  return others.flatMap((other) =>
    own !== undefined && areCopies(own, other, languages) ? [{ url: other.page.url, language: other.language }] : []
  )
}

/** Host names that are ordinary words: a customer portal, and a sign-in page. */
const words = new Set(["my", "id"])

/** A host without the language in its first part. */
const hostOf = (host: string): { readonly language: string | null; readonly rest: string } => {
  const [first = "", ...others] = host.split(".")
  const language = others.length > 1 && !words.has(first) ? languageOf(first) : null
  return { language, rest: language === null ? host.replace(/^www\./, "") : others.join(".") }
}

/**
 * Links of a page to its own path on hosts that differ in the language: two such hosts, or one if the page or its host declares another language. The pages
 * of other hosts are not fetched.
 */
const copiesByHost = (page: ReadPage): ReadonlyArray<LanguageCopy> => {
  const { host, origin, pathname } = new URL(page.url)
  const own = hostOf(host)
  const lang = langOf(page)
  const found = new Map<string, LanguageCopy>()
  for (const { target } of page.visit.facts.links) {
    if (!target.followable || found.has(target.url) || target.url.startsWith(`${origin}/`)) continue
    if (!target.url.endsWith(`${own.rest}${pathname}`)) continue
    const { language, rest } = hostOf(new URL(target.url).host)
    if (rest !== own.rest || language === own.language || (language !== null && primary(language) === lang)) continue
    found.set(target.url, { url: target.url, language })
  }
  const isSure = own.language === null ? lang !== "" && pathname !== "/" : primary(own.language) === lang
  return found.size > 1 || isSure ? [...found.values()] : []
}

/** The versions of an eligible page in other languages, by URL: in a folder or on a host named after a language, with all other parts equal. */
export const languageCopies = (page: ReadPage, site: AnalysedSite): ReadonlyArray<LanguageCopy> => [
  ...copiesByPath(page, site),
  ...copiesByHost(page)
]

/** Whether another page is a version of an eligible page in another language, by their URLs. */
export const isLanguageCopy = ({ url }: ReadPage, other: string, site: AnalysedSite): boolean => {
  const { byUrl, languages } = folders(site)
  const [one, two] = [byUrl.get(url), byUrl.get(other)]
  return one !== undefined && two !== undefined && one.common === two.common && areCopies(one, two, languages)
}

/** The language of an eligible page's folder; null without one. */
export const folderLanguage = ({ url }: ReadPage, site: AnalysedSite): string | null => {
  const { byUrl, languages } = folders(site)
  const language = byUrl.get(url)?.language ?? null
  return language !== null && languages.has(language) ? language : null
}
