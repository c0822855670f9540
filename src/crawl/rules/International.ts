import { groupedBy } from "../../foundation/schema/Steps.ts"
import type { AnalysedPage, AnalysedSite } from "../analysis/AnalysedSite.ts"
import { maskWords } from "../page/Credentials.ts"
import { plainTag } from "../page/Markup.ts"
import type { HreflangLink } from "../page/UrlIdentity.ts"
import { reasonWords } from "../report/Labels.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { hreflangElements } from "./Causes.ts"
import { isOpenVersion, mayNameVersion, namesVersion, versionsOf } from "./Languages.ts"
import { type Fault, isEligible, isRead, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

const guide = "Google Search Central, Tell Google about localized versions of your page"

/** Search engines read the versions of indexable pages. */
const among = {
  among: (page: ReadPage, site: AnalysedSite) => isEligible(page) && versionsOf(page, site).length > 0,
  nothing: "no indexable page has hreflang"
}

/** The markup of a version in the sitemap. */
const inSitemap = ({ raw, written }: HreflangLink): Fault["markup"] =>
  plainTag("xhtml:link", { rel: "alternate", hreflang: written, href: raw })

/** The fault of hreflang links, with a few words for each; null without links. */
const versionFault = (
  faulty: ReadonlyArray<HreflangLink>,
  wordsFor: (version: HreflangLink) => string,
  valueOf: (version: HreflangLink) => string = ({ raw }) => raw
): Fault | null => {
  const [first] = faulty
  if (first === undefined) return null
  const words = (version: HreflangLink) =>
    `${wordsFor(version)}${version.source === "sitemap" ? " in the sitemap" : ""}`
  return {
    detail: some([...new Set(faulty.map(words))]),
    value: valueOf(first),
    elements: hreflangElements(faulty),
    ...(faulty.every(({ source }) => source === "sitemap") && { markup: inSitemap(first), place: "sitemap" })
  }
}

/** Whether the x-default page redirects temporarily, which Google recommends for a page that chooses the visitor's language. */
const choosesLanguage = ({ language }: HreflangLink, { visit }: AnalysedPage): boolean =>
  language === "x-default" && visit?.redirect?.permanent === false

/** Why search results may not show the version: it fails, redirects or is hidden. Null when they may, or when unknown. */
const reasonAgainst = (version: HreflangLink, page: ReadPage, site: AnalysedSite): string | null => {
  const target = version.url === null || version.url === page.url ? undefined : site.find(version.url)
  if (target === undefined || choosesLanguage(version, target)) return null
  const health = healthStateOf[target.reason]
  return health === "failed" || health === "redirect" || health === "hidden" ? reasonWords[target.reason] : null
}

const find = "Find what writes hreflang (head template, SEO plugin, Link header or sitemap), and its list of languages."

/** A page's x-default after redirects; null when the page names none or several, or the end is unknown. */
const defaultOf = (page: ReadPage, site: AnalysedSite): string | null => {
  const named = versionsOf(page, site).filter(({ language }) => language === "x-default")
  const urls = named.flatMap(({ url }) => (url === null ? [] : [site.find(url)?.chain.target?.url ?? url]))
  const [only = null] = urls
  return new Set(urls).size === 1 && !named.some((version) => isOpenVersion(version, site)) ? only : null
}

/** The fault of a page with another x-default than its versions. */
const otherDefaults = (page: ReadPage, site: AnalysedSite): Fault | null => {
  const own = defaultOf(page, site)
  if (own === null) return null
  const others = versionsOf(page, site).flatMap(({ url }) => {
    const target = url === null || url === page.url ? undefined : site.find(url)
    if (target === undefined || !isRead(target) || !namesVersion(target, page.url, site)) return []
    const named = defaultOf(target, site)
    return named === null || named === own ? [] : [`on ${target.url} it is ${named}`]
  })
  return others.length === 0
    ? null
    : versionFault(
        versionsOf(page, site).filter(({ language }) => language === "x-default"),
        ({ raw }) => `x-default ${raw}, but ${some([...new Set(others)], 3)}`
      )
}

/** Checks of a page's language versions. */
export const international: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "hreflang_invalid",
      name: "Invalid hreflang",
      category: "international",
      severity: "warning",
      means:
        "An hreflang has an unknown language or country code (en-UK and jp instead of en-GB and ja), or a malformed URL.",
      fix: "Use a language with an optional script and region, such as en-GB, or x-default.",
      source: `${guide}; ISO 639-1; ISO 3166-1; BCP 47`,
      restsOn: "own",
      guidance: {
        why: "Search engines ignore invalid hreflang, so people see the wrong language.",
        goal: "Give every hreflang of the listed pages a valid language with an optional region, and a full URL",
        find,
        steps: [
          "Use ISO 639-1 for the language and ISO 3166-1 for the region: en-GB for British English, ja for Japanese, zh-Hant for a script.",
          "Map the site's own language names to these codes in one place.",
          "Write absolute URLs, and x-default for the page that serves everyone else."
        ],
        never: "use a country code alone as a language"
      }
    },
    (page, site) =>
      versionFault(
        versionsOf(page, site).filter(({ url, wellFormed }) => !wellFormed || url === null),
        ({ language, raw }) => `${language} ${raw}${maskWords(raw)}`,
        ({ raw, wellFormed, written }) => (wellFormed ? raw : written)
      ),
    among
  ),
  perPage(
    {
      id: "hreflang_relative",
      name: "Relative hreflang URL",
      category: "international",
      severity: "warning",
      means: "An hreflang URL is relative, or has no scheme (//example.com/de).",
      fix: "Write the full URL, with https and host.",
      source: guide,
      restsOn: "own",
      guidance: {
        why: "Google requires full URLs and may ignore others.",
        goal: "Write every hreflang of the listed pages as an absolute URL with its scheme",
        find,
        steps: [
          "Add scheme and host from the site's configuration.",
          "Use the same spelling as the canonical of the target page: scheme, host and slash."
        ],
        never: "add a base element to make it absolute"
      }
    },
    (page, site) =>
      versionFault(
        versionsOf(page, site).filter(({ raw, url }) => url !== null && !URL.canParse(raw)),
        ({ language, raw }) => `${language} ${raw}`
      ),
    among
  ),
  perPage(
    {
      id: "hreflang_conflicting",
      name: "Conflicting hreflang",
      category: "international",
      severity: "warning",
      means: "The page has hreflang with different URLs for the same language.",
      fix: "Keep one URL per language.",
      source: guide,
      restsOn: "own",
      guidance: {
        why: "Search engines use neither URL.",
        goal: "Give each language one URL on each listed page",
        find: `${find} Two of them write hreflang here, or two entries have the same code.`,
        steps: [
          "List all hreflang entries of the page with their source.",
          "Keep one source.",
          "Add the region (en-GB, en-US) if both pages are intended."
        ],
        never: "give two languages the same URL to resolve the conflict"
      }
    },
    (page, site) => {
      const addresses = groupedBy(versionsOf(page, site), ({ language }) => language)
      const twice = [...addresses.values()].filter((named) => new Set(named.map(({ url }) => url)).size > 1)
      return versionFault(
        twice.flat(),
        ({ language }) => language,
        ({ written }) => written
      )
    },
    among
  ),
  perPage(
    {
      id: "hreflang_default_conflicting",
      name: "Conflicting x-default",
      category: "international",
      severity: "info",
      means: "The language versions of the page have different x-default URLs.",
      fix: "Use the same x-default URL on all versions.",
      source: guide,
      guidance: {
        why: "Search engines cannot tell which page is for people whose language has no version.",
        goal: "Use the same x-default URL on all versions of the listed pages",
        find: `${find} Usually x-default is set to the page itself instead of the page in the main language.`,
        steps: [
          "Decide which version is for everyone else: the language selector page, or the version in the main language.",
          "Set x-default to its URL on all versions, including itself."
        ],
        never: "set x-default of each version to itself"
      }
    },
    otherDefaults,
    among
  ),
  perPage(
    {
      id: "hreflang_self_missing",
      name: "Missing hreflang self-reference",
      category: "international",
      severity: "info",
      means: "The page lists its language versions by hreflang, but not itself.",
      fix: "Add the page's own language and URL.",
      source: guide,
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Search engines expect the complete set of versions on each page, including the page itself.",
        goal: "Add each listed page to its own hreflang",
        find,
        steps: [
          "Do not skip the current language where the list is written.",
          "Write the same list, in the same order, on all versions."
        ],
        never: "use hreflang in place of the canonical"
      }
    },
    (page, site) => (mayNameVersion(page, page.url, site) ? null : "no hreflang for itself"),
    among
  ),
  perPage(
    {
      id: "hreflang_no_return",
      name: "Missing hreflang return link",
      category: "international",
      severity: "warning",
      means: "A language version does not link back to this page by hreflang.",
      fix: "List all versions on every version.",
      source: guide,
      needsRendering: true,
      guidance: {
        why: "Search engines ignore hreflang without a return link.",
        goal: "List all versions of the listed pages on every version",
        find,
        steps: [
          "Build the list once for each page, from its translations, and write it on all of them.",
          "Compare the URLs on both sides exactly: scheme, host and slash.",
          "Leave out languages in which the page does not exist."
        ],
        never: "remove hreflang of versions that exist"
      }
    },
    (page, site) =>
      versionFault(
        versionsOf(page, site).filter(({ url }) => {
          const target = url === null || url === page.url ? undefined : site.find(url)
          return target !== undefined && isRead(target) && !mayNameVersion(target, page.url, site)
        }),
        ({ raw, url }) => url ?? raw
      ),
    among
  ),
  perPage(
    {
      id: "hreflang_to_unindexable",
      name: "hreflang to a non-indexable page",
      category: "international",
      severity: "warning",
      means: "A language version redirects, returns an error or is not indexable.",
      fix: "Link to pages that return 200 and are indexable.",
      source: guide,
      guidance: {
        why: "Search engines drop that version, so people see the wrong language.",
        goal: "Point every hreflang of the listed pages to a page that returns 200, is indexable and has a canonical to itself",
        find,
        steps: [
          "Request each URL in the evidence and check its response.",
          "Use the URL at which the version is served, or leave the language out if there is none.",
          "Set the canonical of each version to itself, not to the version in the main language."
        ],
        never: "point all languages to the start page"
      }
    },
    (page, site) =>
      versionFault(
        versionsOf(page, site).filter((version) => reasonAgainst(version, page, site) !== null),
        (version) => `${version.url ?? version.raw} (${reasonAgainst(version, page, site) ?? ""})`
      ),
    among
  )
]
