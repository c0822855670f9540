import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { nearHashes } from "../analysis/NearHashes.ts"
import { isSequence, sameAddress } from "./Addresses.ts"
import { sawEverything } from "./Gates.ts"
import { content as guidance } from "./guidance/Content.ts"
import { isEligible, perPage, type ReadPage, type Rule, readPages } from "./Rule.ts"
import { sameFile, some, twins } from "./Targets.ts"

/** Texts shorter than this are alike by their template, not by their content. */
const enoughWords = 25

const eligible = perSite((site): ReadonlyArray<ReadPage> => readPages(site).filter(isEligible))

/** The eligible pages with enough text to compare, each with its place among them, and who is near to whom. */
const comparable = perSite((site) => {
  const pages = eligible(site).filter(({ visit }) => visit.facts.text.mainWords >= enoughWords)
  return {
    pages,
    places: new Map(pages.map(({ url }, index) => [url, index])),
    nearTo: nearHashes(pages.map(({ visit }) => visit.facts.text.simhash))
  }
})

const folded = (text: string | null | undefined): string | null => {
  const key = (text ?? "").replace(/\s+/g, " ").trim().toLowerCase()
  return key === "" ? null : key
}

/** Languages and regions of one page share their title by right when hreflang ties them together. */
const isTied = ({ visit }: ReadPage, url: string): boolean =>
  [...visit.facts.hreflangs, ...(visit.headerFacts?.hreflangs ?? [])].some((link) => link.url === url)

const primary = (lang: string | null): string => lang?.toLowerCase().split("-", 1)[0] ?? ""

/** Which of the pages are copies in other languages: one title for several is right there, and hreflang is what is missing. */
const inOtherLanguages = (page: ReadPage, others: ReadonlyArray<string>, { find }: AnalysedSite): string => {
  const own = primary(page.visit.facts.lang)
  const languages = others.flatMap((url) => {
    const lang = primary(find(url)?.visit?.facts?.lang ?? null)
    return own !== "" && lang !== "" && lang !== own ? [lang] : []
  })
  return languages.length === 0
    ? ""
    : `: in ${some([...new Set([own, ...languages])])}, language copies without hreflang`
}

/** An index and a page that it shows whole: the one holds the other by its nature. */
const isIndexOf = (index: ReadPage, page: ReadPage, { start }: AnalysedSite): boolean => {
  const directory = new URL(index.url).pathname.replace(/[^/]*$/, "")
  const isAbove =
    index.url === start.href || (new URL(page.url).pathname.startsWith(directory) && index.url.endsWith("/"))
  return isAbove && index.visit.facts.links.some(({ target }) => target.followable && target.url === page.url)
}

/** The other eligible pages with the same key, those aside that share it by right. */
const shared = (
  keyOf: (page: ReadPage) => string | null,
  isRight: (page: ReadPage, other: string, site: AnalysedSite) => boolean
) => {
  const twinsIn = perSite((site) => twins(eligible(site), keyOf))
  return (page: ReadPage, site: AnalysedSite): string | null => {
    const others = twinsIn(site)(page).filter((url) => !isTied(page, url) && !isRight(page, url, site))
    return others.length === 0
      ? null
      : `also on ${some(others)}${sameAddress(page.url, others)}${inOtherLanguages(page, others, site)}`
  }
}

/** The pages of a numbered sequence may share their title and description (Google Search Central, Pagination best practices). */
const isOfSequence = (page: ReadPage, other: string): boolean => isSequence(page.url, other)

const textKey = ({ visit }: ReadPage): string | null =>
  visit.facts.text.mainWords > 0 ? visit.facts.text.mainHash : null

/** Short texts may be alike by their template, unless the addresses say that it is one page. */
const isTemplate = (page: ReadPage, other: string, site: AnalysedSite): boolean =>
  page.visit.facts.text.mainWords < enoughWords && sameFile(site)(page).every(({ url }) => url !== other)

const near = (page: ReadPage, site: AnalysedSite): string | null => {
  const { nearTo, pages, places } = comparable(site)
  const place = places.get(page.url)
  const candidates = place === undefined ? [] : nearTo(place)
  const alike = candidates.flatMap(({ distance, index }) => {
    const other = pages[index]
    if (other === undefined || other.visit.facts.text.mainHash === page.visit.facts.text.mainHash) return []
    if (isIndexOf(page, other, site) || isIndexOf(other, page, site) || isTied(page, other.url)) return []
    return [{ url: other.url, text: `${other.url} (distance ${distance} of 64)` }]
  })
  if (alike.length === 0) return null
  const texts = alike.map(({ text }) => text)
  return `close to ${some(texts, 3)}${sameAddress(
    page.url,
    alike.map(({ url }) => url)
  )}`
}

const options = { among: isEligible, gate: sawEverything, nothing: "no page may be indexed" }
const guide = "Google Search Central, What is canonicalization"

export const duplicates: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "title_duplicate",
      category: "content",
      severity: "warning",
      means: "Pages that may be indexed share their title, so results look the same.",
      fix: "Give each page a title of its own.",
      source: "Google Search Central, Influencing your title links",
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: guidance.title_duplicate
    },
    shared(({ visit }) => folded(visit.facts.title), isOfSequence),
    options
  ),
  perPage(
    {
      id: "description_duplicate",
      category: "content",
      severity: "info",
      means: "Pages that may be indexed share their meta description.",
      fix: "Describe each page on its own, or leave the description to the engine.",
      source: "Google Search Central, Control your snippets in search results",
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: guidance.description_duplicate
    },
    shared(({ visit }) => folded(visit.facts.descriptions[0]), isOfSequence),
    options
  ),
  perPage(
    {
      id: "content_duplicate",
      category: "content",
      severity: "warning",
      means: "Pages that may be indexed have the same main text; engines keep one of them.",
      fix: "Name one as the canonical of the others, or redirect them to it.",
      source: guide,
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: guidance.content_duplicate
    },
    shared(textKey, isTemplate),
    options
  ),
  perPage(
    {
      id: "content_near_duplicate",
      name: "Content nearly the same",
      category: "content",
      severity: "info",
      means:
        "Pages that may be indexed have almost the same main text. The distance of their 64-bit simhashes is stated.",
      fix: "Merge them, set them apart by more content, or name one as canonical.",
      source: `${guide}; Charikar 2002, similarity estimation`,
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: guidance.content_near_duplicate
    },
    near,
    options
  )
]
