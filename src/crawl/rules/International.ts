import { groupedBy } from "../../foundation/schema/Steps.ts"
import type { AnalysedPage, AnalysedSite } from "../analysis/AnalysedSite.ts"
import { maskWords } from "../page/Credentials.ts"
import { plainTag } from "../page/Markup.ts"
import type { HreflangLink } from "../page/UrlIdentity.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { hreflangElements } from "./Causes.ts"
import { isOpenVersion, mayNameVersion, namesVersion, versionsOf } from "./Languages.ts"
import { type Fault, isEligible, isRead, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

const guide = "Google Search Central, Tell Google about localized versions of your page"

/** Engines read the versions of pages that may be indexed. */
const among = {
  among: (page: ReadPage, site: AnalysedSite) => isEligible(page) && versionsOf(page, site).length > 0,
  nothing: "no page that may be indexed names language versions"
}

/** A version that is named by the sitemap, as it stands there. */
const inSitemap = ({ raw, written }: HreflangLink): Fault["markup"] =>
  plainTag("xhtml:link", { rel: "alternate", hreflang: written, href: raw })

/** The fault of annotations, in a few words for each; null when there are none. */
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

/** A temporary redirect from the version for everybody else, which Google advises for a page that chooses the language by its visitor. */
const choosesLanguage = ({ language }: HreflangLink, { visit }: AnalysedPage): boolean =>
  language === "x-default" && visit?.redirect?.permanent === false

/** Why the version may not be shown in results: it fails, redirects or is hidden. Null when it may be, or is not known. */
const reasonAgainst = (version: HreflangLink, page: ReadPage, site: AnalysedSite): string | null => {
  const target = version.url === null || version.url === page.url ? undefined : site.find(version.url)
  if (target === undefined || choosesLanguage(version, target)) return null
  const health = healthStateOf[target.reason]
  return health === "failed" || health === "redirect" || health === "hidden" ? target.reason : null
}

const find =
  "Find where hreflang is made: head template, SEO plugin, Link header or sitemap, and the list of languages that it reads."

/** The one page for everybody else that a page names, where its redirects end; null when it names none or several, or when the end is not known. */
const defaultOf = (page: ReadPage, site: AnalysedSite): string | null => {
  const named = versionsOf(page, site).filter(({ language }) => language === "x-default")
  const urls = named.flatMap(({ url }) => (url === null ? [] : [site.find(url)?.chain.target?.url ?? url]))
  const [only = null] = urls
  return new Set(urls).size === 1 && !named.some((version) => isOpenVersion(version, site)) ? only : null
}

/** Pages for everybody else that versions of a page name, and which are another one than the page names. */
const otherDefaults = (page: ReadPage, site: AnalysedSite): Fault | null => {
  const own = defaultOf(page, site)
  if (own === null) return null
  const others = versionsOf(page, site).flatMap(({ url }) => {
    const target = url === null || url === page.url ? undefined : site.find(url)
    if (target === undefined || !isRead(target) || !namesVersion(target, page.url, site)) return []
    const named = defaultOf(target, site)
    return named === null || named === own ? [] : [`${target.url} names ${named}`]
  })
  return others.length === 0
    ? null
    : versionFault(
        versionsOf(page, site).filter(({ language }) => language === "x-default"),
        ({ raw }) => `x-default ${raw}, but ${some([...new Set(others)], 3)}`
      )
}

/** The language versions that a page names. */
export const international: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "hreflang_invalid",
      name: "Invalid hreflang",
      category: "international",
      severity: "warning",
      means:
        "An hreflang names no language or country that there is (en-UK and jp are en-GB and ja), or its address does not parse; it is ignored.",
      fix: "Use a language, optionally a script and a region, such as en-GB, or x-default.",
      source: `${guide}; ISO 639-1; ISO 3166-1; BCP 47`,
      restsOn: "own",
      guidance: {
        why: "An annotation that engines cannot read is ignored, and people are shown the wrong language.",
        goal: "Write every hreflang of the listed pages as a language with an optional region, and its address in full",
        find,
        steps: [
          "Use ISO 639-1 for the language and ISO 3166-1 for the region: en-GB for British English, ja for Japanese, zh-Hant for the script.",
          "Map the site's own names of languages to these in one place.",
          "Write absolute addresses, and x-default for the page that serves everybody else."
        ],
        never: "use a country alone as a language"
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
      name: "Relative hreflang",
      category: "international",
      severity: "warning",
      means:
        "An hreflang names its page by a relative address, or by one without a scheme (//example.com/de). Google asks for the full address.",
      fix: "Write the full address, with https and host.",
      source: guide,
      restsOn: "own",
      guidance: {
        why: "Google asks for fully-qualified addresses with their scheme, and may ignore others.",
        goal: "Write every hreflang of the listed pages as an absolute address with its scheme",
        find,
        steps: [
          "Take scheme and host from the site's configuration and put them before the path.",
          "Use the same spelling as the canonical of the page that is named: scheme, host, slash."
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
      means: "One language is given two different addresses.",
      fix: "Keep one address for each language.",
      source: guide,
      restsOn: "own",
      guidance: {
        why: "With two addresses for one language engines use neither.",
        goal: "Give each language one address on each listed page",
        find: `${find} Two of them write annotations here, or two entries have the same code.`,
        steps: [
          "List all annotations of the page with their origin.",
          "Keep one place that writes them.",
          "Name the region too (en-GB, en-US) where both pages are meant."
        ],
        never: "give two languages one address to get rid of the conflict"
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
      means:
        "The language versions of one page name different pages as x-default, so it is open which of them is for everybody else.",
      fix: "Name the same page as x-default on all versions.",
      source: guide,
      guidance: {
        why: "The page that x-default names is for people whose language no version has; versions that contradict each other name none.",
        goal: "Let all versions of the listed pages name the same page as x-default",
        find: `${find} Mostly x-default is written with the address of the page itself, in place of that in the main language.`,
        steps: [
          "Decide which version is for everybody else: the page that chooses the language, or the version in the main language.",
          "Write its address as x-default on all versions, itself included."
        ],
        never: "name each version as x-default of itself"
      }
    },
    otherDefaults,
    among
  ),
  perPage(
    {
      id: "hreflang_self_missing",
      name: "hreflang without the page itself",
      category: "international",
      severity: "info",
      means: "The page names its versions in other languages but not itself.",
      fix: "List the page's own language and address too.",
      source: guide,
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Engines expect the set of versions to be complete on each page, itself included.",
        goal: "Let each listed page name itself among its versions",
        find,
        steps: [
          "Do not leave out the current language where the list is written.",
          "Write the same list, in the same order, on all versions."
        ],
        never: "replace the canonical by it"
      }
    },
    (page, site) => (mayNameVersion(page, page.url, site) ? null : "no entry for itself"),
    among
  ),
  perPage(
    {
      id: "hreflang_no_return",
      name: "hreflang without return link",
      category: "international",
      severity: "warning",
      means: "A language version does not name this page in return, so the pair is ignored.",
      fix: "Let every version list all versions.",
      source: guide,
      needsRendering: true,
      guidance: {
        why: "Without the return engines ignore the pair.",
        goal: "Let every version of the listed pages name all versions",
        find,
        steps: [
          "Make the list once for each page, from its translations, and write it on all of them.",
          "Check addresses of both sides letter by letter: scheme, host, slash.",
          "Leave out languages in which the page does not exist."
        ],
        never: "remove annotations of versions that exist"
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
      name: "hreflang to a page that may not be indexed",
      category: "international",
      severity: "warning",
      means: "A language version redirects, fails, or may not be indexed.",
      fix: "Name pages that answer 200 and may be indexed.",
      source: guide,
      guidance: {
        why: "A version that redirects, fails or may not be indexed is dropped from the set.",
        goal: "Let every hreflang of the listed pages name a page that answers 200, may be indexed, and is its own canonical",
        find,
        steps: [
          "Request each address in the evidence and see what it answers.",
          "Write the address at which the version is served, or leave the language out where it has none.",
          "Let the canonical of a version name itself, not the version in the main language."
        ],
        never: "point all languages at the start page"
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
