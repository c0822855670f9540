import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { nearHashes } from "../analysis/NearHashes.ts"
import { nearShingles } from "../analysis/NearShingles.ts"
import { shortText } from "../page/Fingerprint.ts"
import { enoughWords, guide, inOtherLanguages, isToldElsewhere, options } from "./Duplicates.ts"
import { perPage, type ReadPage, type Rule } from "./Rule.ts"
import { eligible, some } from "./Targets.ts"

/** The eligible pages with enough text to compare, each with its place among them, and who is near to whom. */
const comparable = perSite((site) => {
  const pages = eligible(site).filter(({ visit }) => visit.facts.text.mainWords >= enoughWords)
  return {
    pages,
    places: new Map(pages.map(({ url }, index) => [url, index])),
    nearTo: nearHashes(pages.map(({ visit }) => visit.facts.text.simhash)),
    alikeTo: nearShingles(pages.map(({ visit }) => visit.facts.text.shingles))
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

const isShort = ({ visit }: ReadPage): boolean => visit.facts.text.mainWords < shortText

/** Texts that are nearly the same are nearly as long; a simhash knows nothing of length. */
const isOfLength = (one: ReadPage, other: ReadPage): boolean => {
  const [a, b] = [one.visit.facts.text.mainWords, other.visit.facts.text.mainWords]
  return Math.min(a, b) >= 0.8 * Math.max(a, b)
}

/** Who is near to a page: where either is short nine in ten runs of three words are on both; others are near by their simhash. */
const candidatesOf = (page: ReadPage, site: AnalysedSite) => {
  const { alikeTo, nearTo, pages, places } = comparable(site)
  const place = places.get(page.url)
  if (place === undefined) return []
  const short = alikeTo(place).flatMap(({ index, likeness }) => {
    const other = pages[index]
    const text = `${Math.floor(100 * likeness)} % alike`
    return other !== undefined && (isShort(page) || isShort(other)) ? [{ other, text }] : []
  })
  if (isShort(page)) return short
  const long = nearTo(place).slice(0, maxNear)
  return [
    ...short,
    ...long.flatMap(({ distance, index }) => {
      const other = pages[index]
      return other === undefined || isShort(other) || !isOfLength(page, other)
        ? []
        : [{ other, text: `distance ${distance} of 64` }]
    })
  ]
}

const near = (page: ReadPage, site: AnalysedSite): string | null => {
  const found = candidatesOf(page, site).flatMap(({ other, text }) => {
    if (other.visit.facts.text.mainHash === page.visit.facts.text.mainHash) return []
    if (isIndexOf(page, other, site) || isIndexOf(other, page, site)) return []
    if (isToldElsewhere(page, other.url, site)) return []
    return [{ url: other.url, text: `${other.url} (${text})` }]
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
        "Pages that may be indexed have almost the same main text: the distance of their 64-bit simhashes is stated, or of short pages how much of their runs of three words is on both.",
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
