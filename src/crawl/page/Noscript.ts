import { html } from "parse5"
import { bareHost } from "../../foundation/schema/Scalars.ts"
import type { Steps } from "../../foundation/schema/Steps.ts"
import type { PagePlace } from "../report/Finding.ts"
import { isElement, type ParsedDocument } from "./Dom.ts"
import { dismantle, parseDocument } from "./HtmlParser.ts"
import { linkElements, links } from "./Links.ts"
import { markupOf } from "./Markup.ts"
import { metaRefresh, metas, robotsMetas } from "./Meta.ts"
import { type Outline, outline, type Placed } from "./Outline.ts"
import { keep } from "./Text.ts"
import type { BaseUrl } from "./UrlIdentity.ts"
import { childText } from "./Walk.ts"

/** An element for visitors without scripts, with its statement to search engines. */
export interface NoscriptElement {
  readonly says: string
  readonly markup: string
  readonly place: PagePlace
}

/** A `noscript` that ends the head where scripts do not run, and the statements that move to the body. */
export interface HeadEnd {
  readonly markup: string
  readonly behind: ReadonlyArray<string>
}

/** Contents of a page's `noscript` elements. With scripts they are text, so they count as no facts of the page. */
export interface NoscriptFacts {
  /** Elements for search engines that the page has nowhere else, in order; at most twenty. */
  readonly elements: ReadonlyArray<NoscriptElement>
  readonly headEnd: HeadEnd | null
  /** The beginning of the text for visitors without scripts. */
  readonly text: string
}

/** Maximum noscript elements to read per page, maximum to keep, and maximum characters to read of each. */
const maxRead = 50
const maxElements = 20
const maxContents = 16_384
const maxText = 300
/** Maximum characters of a URL to quote. */
const maxSaid = 500

/** Directives that only allow the default. */
const unrestricting = new Set(["all", "follow", "index"])

const speaking = new Set(["link", "meta", "title"])

/** The element's statement to search engines; null for other elements. */
const saying = (placed: Placed, base: BaseUrl, self: string): string | null => {
  if (!speaking.has(placed.name) || placed.namespace !== html.NS.HTML) return null
  if (placed.name === "title") return "title"
  const alone = { elements: [placed] }
  const found = metas(alone)
  if (metaRefresh(found, base, self) !== null) return "refresh"
  const tokens = robotsMetas(found).flatMap(({ directives }) => directives.tokens)
  const restricting = tokens.filter((token) => !unrestricting.has(token))
  if (restricting.length > 0) return `robots: ${restricting.join(", ")}`
  const {
    canonicals: [canonical],
    hreflangs: [version]
  } = linkElements(alone, base)
  if (canonical !== undefined) return `canonical: ${keep(canonical.raw, maxSaid)}`
  return version === undefined ? null : `hreflang ${version.written}: ${keep(version.raw, maxSaid)}`
}

/** Whether the content ends a head where scripts do not run: text, or an element that is invalid there (HTML standard §13.2.6.4.5). */
const endsHead = ({ document }: ParsedDocument): boolean =>
  [...(document.documentElement?.childNodes ?? [])].some(
    (node) => isElement(node) && node.localName === "body" && node.firstChild !== null
  )

/** A page with its outline, its URLs, and the URLs that it links to. */
interface Page {
  readonly document: Outline
  readonly base: BaseUrl
  readonly self: string
  readonly linked: ReadonlySet<string>
}

/** Reads the contents of the `noscript` elements of a page. */
export function* noscripts({ base, document: { elements }, linked, self }: Page): Steps<NoscriptFacts> {
  const placed = elements.filter(({ name, namespace }) => name === "noscript" && namespace === html.NS.HTML)
  if (placed.length === 0) return { elements: [], headEnd: null, text: "" }
  const host = bareHost(new URL(self).hostname)
  const said = elements.map((element) => saying(element, base, self))
  const known = new Set(said)
  const found: Array<NoscriptElement> = []
  let headEnd: HeadEnd | null = null
  let text = ""
  for (const noscript of placed.slice(0, maxRead)) {
    const content = childText(noscript.element).slice(0, maxContents)
    if (text.length < maxText) text = `${text} ${content.replace(/<[^>]*>/g, " ")}`.slice(0, maxText)
    if (!noscript.inHead && !/<(?:a|link|meta|title)\b/i.test(content)) continue
    const parsed = yield* parseDocument(content)
    const inner = outline(parsed)
    yield content.length
    for (const element of inner.elements) {
      const says = saying(element, base, self)
      if (says === null || known.has(says)) continue
      known.add(says)
      found.push({ says, markup: markupOf(element.element), place: noscript.place })
    }
    const { links: anchors } = yield* links(inner, base)
    for (const { raw, target } of anchors) {
      if (!target.followable || linked.has(target.url) || bareHost(new URL(target.url).hostname) !== host) continue
      found.push({ says: `link: ${raw}`, markup: markupOf(noscript.element), place: noscript.place })
    }
    if (headEnd === null && noscript.inHead && endsHead(parsed)) {
      const at = elements.indexOf(noscript)
      const after = said.filter((_, index) => index > at && elements[index]?.inHead === true)
      const behind = new Set(after.flatMap((says) => says?.match(/^\w+/) ?? []))
      if (behind.size > 0) headEnd = { markup: markupOf(noscript.element), behind: [...behind] }
    }
    dismantle(parsed.document)
  }
  return { elements: found.slice(0, maxElements), headEnd, text }
}
