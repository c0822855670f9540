import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import type { PagePart } from "../page/Resources.ts"
import { concerns } from "../run/Run.ts"
import type { AddressCheck } from "../visit/CheckAddress.ts"
import { partElement } from "./Causes.ts"
import {
  type FaultOf,
  isEligible,
  type Precondition,
  perPage,
  type ReadPage,
  type Rule,
  readPages,
  siteWide
} from "./Rule.ts"
import { answered, some } from "./Targets.ts"

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

/** Bytes of an image above which it is heavy: on a slow mobile connection (1.6 Mbit/s) that many take a second and a half. */
const heavy = 300_000

const open: Precondition = ({ parts }) => answered(parts, "file", "that pages load")

/** The fault of a page whose parts are at fault by their answers. */
const faulty = (
  { visit }: ReadPage,
  { parts: checks }: AnalysedSite,
  wordOf: (check: AddressCheck, part: PagePart) => string | null
): FaultOf => {
  const found = visit.facts.parts.flatMap((part) => {
    const check = checks?.answers.get(part.url)
    const word = check === undefined ? null : wordOf(check, part)
    return word === null ? [] : [{ ...part, text: `${part.url} (${word})` }]
  })
  const [first] = found
  if (first === undefined) return null
  const words = found.map(({ text }) => text)
  const elements = found.map(partElement)
  return { detail: some(words, 3), value: first.url, elements }
}

const options = {
  among: (page: ReadPage, { parts }: AnalysedSite) => isEligible(page) && concerns(parts, page.url),
  nothing: "no page that may be indexed was read and looked at",
  precondition: open
}

/** What pages are drawn with, by the answers of its addresses. */
export const resources: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "resource_broken",
      name: "Broken images, styles and scripts",
      category: "availability",
      severity: "warning",
      means:
        "The page loads images, styles or scripts of the site that answer 4xx or 5xx, confirmed by a second request.",
      fix: "Put the file back, or correct or remove the address named in the evidence.",
      source: "RFC 9110 §15.5, §15.6; Google Search Central, Understand the JavaScript SEO basics",
      needsRendering: true,
      restsOn: "checks",
      eligibleOnly: true,
      guidance: {
        why: "Without them the page looks broken, does less, or shows search engines something else than its author means.",
        goal: "Make every image, style and script of the listed pages answer 200, or stop loading it",
        find: "Search templates, styles, content and the build's manifest for the addresses of the evidence.",
        steps: [
          "Look for the file: a typing error, capital letters, a renamed or hashed file, or one that the build or deployment leaves out.",
          "Write the address of the file that exists, put the file back, or take the element out.",
          "Repair what stands in a shared template once, where it is written, and request the address again."
        ],
        never: "answer missing files with 200 and an empty or an HTML body"
      }
    },
    (page, site) =>
      faulty(page, site, ({ status, verdict }) => (verdict === "broken" ? `${status ?? "no status"}` : null)),
    options
  ),
  perPage(
    {
      id: "image_heavy",
      name: "Heavy images",
      category: "performance",
      severity: "info",
      means: "The page shows images of more than 300 KB, by their Content-Length, which makes it slow to draw.",
      fix: "Serve the image smaller, compressed better, and in a modern format.",
      source: "web.dev, Fast load times, Images; Google Search Central, Google image SEO best practices",
      needsRendering: true,
      restsOn: "checks",
      eligibleOnly: true,
      guidance: {
        why: "Such an image alone takes seconds on a mobile connection; the largest one mostly is what visitors wait for.",
        goal: "Bring every image of the listed pages to 300 KB or less, at the size at which it is shown",
        find: "Find where the images of the evidence come from: files in the repository, uploads of a content system, or an image service.",
        steps: [
          "Resize each image to the largest size at which it is shown, and offer smaller ones by srcset and sizes.",
          "Encode photographs as AVIF or WebP, and drawings as SVG.",
          "Let the upload or the build do so from now on, and look at the page again."
        ],
        never: "remove images that visitors need, or load all of them late by a script"
      }
    },
    (page, site) =>
      faulty(page, site, ({ length, verdict }, { kind }) =>
        kind === "image" && verdict === "sound" && length !== null && length > heavy
          ? `${Math.round(length / 1000)} KB`
          : null
      ),
    options
  )
]
