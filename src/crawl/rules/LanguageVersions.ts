import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { namedBy } from "./International.ts"
import { folderLanguage, type LanguageCopy, languageCopies } from "./Languages.ts"
import { isEligible, isRead, perPage, type ReadPage, type Rule, readPages } from "./Rule.ts"
import { some } from "./Targets.ts"

const pairOf = (one: string | null, other: string | null): string => `${one ?? ""} ${other ?? ""}`

/** How many pages the folder of each language has, and how many of them have a copy in that of another. */
const sections = perSite((site) => {
  const sizes = new Map<string | null, number>()
  const pairs = new Map<string, number>()
  for (const page of readPages(site).filter(isEligible)) {
    const own = folderLanguage(page, site)
    sizes.set(own, (sizes.get(own) ?? 0) + 1)
    for (const other of new Set(languageCopies(page, site).map(({ language }) => language))) {
      const pair = pairOf(own, other)
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    }
  }
  return { pairs, sizes }
})

/** Most pages of the smaller of two folders have a copy in the other: `/en/` and `/de/` may as well hold two sites that share the address of their start page. */
const areTranslations = (site: AnalysedSite, own: string | null, other: string | null): boolean => {
  const { pairs, sizes } = sections(site)
  const smaller = Math.min(sizes.get(own) ?? 0, sizes.get(other) ?? 0)
  return 2 * (pairs.get(pairOf(own, other)) ?? 0) > smaller
}

/** So many links, headings and images are alike in number by translation only. */
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

/** Whether a version by its address is one by its content too; a page that links to its own path on the host of another language says so itself. */
const isTranslation = (page: ReadPage, { language, url }: LanguageCopy, site: AnalysedSite): boolean => {
  const copy = site.find(url)
  if (copy === undefined || !isRead(copy)) return true
  return areTranslations(site, folderLanguage(page, site), language) || isBuiltAlike(page, copy)
}

/** A version that names the page has a fault of its own, the missing return. */
const namesIt = ({ url }: LanguageCopy, page: ReadPage, site: AnalysedSite): boolean => {
  const copy = site.find(url)
  return copy !== undefined && isRead(copy) && namedBy(copy, site).includes(page.url)
}

/** Versions in other languages that no page names. */
export const languageVersions: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "hreflang_missing",
      name: "Language versions without hreflang",
      category: "international",
      severity: "warning",
      means:
        "By its address the page has versions in other languages, and neither it nor they say so, so engines may show people the wrong one or take them for copies.",
      fix: "Name all versions on each of them by hreflang.",
      source: "Google Search Central, Tell Google about localized versions of your page",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "People find the version in a language that they do not read, and versions stand against one another in the results.",
        goal: "Let each version of the listed pages name all versions, itself included, by hreflang",
        find: "Find the head template, and where the site knows which pages are translations of one another: the router, the language switcher, or the content system.",
        steps: [
          "Write a link rel=alternate with hreflang and an absolute address for each version, the page itself included, and x-default for the page that serves everybody else.",
          "Write the same list on all versions, or once in the sitemap.",
          "Leave out languages in which the page does not exist."
        ],
        never: "name a version in another language as the canonical, or redirect to it"
      }
    },
    (page, site) => {
      if (namedBy(page, site).length > 0) return null
      const copies = languageCopies(page, site).filter((copy) => isTranslation(page, copy, site))
      if (copies.some((copy) => namesIt(copy, page, site))) return null
      return copies.length === 0
        ? null
        : `no hreflang to ${some(copies.map(({ language, url }) => (language === null ? url : `${url} (${language})`)))}`
    },
    { among: isEligible, nothing: "no page that may be indexed was read" }
  )
]
