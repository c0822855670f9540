import { html } from "parse5"
import type { BaseUrl } from "./BaseUrl.ts"
import type { HeadingFacts, ImageFacts } from "./ContentFacts.ts"
import { collapse, keep, maxUrl, strip } from "./Keep.ts"
import type { Outline, Placed } from "./Outline.ts"
import { srcset } from "./Srcset.ts"
import { httpIdentity } from "./UrlIdentity.ts"

const maxImages = 1000
const maxHeadings = 500
const maxCandidates = 20

const short = (value: string | null): string | null => (value === null ? null : keep(collapse(value), 20))

const image = ({ element }: Placed, base: BaseUrl): ImageFacts => {
  const source = element.getAttribute("src")
  const alt = element.getAttribute("alt")
  const candidates = srcset((element.getAttribute("srcset") ?? "").slice(0, 20_000), maxCandidates)
  return {
    raw: source === null ? null : keep(strip(source), maxUrl),
    url: source === null ? null : httpIdentity(source, base),
    alt: alt === null ? null : keep(collapse(alt), 200),
    srcset: candidates.map((candidate) => httpIdentity(candidate, base)).filter((url) => url !== null),
    width: short(element.getAttribute("width")),
    height: short(element.getAttribute("height")),
    lazy: element.getAttribute("loading")?.toLowerCase() === "lazy"
  }
}

/** The images of the document: the first thousand, the number of all, and of those without an `alt` attribute. */
export const images = ({ elements }: Outline, base: BaseUrl) => {
  const found = elements.filter(({ name, namespace }) => name === "img" && namespace === html.NS.HTML)
  return {
    images: found.slice(0, maxImages).map((placed) => image(placed, base)),
    imageCount: found.length,
    imagesWithoutAlt: found.filter(({ element }) => !element.hasAttribute("alt")).length
  }
}

/** The headings h1 to h6 in document order. */
export const headings = ({ elements, textOf }: Outline): ReadonlyArray<HeadingFacts> =>
  elements
    .filter(({ name, namespace }) => /^h[1-6]$/.test(name) && namespace === html.NS.HTML)
    .slice(0, maxHeadings)
    .map(({ element, name }) => ({ level: Number(name.slice(1)), text: keep(textOf.get(element) ?? "", 300) }))
