import { html } from "parse5"
import { each, mapped, type Steps } from "../../foundation/schema/Steps.ts"
import type { PagePlace } from "../report/PagePlace.ts"
import { isPresentational, roleOf } from "./AccessibleName.ts"
import { type DomElement, isElement } from "./Dom.ts"
import { markupOf } from "./MarkupOf.ts"
import type { Outline, Placed } from "./Outline.ts"
import { srcset } from "./Srcset.ts"
import { collapse, keep, maxUrl, strip } from "./Strings.ts"
import { type BaseUrl, httpIdentity } from "./UrlIdentity.ts"

/** A heading with its level 1..6 and collapsed text (alt text of images included), ≤ 300 characters. */
export interface HeadingFacts {
  readonly level: number
  readonly text: string
}

/** An `<img>`: `alt` is null when the attribute is absent, `""` when it is empty (decorative). */
export interface ImageFacts {
  readonly raw: string | null
  readonly url: string | null
  readonly alt: string | null
  /** Candidates of `srcset`, resolved, in order; unparsable ones are left out. */
  readonly srcset: ReadonlyArray<string>
  readonly width: string | null
  readonly height: string | null
  readonly lazy: boolean
}

/** An image that nothing names. */
export interface MuteImage {
  readonly markup: string
  readonly place: PagePlace
  /** The `href` of the link around it, as written; null outside of links. */
  readonly link: string | null
}

const maxImages = 1000
/** Images without a name that are shown of one page. */
const maxMute = 100
const maxHeadings = 500
const maxCandidates = 20
/** What an image, its name and a heading are worth beside what its name is, in characters. */
const worthOfImage = 256
const worthOfLook = 8

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

/** Nothing says what the image shows, and assistive technology exposes it. A tracking pixel in a noscript is not exposed. */
const isMute = (names: Outline["names"], { element, inNoscript, isUnseen }: Placed): boolean =>
  !element.hasAttribute("alt") && !isUnseen && !inNoscript && !isPresentational(element) && names.of(element) === ""

/** The `href` of the link around an element, as written; null outside of links. */
export const linkAround = (element: DomElement): string | null => {
  for (let node = element.parentNode; node !== null && isElement(node); node = node.parentNode) {
    if (node.localName === "a" && node.hasAttribute("href")) return keep(strip(node.getAttribute("href") ?? ""), maxUrl)
  }
  return null
}

/** The images of the document: the first thousand, the number of all, and those without `alt` or another name. */
export function* images({ elements, names }: Outline, base: BaseUrl) {
  const found = elements.filter(({ name, namespace }) => name === "img" && namespace === html.NS.HTML)
  let imagesWithoutAlt = 0
  const muteImages: Array<MuteImage> = []
  yield* each(found, (placed) => {
    const before = names.spent
    if (isMute(names, placed) && ++imagesWithoutAlt <= maxMute) {
      const { element, place } = placed
      muteImages.push({ markup: markupOf(element), place, link: linkAround(element) })
    }
    return worthOfLook + names.spent - before
  })
  return {
    images: yield* mapped(found.slice(0, maxImages), worthOfImage, (placed) => image(placed, base)),
    imageCount: found.length,
    imagesWithoutAlt,
    muteImages
  }
}

/** The level of a heading by its role or else its name; null for other elements and hidden ones. */
const levelOf = ({ element, isHidden, name }: Placed): number | null => {
  const level = /^h[1-6]$/.test(name) ? Number(name.slice(1)) : null
  const role = roleOf(element)
  if (isHidden || (role !== "" && role !== "heading")) return null
  const declared = Number(element.getAttribute("aria-level"))
  return role !== "heading" ? level : declared >= 1 && declared <= 6 ? declared : (level ?? 2)
}

/** The headings in document order, each with the text that names it. */
export function* headings({ elements, names }: Outline): Steps<ReadonlyArray<HeadingFacts>> {
  const found: Array<HeadingFacts> = []
  yield* each(elements, (placed) => {
    if (found.length === maxHeadings || placed.namespace !== html.NS.HTML) return 1
    const before = names.spent
    const level = levelOf(placed)
    if (level !== null) found.push({ level, text: names.of(placed.element) })
    return worthOfLook + names.spent - before
  })
  return found
}
