import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { isSequence, sameAddress } from "./Addresses.ts"
import { sawEverything } from "./Preconditions.ts"
import { isEligible, perPage, type ReadPage, type Rule, readPages } from "./Rule.ts"
import { head } from "./Snippets.ts"
import { sameFile, some, twins } from "./Targets.ts"

/** Texts shorter than this are alike by their template, not by their content. */
export const enoughWords = 25

export const eligible = perSite((site): ReadonlyArray<ReadPage> => readPages(site).filter(isEligible))

const folded = (text: string | null | undefined): string | null => {
  const key = (text ?? "").replace(/\s+/g, " ").trim().toLowerCase()
  return key === "" ? null : key
}

/** Languages and regions of one page share their title by right when hreflang ties them together. */
export const isTied = ({ visit }: ReadPage, url: string): boolean =>
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

export const options = { among: isEligible, precondition: sawEverything, nothing: "no page may be indexed" }
export const guide = "Google Search Central, What is canonicalization"

/** Pages that share a title, a description or their text. */
export const duplicates: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "title_duplicate",
      name: "Duplicate title",
      category: "content",
      severity: "warning",
      means: "Pages that may be indexed share their title, so results look the same.",
      fix: "Give each page a title of its own.",
      source: "Google Search Central, Influencing your title links",
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "Results with one title look the same, and engines may take the pages for copies.",
        goal: "Give each listed page a title of its own",
        find: `${head} Pages of one template mostly share a constant or an empty variable.`,
        steps: [
          "See for each group whether the pages are the same content at several addresses, or different pages.",
          "Different: put what distinguishes them first (name, place, page number).",
          "The same: name one as canonical, or redirect to it."
        ],
        never: "append numbers or ids to make titles differ"
      }
    },
    shared(({ visit }) => folded(visit.facts.title), isOfSequence),
    options
  ),
  perPage(
    {
      id: "description_duplicate",
      name: "Duplicate description",
      category: "content",
      severity: "info",
      means: "Pages that may be indexed share their meta description.",
      fix: "Describe each page on its own, or leave the description to the engine.",
      source: "Google Search Central, Control your snippets in search results",
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "One text under several results is no help to choose.",
        goal: "Give each listed page a description of its own, or none",
        find: `${head} A default of the site is the usual origin.`,
        steps: [
          "Fill the description from the page's own summary.",
          "Where there is none, leave the element away: engines then take a piece of the text."
        ],
        never: "vary one text by exchanged words"
      }
    },
    shared(({ visit }) => folded(visit.facts.descriptions[0]), isOfSequence),
    options
  ),
  perPage(
    {
      id: "content_duplicate",
      name: "Duplicate content",
      category: "content",
      severity: "warning",
      means: "Pages that may be indexed have the same main text; engines keep one of them.",
      fix: "Name one as the canonical of the others, or redirect them to it.",
      source: guide,
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "Engines keep one of pages with the same text, and not always the one you want.",
        goal: "Leave each text at one address, or let the copies name that address as canonical",
        find: "Find what makes several addresses of one page: parameters, slashes, upper case, print versions, categories, or routes that share a record.",
        steps: [
          "Choose the address that should be found: the one that is linked most and stands in the sitemap.",
          "Redirect the others to it with 301, or let their canonical name it where they must stay.",
          "Link to that address only."
        ],
        never: "noindex all of them, or change words so that the texts differ"
      }
    },
    shared(textKey, isTemplate),
    options
  )
]
