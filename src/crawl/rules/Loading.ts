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

/** Upper limit of a good time to first byte, and lower limit of a poor one, in milliseconds. */
const good = 800
const poor = 1800

/** Sorted milliseconds to the first byte of the indexable pages. */
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

/** Checks of how pages load. */
export const loading: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "image_dimensions_missing",
      name: "Images without width and height",
      category: "performance",
      severity: "info",
      means: "Images on the page have no width and height attributes.",
      fix: "Set width and height on each image, unless CSS reserves its space.",
      source: "web.dev, Optimize Cumulative Layout Shift; HTML standard §4.8.16",
      needsRendering: true,
      eligibleOnly: true,
      isCharged: false,
      guidance: {
        why: "The layout shifts when these images load, which hurts Cumulative Layout Shift (CLS).",
        goal: "Give each image of the listed pages width and height",
        find: "Find the templates and components that write img elements, and where their images are edited.",
        steps: [
          "Write the width and height of the file, in pixels without a unit. Together they set the aspect ratio.",
          "Keep img { height: auto } in the CSS, so the image still fits its column.",
          "Let the image component read the dimensions from the file.",
          "Leave images alone for which CSS sets aspect-ratio or both dimensions."
        ],
        never: "write dimensions with a different aspect ratio than the file"
      }
    },
    ({ visit }) => {
      const { imageCount, imagesWithoutSize, unsizedImages } = visit.facts
      if (imagesWithoutSize === 0) return null
      return { detail: `${imagesWithoutSize} of ${imageCount} images`, elements: unsizedImages }
    },
    { among: isEligible, nothing: "no indexable page was crawled" }
  ),
  siteWide(
    {
      id: "response_slow",
      name: "Slow server response (TTFB)",
      category: "performance",
      severity: "info",
      means: "Half of the indexable pages took more than 0.8 seconds to send their first byte to Findable.",
      fix: "Serve pages from a cache, or reduce the work that generates them.",
      source: "web.dev, Time to First Byte",
      restsOn: "own",
      isCharged: false,
      guidance: {
        why: "Browsers show nothing before the first byte, and search engines crawl fewer pages of a slow server.",
        goal: "Bring the time to first byte below 0.8 seconds",
        find: "Find what serves the pages: application, database, cache, and the network between server and visitors. Measure again from where your visitors are.",
        steps: [
          "Measure where the time goes for one page: queries, calls to other services or templates.",
          "Cache whole pages, or their slowest parts. Let a CDN cache what is the same for all visitors.",
          "Check that the server was not busy with this crawl or a backup at the time."
        ],
        never: "serve crawlers faster than visitors"
      }
    },
    (site) => {
      const times = firstBytes(site)
      const median = medianOf(times)
      // Rounded to the exceeded limit, so two crawls of an unchanged site report the same value.
      const seconds = (median > poor ? poor : good) / 1000
      return median > good
        ? `half of ${times.length} pages took more than ${seconds} seconds to send their first byte`
        : null
    },
    (site) => {
      if (site.isPart) return "the crawl covered only a part of the site"
      return firstBytes(site).length === 0 ? "no indexable page was crawled" : null
    }
  )
]

/** Bytes of a heavy image: a slow mobile connection (1.6 Mbit/s) takes a second and a half for it. */
const heavy = 300_000

const open: Precondition = ({ parts }) => answered(parts, "file", "that pages load")

/** The fault of a page with parts that returned faulty responses. */
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
  nothing: "no indexable page was crawled and checked",
  precondition: open
}

/** Checks of images, styles and scripts, by the responses of their URLs. */
export const resources: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "resource_broken",
      name: "Broken images, styles or scripts",
      category: "availability",
      severity: "warning",
      means:
        "The page loads images, styles or scripts of the site that return 4xx or 5xx, confirmed by a second request.",
      fix: "Restore the file, or correct or remove the URL listed in the details.",
      source: "RFC 9110 §15.5, §15.6; Google Search Central, Understand the JavaScript SEO basics",
      needsRendering: true,
      restsOn: "checks",
      eligibleOnly: true,
      guidance: {
        why: "The page looks broken or does not work, and search engines may render it incorrectly.",
        goal: "Make every image, style and script of the listed pages return 200, or stop loading it",
        find: "Search templates, styles, content and the build manifest for the URLs in the evidence.",
        steps: [
          "Find the file: check for a typo, upper case, a renamed or hashed file, or one missing from the build or deployment.",
          "Use the URL of the existing file, restore the file, or remove the element.",
          "Fix a URL in a shared template once, where it is written, and request it again."
        ],
        never: "return 200 with an empty or HTML body for missing files"
      }
    },
    (page, site) =>
      faulty(page, site, ({ status, verdict }) => (verdict === "broken" ? `${status ?? "no status"}` : null)),
    options
  ),
  perPage(
    {
      id: "image_heavy",
      name: "Images over 300 KB",
      category: "performance",
      severity: "info",
      means: "The page shows images larger than 300 KB, by their Content-Length.",
      fix: "Resize and compress the images, and use a modern format.",
      source: "web.dev, Fast load times, Images; Google Search Central, Google image SEO best practices",
      needsRendering: true,
      restsOn: "checks",
      eligibleOnly: true,
      guidance: {
        why: "Each of these images takes seconds on a mobile connection, and the largest one often determines LCP.",
        goal: "Reduce every image of the listed pages to 300 KB or less, at the size at which it is shown",
        find: "Find where the images in the evidence come from: repository files, uploads of a content system, or an image service.",
        steps: [
          "Resize each image to the largest size at which it is shown, and offer smaller ones with srcset and sizes.",
          "Encode photos as AVIF or WebP, and drawings as SVG.",
          "Do this automatically on upload or in the build, and check the page again."
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
