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

/** The language versions that a page names: in its head, in its Link header, and in its entry of a sitemap. */
export const versionsOf = (page: ReadPage, site: AnalysedSite): ReadonlyArray<HreflangLink> => versions(site)(page)

/** Whether a page names another as its version, or itself: at its address, or at one that redirects there. */
export const namesVersion = (page: ReadPage, url: string, site: AnalysedSite): boolean =>
  versionsOf(page, site).some(
    (version) => version.url === url || (version.url !== null && site.find(version.url)?.chain.target?.url === url)
  )

/** Whether a version is named by an address that was not read, so that it is open where that leads. */
export const isOpenVersion = ({ url }: HreflangLink, site: AnalysedSite): boolean =>
  url !== null && site.find(url)?.chain.target?.visit === null

/** Whether a page names another as its version, or may do so: by an address that may redirect there, or in a sitemap for which there was no time. */
export const mayNameVersion = (page: ReadPage, url: string, site: AnalysedSite): boolean =>
  site.sitemap === null ||
  namesVersion(page, url, site) ||
  versionsOf(page, site).some((version) => isOpenVersion(version, site))

/** A version of a page in another language, told by its address. */
export interface LanguageCopy {
  readonly url: string
  /** What its address names, in lower case; null of the version whose address names none. */
  readonly language: string | null
}

const tagLike = /^[a-z]{2}(?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|\d{3}))?$/i

/** The language that a part of an address names, such as `de` or `en_US`; null for other words. */
const languageOf = (part: string): string | null => {
  const tag = part.toLowerCase().replaceAll("_", "-")
  return tagLike.test(part) && isUnderstood(tag) ? tag : null
}

/** The language alone, without script and region. */
export const primary = (language: string | null): string => language?.trim().toLowerCase().split(/[-_]/, 1)[0] ?? ""

/** A page with the language in its path, and the address that its copies have in common. */
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

/** Most of the pages in a folder that is called like a language say that they are in it. */
const saysSo = (language: string, pages: ReadonlyArray<Marked>): boolean =>
  2 * pages.filter(({ page }) => langOf(page) === primary(language)).length > pages.length

/** Nine of ten pages say that they are in the language of most pages of the site, or nothing. */
const sayNothing = (pages: ReadonlyArray<Marked>, usual: string): boolean =>
  10 * pages.filter(({ page }) => ["", usual].includes(langOf(page))).length >= 9 * pages.length

/** Pages of a folder with a copy outside of such folders by which it is one of a language. */
const fewestBesideRoot = 5

/**
 * The folders that hold a language, among those that are called like one (`/it/` may hold a department): a region is in the name, or most of the pages
 * say so. Where pages say what all others say, or nothing, half of the folder's pages have a copy: two at the least in another such folder, or more outside
 * of them, where a department may have a page like one of the site.
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

/** Of two pages that differ in their folder alone: each folder is one of a language, and they do not say that they are in the same. */
const areCopies = (one: Marked, other: Marked, folders: ReadonlySet<string>): boolean => {
  const [a, b] = [one.language, other.language]
  if (a === b || [a, b].some((language) => language !== null && !folders.has(language))) return false
  if (a !== null && b !== null) return true
  const language = a ?? b ?? ""
  return language.includes("-") || langOf(a === null ? one.page : other.page) !== primary(language)
}

/** The eligible pages by their addresses, and those that have a copy in a folder of another language. */
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

/** Names of hosts that are words in the first place: a portal of customers, and where they log in. */
const words = new Set(["my", "id"])

/** A host without the language that its first part names. */
const hostOf = (host: string): { readonly language: string | null; readonly rest: string } => {
  const [first = "", ...others] = host.split(".")
  const language = others.length > 1 && !words.has(first) ? languageOf(first) : null
  return { language, rest: language === null ? host.replace(/^www\./, "") : others.join(".") }
}

/**
 * Where a page links to its own path on a host that differs in a language: on two such hosts, or on one, where the page or its own host says that it is
 * in another. The pages of other hosts are not read.
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

/** The versions of an eligible page in other languages by their addresses: in a folder or on a host called after a language, and alike in all other parts. */
export const languageCopies = (page: ReadPage, site: AnalysedSite): ReadonlyArray<LanguageCopy> => [
  ...copiesByPath(page, site),
  ...copiesByHost(page)
]

/** Whether another page of the site is a version of an eligible page in another language, by their addresses. */
export const isLanguageCopy = ({ url }: ReadPage, other: string, site: AnalysedSite): boolean => {
  const { byUrl, languages } = folders(site)
  const [one, two] = [byUrl.get(url), byUrl.get(other)]
  return one !== undefined && two !== undefined && one.common === two.common && areCopies(one, two, languages)
}

/** The language that the folder of an eligible page names; null where it names none. */
export const folderLanguage = ({ url }: ReadPage, site: AnalysedSite): string | null => {
  const { byUrl, languages } = folders(site)
  const language = byUrl.get(url)?.language ?? null
  return language !== null && languages.has(language) ? language : null
}
