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

/** The versions of the pages by their addresses, how many pages the folder of each language has, and how many of those have a version in another. */
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

/** Most pages of the smaller of two folders have a copy in the other: `/en/` and `/de/` may as well hold two sites that share the address of their start page. */
const areTranslations = ({ pairs, sizes }: Survey, own: string | null, other: string | null): boolean => {
  const smaller = Math.min(sizes.get(own) ?? 0, sizes.get(other) ?? 0)
  return 2 * (pairs.get(pairOf(own, other)) ?? 0) > smaller
}

/** With at least this number, links, headings and images are alike in number by translation only. */
const manyLinks = 10

/** Translated addresses differ, but the pages behind them are built alike. */
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

/** The versions of a page none of which names any, in words; null when there are none. One that names versions and not this one lacks a return. */
const unnamed = (page: ReadPage, surveyed: Survey, site: AnalysedSite): string | null => {
  const copies = surveyed.copies.get(page) ?? []
  if (copies.length === 0 || versionsOf(page, site).length > 0) return null
  const own = folderLanguage(page, site)
  const shown = copies.flatMap(({ language, url }) => {
    const copy = site.find(url)
    // A page that links to its own path on the host of another language says itself that this is its version.
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

/** Versions in other languages that no page names. */
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
