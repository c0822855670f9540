import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { isEligible, perPage, type Rule, readPages, siteWide } from "./Rule.ts"

/** Milliseconds to the first byte that are good, and those from which it is poor. */
const good = 800
const poor = 1800

/** Milliseconds to the first byte of the pages that may be indexed, in order. */
const firstBytes = perSite((site: AnalysedSite) =>
  readPages(site)
    .filter(isEligible)
    .flatMap(({ visit }) => visit.firstByteMillis ?? [])
    .sort((a, b) => a - b)
)

const medianOf = (sorted: ReadonlyArray<number>): number => {
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2
}

/** How pages load. */
export const loading: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "image_dimensions_missing",
      name: "Images without width and height",
      category: "performance",
      severity: "info",
      means:
        "Images have no width and height in the document, so what follows them moves when they arrive, unless a style sheet keeps their place.",
      fix: "Write the image's width and height as attributes.",
      source: "web.dev, Optimize Cumulative Layout Shift; HTML standard §4.8.16",
      needsRendering: true,
      eligibleOnly: true,
      isCharged: false,
      guidance: {
        why: "A browser that does not know the size of an image lays the page out again when it arrives, under the reader's eyes.",
        goal: "Give each image of the listed pages its width and height",
        find: "Find the templates and components that write img elements, and where their images are edited.",
        steps: [
          "Write the width and height of the file, in pixels without a unit; together they give the ratio.",
          "Keep img { height: auto } in the style sheet, so that the image still fits its column.",
          "Let the image component read the dimensions from the file.",
          "Leave an image alone for which a style sheet sets aspect-ratio or both dimensions."
        ],
        never: "write dimensions of another ratio than the file's"
      }
    },
    ({ visit }) => {
      const { imageCount, imagesWithoutSize, unsizedImages } = visit.facts
      if (imagesWithoutSize === 0) return null
      return { detail: `${imagesWithoutSize} of ${imageCount} images`, elements: unsizedImages }
    },
    { among: isEligible, nothing: "no page that may be indexed was read" }
  ),
  siteWide(
    {
      id: "response_slow",
      name: "Slow first byte",
      category: "performance",
      severity: "info",
      means: "Half of the pages that may be indexed took more than 0.8 seconds to send their first byte to this crawl.",
      fix: "Send pages from a cache, or shorten the work that makes them.",
      source: "web.dev, Time to First Byte",
      restsOn: "own",
      isCharged: false,
      guidance: {
        why: "Nothing of a page can be shown before its first byte, and crawlers ask a slow server for fewer pages.",
        goal: "Bring the time to the first byte below 0.8 seconds",
        find: "Find what answers the pages: application, database, cache, and the way between server and visitors. Measure again from where the visitors are.",
        steps: [
          "Measure where the time goes for one page: queries, calls to other services, templates.",
          "Cache whole pages, or what takes longest, and let a CDN hold what is the same for all visitors.",
          "Check that the server was not busy with this crawl or a backup when it was measured."
        ],
        never: "answer crawlers faster than visitors"
      }
    },
    (site) => {
      const times = firstBytes(site)
      const median = medianOf(times)
      // Rounded to the bound that it exceeds, so that two runs say the same of the same site.
      const seconds = (median > poor ? poor : good) / 1000
      return median > good
        ? `half of ${times.length} pages sent their first byte after more than ${seconds} seconds`
        : null
    },
    (site) => {
      if (site.isPart) return "the run covered only part of the site"
      return firstBytes(site).length === 0 ? "no page that may be indexed was read" : null
    }
  )
]
