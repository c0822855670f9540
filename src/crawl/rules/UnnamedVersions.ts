import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { folderLanguage, type LanguageCopy, languageCopies, versionsOf } from "./Languages.ts"
import {
  type Failure,
  failureOf,
  isEligible,
  isRead,
  type ReadPage,
  type Rule,
  type RuleText,
  readPages
} from "./Rule.ts"
import { sawEverything, some } from "./Targets.ts"

/** The versions of the pages by URL, the number of pages in each language folder, and the number with a version in another folder. */
interface Survey {
  readonly copies: ReadonlyMap<ReadPage, ReadonlyArray<LanguageCopy>>
  readonly sizes: ReadonlyMap<string | null, number>
  readonly pairs: ReadonlyMap<string, number>
}

const pairOf = (one: string | null, other: string | null): string => `${one ?? ""} ${other ?? ""}`

const count = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const survey = (pages: ReadonlyArray<ReadPage>, site: AnalysedSite): Survey => {
  const copies = new Map<ReadPage, ReadonlyArray<LanguageCopy>>()
  const sizes = new Map<string | null, number>()
  const pairs = new Map<string, number>()
  for (const page of pages) {
    const own = folderLanguage(page, site)
    const found = languageCopies(page, site)
    if (found.length > 0) copies.set(page, found)
    count(sizes, own)
    for (const other of new Set(found.map(({ language }) => language))) count(pairs, pairOf(own, other))
  }
  return { copies, pairs, sizes }
}

/** Whether most pages of the smaller folder have a copy in the other: `/en/` and `/de/` may be two sites with only their start page in common. */
const areTranslations = ({ pairs, sizes }: Survey, own: string | null, other: string | null): boolean => {
  const smaller = Math.min(sizes.get(own) ?? 0, sizes.get(other) ?? 0)
  return 2 * (pairs.get(pairOf(own, other)) ?? 0) > smaller
}

/** From this number on, pages with equal numbers of links, headings and images are translations. */
const manyLinks = 10

/** Whether two pages have the same structure, as translations with different URLs do. */
const isBuiltAlike = (page: ReadPage, other: ReadPage): boolean => {
  const [one, two] = [page.visit.facts, other.visit.facts]
  const headings = (text: string) => text.split("\n").length
  return (
    one.links.length >= manyLinks &&
    one.links.length === two.links.length &&
    one.imageCount === two.imageCount &&
    one.secondHeadings !== "" &&
    headings(one.secondHeadings) === headings(two.secondHeadings)
  )
}

/** The versions of a page without hreflang, in words; null without any. A version with hreflang lacks a return link, which another check reports. */
const unnamed = (page: ReadPage, surveyed: Survey, site: AnalysedSite): string | null => {
  const copies = surveyed.copies.get(page) ?? []
  if (copies.length === 0 || versionsOf(page, site).length > 0) return null
  const own = folderLanguage(page, site)
  const shown = copies.flatMap(({ language, url }) => {
    const copy = site.find(url)
    // A page that links to its own path on another language's host names it as its version.
    const isOfSite = copy !== undefined && isRead(copy)
    if (isOfSite && versionsOf(copy, site).length > 0) return []
    if (isOfSite && !areTranslations(surveyed, own, language) && !isBuiltAlike(page, copy)) return []
    return [language === null ? url : `${url} (${language})`]
  })
  return shown.length === 0 ? null : `no hreflang to ${some(shown)}`
}

const text: RuleText = {
  id: "hreflang_missing",
  name: "Language versions without hreflang",
  category: "international",
  severity: "warning",
  means: "The URL shows that the page has versions in other languages, but none of them has hreflang.",
  fix: "List all versions on each of them by hreflang.",
  source: "Google Search Central, Tell Google about localized versions of your page",
  needsRendering: true,
  eligibleOnly: true,
  guidance: {
    why: "Search engines may show people the wrong language, or treat the versions as duplicates.",
    goal: "List all versions of the listed pages by hreflang on each version",
    find: "Find the head template, and where the site knows which pages are translations: the router, the language switcher or the content system.",
    steps: [
      "Write a link rel=alternate with hreflang and an absolute URL for each version, including the page itself. Use x-default for the page that serves everyone else.",
      "Write the same list on all versions, or once in the sitemap.",
      "Leave out languages in which the page does not exist."
    ],
    never: "set the canonical to a version in another language, or redirect to it"
  }
}

/** Checks of language versions without hreflang. */
export const languageVersions: ReadonlyArray<Rule> = [
  {
    ...text,
    scope: "page",
    check: (site) => {
      const pages = readPages(site).filter(isEligible)
      if (pages.length === 0) return { _tag: "NotAssessed", reason: "no indexable page was crawled" }
      const surveyed = survey(pages, site)
      const failures = pages.flatMap((page): ReadonlyArray<Failure> => {
        const found = unnamed(page, surveyed, site)
        return found === null ? [] : [failureOf(page.url, found)]
      })
      const open = sawEverything(site)
      return open === null || failures.length > 0
        ? { _tag: "Assessed", assessed: pages.length, failures, open }
        : { _tag: "NotAssessed", reason: open }
    }
  }
]
