import { html } from "parse5"
import type { Steps } from "../../foundation/schema/Steps.ts"
import type { PagePlace } from "../report/Finding.ts"
import { isPresentational, roleOf } from "./AccessibleName.ts"
import { shownReference } from "./Credentials.ts"
import { type DomElement, isElement } from "./Dom.ts"
import { markupOf, maxMarkup } from "./Markup.ts"
import type { Outline, Placed } from "./Outline.ts"
import { collapse, keep, maxUrl } from "./Text.ts"
import { type BaseUrl, httpIdentity } from "./UrlIdentity.ts"

/** Valid width, density and height descriptors. */
const valid = /^(?:\d+[wh]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?x)$/

/** The descriptors after a candidate's URL up to its comma; commas inside parentheses do not end it. */
const descriptorsAt = (text: string, from: number): { readonly descriptors: string; readonly end: number } => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === "(") depth = 1
    else if (char === ")") depth = 0
    else if (char === "," && depth === 0) return { descriptors: text.slice(from, at), end: at + 1 }
  }
  return { descriptors: text.slice(from), end: text.length }
}

const isUsable = (descriptors: string): boolean =>
  descriptors.split(/[\t\n\f\r ]+/).every((word) => word === "" || valid.test(word))

const url = /[\t\n\f\r ,]*([^\t\n\f\r ]+)/y

/** The URLs of a `srcset`, as written (HTML standard, parse a srcset attribute), without candidates of unknown descriptors. */
export const srcset = (text: string, max: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let at = 0
  while (found.length < max) {
    url.lastIndex = at
    const match = url.exec(text)
    if (match === null) return found
    const written = match[1] ?? ""
    at += match[0].length
    const reference = written.replace(/,+$/, "")
    const after = reference === written ? descriptorsAt(text, at) : { descriptors: "", end: at }
    at = after.end
    if (reference !== "" && isUsable(after.descriptors)) found.push(reference)
  }
  return found
}

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
  /** Candidates of `srcset`, resolved, in order, without unparsable ones. */
  readonly srcset: ReadonlyArray<string>
  readonly width: string | null
  readonly height: string | null
  readonly lazy: boolean
}

/** An image or button without a name, or an image without a size. */
export interface MuteElement {
  readonly markup: string
  readonly place: PagePlace
  /** The `href` of the enclosing link, as written; null outside of links. */
  readonly link: string | null
}

const maxImages = 1000
/** Maximum images to show per page without a name, and without a size. */
const maxMute = 100
const maxUnsized = 3
const maxHeadings = 5000
/** Characters of a `style` to search for a dimension. */
const maxStyle = 1000
const maxCandidates = 20

const short = (value: string | null): string | null => (value === null ? null : keep(collapse(value), 20))

const image = ({ element }: Placed, base: BaseUrl): ImageFacts => {
  const source = element.getAttribute("src")
  const alt = element.getAttribute("alt")
  const candidates = srcset((element.getAttribute("srcset") ?? "").slice(0, 20_000), maxCandidates)
  return {
    raw: source === null ? null : shownReference(source),
    url: source === null ? null : httpIdentity(source, base),
    alt: alt === null ? null : keep(collapse(alt), 200),
    srcset: candidates.map((candidate) => httpIdentity(candidate, base)).filter((url) => url !== null),
    width: short(element.getAttribute("width")),
    height: short(element.getAttribute("height")),
    lazy: element.getAttribute("loading")?.toLowerCase() === "lazy"
  }
}

/** Whether an image has no name although assistive technology exposes it. */
const isMute = (names: Outline["names"], { element, isUnseen }: Placed): boolean =>
  !element.hasAttribute("alt") && !isUnseen && !isPresentational(element) && names.of(element) === ""

/** A `style` with a dimension; `auto` leaves it open. */
const styledWidth = /(?:^|;)\s*width\s*:(?!\s*auto)/i
const styledHeight = /(?:^|;)\s*height\s*:(?!\s*auto)/i

/** Whether a source of the enclosing `picture` gives the dimensions (HTML standard §4.8.4.3, dimension attribute source). */
const isSizedBySource = ({ parentNode }: DomElement): boolean => {
  if (parentNode === null || !isElement(parentNode) || parentNode.localName !== "picture") return false
  for (let node = parentNode.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node) && node.localName === "source" && node.hasAttribute("width") && node.hasAttribute("height"))
      return true
  }
  return false
}

/** A vector image scales to its space. */
const isVector = (source: string): boolean => /^\s*data:image\/svg|\.svgz?\s*(?:[?#]|$)/i.test(source.slice(0, maxUrl))

/** Whether the document gives a displayed image no size, so the content below moves when the image arrives. */
const isUnsized = ({ element, isUnseen }: Placed): boolean => {
  const has = (name: string) => (element.getAttribute(name) ?? "") !== ""
  if (isUnseen || (has("width") && has("height"))) return false
  const style = (element.getAttribute("style") ?? "").slice(0, maxStyle)
  if (/aspect-ratio\s*:/i.test(style)) return false
  if ((has("width") || styledWidth.test(style)) && (has("height") || styledHeight.test(style))) return false
  return !isVector(element.getAttribute("src") ?? "") && !isSizedBySource(element)
}

/** The `href` of the enclosing link, as written; null outside of links. */
export const linkAround = (element: DomElement): string | null => {
  for (let node = element.parentNode; node !== null && isElement(node); node = node.parentNode) {
    if (node.localName === "a" && node.hasAttribute("href")) return shownReference(node.getAttribute("href") ?? "")
  }
  return null
}

const shown = ({ element, place }: Placed): MuteElement => ({
  markup: keep(markupOf(element), maxMarkup),
  place,
  link: linkAround(element)
})

/** The first thousand images, the number of all, the images without `alt` or another name, and the images without a size. */
export function* images({ elements, names }: Outline, base: BaseUrl) {
  const found = elements.filter(({ name, namespace }) => name === "img" && namespace === html.NS.HTML)
  let imagesWithoutAlt = 0
  const muteImages: Array<MuteElement> = []
  let imagesWithoutSize = 0
  const unsizedImages: Array<MuteElement> = []
  yield* names.each(found, (placed) => {
    if (isMute(names, placed) && ++imagesWithoutAlt <= maxMute) muteImages.push(shown(placed))
    if (isUnsized(placed) && ++imagesWithoutSize <= maxUnsized) unsizedImages.push(shown(placed))
  })
  return {
    images: found.slice(0, maxImages).map((placed) => image(placed, base)),
    imageCount: found.length,
    imagesWithoutAlt,
    muteImages,
    imagesWithoutSize,
    unsizedImages
  }
}

/** The level of a visible heading by its role or its name; null for other elements. */
const levelOf = ({ element, isHidden, name }: Placed): number | null => {
  const level = /^h[1-6]$/.test(name) ? Number(name.slice(1)) : null
  const role = roleOf(element)
  if (isHidden || (role !== "" && role !== "heading")) return null
  const declared = Number(element.getAttribute("aria-level"))
  return role !== "heading" ? level : declared >= 1 && declared <= 6 ? declared : (level ?? 2)
}

/** The headings in document order, each with its accessible name. */
export function* headings({ elements, names }: Outline): Steps<ReadonlyArray<HeadingFacts>> {
  const found: Array<HeadingFacts> = []
  yield* names.each(elements, (placed) => {
    if (found.length === maxHeadings || placed.namespace !== html.NS.HTML) return
    const level = levelOf(placed)
    if (level !== null) found.push({ level, text: names.of(placed.element) })
  })
  return found
}

/** Maximum buttons without a name to keep per page. */
const maxUnnamedButtons = 100

/** Whether a button needs a name; inputs of type submit and reset have a default one (HTML standard §4.10.5.1). */
const isButton = ({ element, name }: Placed): boolean => {
  if (name === "button") return true
  if (name === "input") return element.getAttribute("type")?.toLowerCase() === "button"
  return name !== "a" && element.hasAttribute("role") && roleOf(element) === "button"
}

/** Whether a label encloses an element (HTML standard §4.10.4). */
const isInLabel = ({ element }: Placed): boolean => {
  for (let node = element.parentNode; node !== null && isElement(node); node = node.parentNode) {
    if (node.localName === "label") return true
  }
  return false
}

/** The visible buttons without a name from content, `aria-label`, `title` or a label. */
export function* muteButtons({ elements, names }: Outline): Steps<ReadonlyArray<MuteElement>> {
  const found: Array<MuteElement> = []
  const labelled = new Set<string>()
  const ids: Array<string | null> = []
  yield* names.each(elements, (placed) => {
    const { element, isUnseen, name, namespace, place } = placed
    if (namespace !== html.NS.HTML) return
    if (name === "label") labelled.add(element.getAttribute("for") ?? "")
    if (isUnseen || !isButton(placed) || found.length === maxUnnamedButtons) return
    if (names.of(element) === "" && !isInLabel(placed)) {
      found.push({ markup: markupOf(element), place, link: linkAround(element) })
      ids.push(element.getAttribute("id"))
    }
  })
  return found.filter((_, index) => !labelled.has(ids[index] ?? " "))
}
