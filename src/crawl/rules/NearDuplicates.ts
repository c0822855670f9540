import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { nearHashes } from "../analysis/NearHashes.ts"
import { sameAddress } from "./Addresses.ts"
import { eligible, enoughWords, guide, isTied, options } from "./Duplicates.ts"
import { isLanguageCopy } from "./Languages.ts"
import { perPage, type ReadPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

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

const near = (page: ReadPage, site: AnalysedSite): string | null => {
  const { nearTo, pages, places } = comparable(site)
  const place = places.get(page.url)
  const candidates = place === undefined ? [] : nearTo(place)
  const alike = candidates.flatMap(({ distance, index }) => {
    const other = pages[index]
    if (other === undefined || other.visit.facts.text.mainHash === page.visit.facts.text.mainHash) return []
    if (isIndexOf(page, other, site) || isIndexOf(other, page, site)) return []
    if (isTied(page, other.url) || isLanguageCopy(page, other.url, site)) return []
    return [{ url: other.url, text: `${other.url} (distance ${distance} of 64)` }]
  })
  if (alike.length === 0) return null
  const texts = alike.map(({ text }) => text)
  return `close to ${some(texts, 3)}${sameAddress(
    page.url,
    alike.map(({ url }) => url)
  )}`
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
        "Pages that may be indexed have almost the same main text. The distance of their 64-bit simhashes is stated.",
      fix: "Merge them, set them apart by more content, or name one as canonical.",
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
          "If not, merge them into one page and redirect, or let the variants name one as canonical."
        ],
        never: "exchange words so that the texts look different"
      }
    },
    near,
    options
  )
]
