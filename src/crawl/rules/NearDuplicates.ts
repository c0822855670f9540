import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { nearHashes } from "../analysis/NearHashes.ts"
import { alike, likeness, shortText } from "../page/Fingerprint.ts"
import { enoughWords, guide, inOtherLanguages, isToldElsewhere, options } from "./Duplicates.ts"
import { perPage, type ReadPage, type Rule } from "./Rule.ts"
import { eligible, some } from "./Targets.ts"

/** The eligible pages with enough text to compare, each with its place among them, and who is near to whom. */
const comparable = perSite((site) => {
  const pages = eligible(site).filter(({ visit }) => visit.facts.text.mainWords >= enoughWords)
  return {
    pages,
    places: new Map(pages.map(({ url }, index) => [url, index])),
    nearTo: nearHashes(pages.map(({ visit }) => visit.facts.text.simhash))
  }
})

/** An index and a page that it shows whole: the one holds the other by its nature. */
const isIndexOf = (index: ReadPage, page: ReadPage, { start }: AnalysedSite): boolean => {
  const directory = new URL(index.url).pathname.replace(/[^/]*$/, "")
  const isAbove =
    index.url === start.href || (new URL(page.url).pathname.startsWith(directory) && index.url.endsWith("/"))
  return isAbove && index.visit.facts.links.some(({ target }) => target.followable && target.url === page.url)
}

/** Pages near to one that are looked at: a few are named, and thousands may be near to each other. */
const maxNear = 256

/** Whether nine in ten runs of three words are on both pages, as must be where one is short; others are alike by their simhash alone. */
const isAlike = (page: ReadPage, other: ReadPage): boolean => {
  const [one, two] = [page.visit.facts.text, other.visit.facts.text]
  if (Math.min(one.mainWords, two.mainWords) >= shortText) return true
  return one.shingles !== null && two.shingles !== null && likeness(one.shingles, two.shingles) >= alike
}

const near = (page: ReadPage, site: AnalysedSite): string | null => {
  const { nearTo, pages, places } = comparable(site)
  const place = places.get(page.url)
  const candidates = place === undefined ? [] : nearTo(place).slice(0, maxNear)
  const found = candidates.flatMap(({ distance, index }) => {
    const other = pages[index]
    if (other === undefined || other.visit.facts.text.mainHash === page.visit.facts.text.mainHash) return []
    if (!isAlike(page, other) || isIndexOf(page, other, site) || isIndexOf(other, page, site)) return []
    if (isToldElsewhere(page, other.url, site)) return []
    return [{ url: other.url, text: `${other.url} (distance ${distance} of 64)` }]
  })
  if (found.length === 0) return null
  const languages = inOtherLanguages(
    page,
    found.map(({ url }) => url),
    site
  )
  return `close to ${some(
    found.map(({ text }) => text),
    3
  )}${languages}`
}

/** Pages that share almost all of their text. */
export const nearDuplicates: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "content_near_duplicate",
      name: "Content nearly the same",
      category: "content",
      severity: "info",
      means:
        "Pages that may be indexed have almost the same main text, short ones nine in ten runs of three words. The distance of their 64-bit simhashes is stated.",
      fix: "Merge them, set them apart by more content, or name one as canonical; tie copies in other languages by hreflang.",
      source: `${guide}; Charikar 2002, similarity estimation`,
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "Pages that say almost the same compete with each other in the results.",
        goal: "Merge the listed pages, set them apart, or name one as canonical",
        find: "Find the template of these pages and compare their main text: mostly only a name, a place or a colour differs.",
        steps: [
          "Decide whether each page answers a question of its own.",
          "If so, write what only this page can say, and shorten what all repeat.",
          "If not, merge them into one page and redirect, or let the variants name one as canonical.",
          "Leave copies in other languages where they are, each its own canonical: translate them, and tie them by hreflang."
        ],
        never: "exchange words so that the texts look different"
      }
    },
    near,
    options
  )
]
