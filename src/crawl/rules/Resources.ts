import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { PagePart } from "../page/Resources.ts"
import { concerns } from "../run/Checks.ts"
import type { AddressCheck } from "../visit/CheckAddress.ts"
import { partElement } from "./Elements.ts"
import type { FaultOf } from "./Fault.ts"
import { answered } from "./Preconditions.ts"
import { isEligible, type Precondition, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

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
