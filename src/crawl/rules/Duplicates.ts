import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { hreflangsOf } from "../visit/Visit.ts"
import { isSequence } from "./Addresses.ts"
import type { Fault } from "./Fault.ts"
import { isLanguageCopy, primary } from "./Languages.ts"
import { sawEverything } from "./Preconditions.ts"
import { isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { head } from "./Snippets.ts"
import { eligible, some, twins } from "./Targets.ts"
import { folded, isTwin } from "./Twins.ts"

/** Texts shorter than this are alike by their template, not by their content. */
export const enoughWords = 25

/** Languages and regions of one page share their title by right when hreflang ties them together. */
const isTied = (page: ReadPage, url: string, { find }: AnalysedSite): boolean =>
  hreflangsOf(page.visit).some(
    (link) => link.url === url || (link.url !== null && find(link.url)?.chain.target?.url === url)
  )

/** Pages that are one by right, or whose likeness another rule reports: language versions, with hreflang or without it, and addresses of one page. */
export const isToldElsewhere = (page: ReadPage, url: string, site: AnalysedSite): boolean =>
  isTied(page, url, site) || isLanguageCopy(page, url, site) || isTwin(page, url, site)

/** Which of the pages are copies in other languages: one title for several is right there, and hreflang is what is missing. */
export const inOtherLanguages = (page: ReadPage, others: ReadonlyArray<string>, { find }: AnalysedSite): string => {
  const own = primary(page.visit.facts.lang)
  const named = new Set(hreflangsOf(page.visit).map(({ language }) => primary(language)))
  const languages = others.flatMap((url) => {
    const lang = primary(find(url)?.visit?.facts?.lang ?? null)
    return own !== "" && lang !== "" && lang !== own && !named.has(lang) ? [lang] : []
  })
  return languages.length === 0
    ? ""
    : `: in ${some([...new Set([own, ...languages])])}, language copies without hreflang`
}

/** The other eligible pages with the same key, those aside that share it by right. */
const shared = (
  keyOf: (page: ReadPage) => string | null,
  isRight: (page: ReadPage, other: string) => boolean,
  valueOf: (page: ReadPage) => Partial<Fault> = () => ({})
) => {
  const twinsIn = perSite((site) => twins(eligible(site), keyOf))
  return (page: ReadPage, site: AnalysedSite): Fault | null => {
    const others = twinsIn(site)(page).filter((url) => !isToldElsewhere(page, url, site) && !isRight(page, url))
    return others.length === 0
      ? null
      : { detail: `also on ${some(others)}${inOtherLanguages(page, others, site)}`, ...valueOf(page) }
  }
}

/** The pages of a numbered sequence may share their title and description (Google Search Central, Pagination best practices). */
const isOfSequence = (page: ReadPage, other: string): boolean => isSequence(page.url, other)

const textKey = ({ visit }: ReadPage): string | null =>
  visit.facts.text.mainWords > 0 ? visit.facts.text.mainHash : null

/** Short texts may be alike by their template. */
const isTemplate = ({ visit }: ReadPage): boolean => visit.facts.text.mainWords < enoughWords

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
          "The same in one language: name one as canonical, or redirect to it. Copies in other languages: give each a title in its language, and tie them by hreflang."
        ],
        never: "append numbers or ids to make titles differ"
      }
    },
    shared(
      ({ visit }) => folded(visit.facts.title),
      isOfSequence,
      ({ visit }) => ({ value: visit.facts.title ?? "", place: "head" })
    ),
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
          "Fill the description from the page's own summary, in the page's own language.",
          "Where there is none, leave the element away: engines then take a piece of the text."
        ],
        never: "vary one text by exchanged words"
      }
    },
    shared(
      ({ visit }) => folded(visit.facts.descriptions[0]),
      isOfSequence,
      ({ visit }) => ({ value: visit.facts.descriptions[0] ?? "", place: "head" })
    ),
    options
  ),
  perPage(
    {
      id: "content_duplicate",
      name: "Duplicate content",
      category: "content",
      severity: "warning",
      means: "Pages that may be indexed have the same main text; engines keep one of them.",
      fix: "Of copies in one language name one as the canonical of the others, or redirect them to it; tie copies in other languages by hreflang.",
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
          "Link to that address only.",
          "Leave copies in other languages where they are, each its own canonical, and tie them by hreflang."
        ],
        never: "noindex all of them, or change words so that the texts differ"
      }
    },
    shared(textKey, isTemplate),
    options
  )
]
