import { html } from "parse5"
import { SaxesParser } from "saxes"
import { finish, type Steps } from "../../foundation/schema/Steps.ts"
import { shownReference } from "./Credentials.ts"
import type { DomParent, ParsedDocument } from "./Dom.ts"
import { deciding, decode, type EncodingDecision } from "./Encoding.ts"
import { dismantle, leanDocument, parseDocument } from "./HtmlParser.ts"
import { type HeadingFacts, headings, type ImageFacts, images, type MuteElement, muteButtons } from "./Images.ts"
import { fragmentHashes, linkElements, links, type Refresh } from "./Links.ts"
import {
  contentsOf,
  type MetaFacts,
  metaRefresh,
  metas,
  type OpenGraph,
  openGraph,
  type RobotsMeta,
  robotsMetas,
  social
} from "./Meta.ts"
import { type NoscriptFacts, noscripts } from "./Noscript.ts"
import { type Outline, outline } from "./Outline.ts"
import { type PagePart, type ResourceFacts, resources } from "./Resources.ts"
import { flatten } from "./Shadow.ts"
import { type DataFault, microdataTypes, type StructuredDataBlock, structuredData } from "./StructuredData.ts"
import { collapse, keep, strip } from "./Text.ts"
import { type TextFacts, textFacts } from "./Texts.ts"
import {
  type BaseUrl,
  type CanonicalLink,
  type HreflangLink,
  type PageLink,
  parseReference,
  type RelationLink
} from "./UrlIdentity.ts"
import { childText } from "./Walk.ts"

/** The facts of one HTML document, read without running scripts; strings are capped copies, lists capped and in document order. */
export interface PageFacts {
  /** The final URL of the response. */
  readonly url: string
  readonly encoding: EncodingDecision
  /** Decoded and parsed bytes of the document. */
  readonly htmlBytes: number
  /** False when the parser's work budget ended before the document (hostile nesting). */
  readonly parsedWholly: boolean
  /** False without a DOCTYPE; `quirks` is the resulting mode. */
  readonly doctype: boolean
  readonly quirks: "no-quirks" | "limited-quirks" | "quirks"
  /** The `lang` attribute of `<html>`, trimmed; null when absent. */
  readonly lang: string | null
  /** The first `<base href>` as written, or null. */
  readonly base: string | null
  /** The base of the page's relative URLs (HTML standard, document base URL). */
  readonly baseUrl: string
  /** `document.title` by the HTML standard; null without a title element, `""` for an empty one. */
  readonly title: string | null
  /** Number of HTML `title` elements in the document. */
  readonly titles: number
  /** Whether the first title stood inside `<head>`. */
  readonly titleInHead: boolean
  /** Contents of all `meta[name=description]`, as written. */
  readonly descriptions: ReadonlyArray<string>
  /** `meta` elements in order, capped at 500. */
  readonly metas: ReadonlyArray<MetaFacts>
  /** `meta` elements for robots in general, or for Googlebot. */
  readonly robots: ReadonlyArray<RobotsMeta>
  readonly viewport: string | null
  /** The first `meta http-equiv=refresh` that the standard's algorithm accepts. */
  readonly refresh: Refresh | null
  readonly canonicals: ReadonlyArray<CanonicalLink>
  readonly hreflangs: ReadonlyArray<HreflangLink>
  /** `<link>` elements other than canonical and hreflang: next, prev, amphtml, icon, stylesheet … */
  readonly relations: ReadonlyArray<RelationLink>
  /** `a[href]`, `area[href]`, `iframe[src]`, `frame[src]`. */
  readonly links: ReadonlyArray<PageLink>
  /** Number of links, including links above the cap of `links`. */
  readonly linkCount: number
  readonly headings: ReadonlyArray<HeadingFacts>
  readonly images: ReadonlyArray<ImageFacts>
  readonly imageCount: number
  /** Number of visible, non-decorative images without an `alt` attribute or another name. */
  readonly imagesWithoutAlt: number
  /** The first hundred images without a name. */
  readonly muteImages: ReadonlyArray<MuteElement>
  /** Visible buttons without a name; capped at a hundred. */
  readonly muteButtons: ReadonlyArray<MuteElement>
  /** Displayed images without a size in the document, except vector graphics. */
  readonly imagesWithoutSize: number
  /** The first three images without a size. */
  readonly unsizedImages: ReadonlyArray<MuteElement>
  /** Sub-resources (scripts, styles, images, media, frames) in order. */
  readonly resources: ReadonlyArray<ResourceFacts>
  /** Images, styles and scripts on the page's own host: the first three hundred distinct ones. */
  readonly parts: ReadonlyArray<PagePart>
  /** Resources with a user name or a password in their URL. */
  readonly resourcesWithCredentials: ReadonlyArray<ResourceFacts>
  /** Sub-resources with an `http:` URL on an `https:` page. */
  readonly insecureResources: ReadonlyArray<ResourceFacts>
  /** URLs in attributes that are neither links nor loaded: form actions, pings, citations. */
  readonly mentions: ReadonlyArray<ResourceFacts>
  /** Number of scripts that run: classic ones and modules, without data blocks. */
  readonly scripts: number
  /** A hash of the scripts: the set of their URLs, the names in the code inside the document, and the components that they find in it; empty without scripts. */
  readonly scriptHash: string
  /** Whether the text for visitors without scripts says that the page needs them. */
  readonly asksForScripts: boolean
  readonly noscript: NoscriptFacts
  readonly structuredData: ReadonlyArray<StructuredDataBlock>
  /** Properties that search engines require and the JSON-LD lacks. */
  readonly dataFaults: ReadonlyArray<DataFault>
  /** `itemtype` names of microdata, distinct. */
  readonly microdataTypes: ReadonlyArray<string>
  /** Open Graph (`og:…`) and `twitter:…` metas, first content of each name. */
  readonly social: Readonly<Record<string, string>>
  readonly openGraph: OpenGraph
  /** Hashes of the fragment targets on the page; null when there are too many to keep. */
  readonly fragments: Int32Array | null
  readonly text: TextFacts
}

const stepLength = 32_768
/** Maximum nodes of one document, and maximum open elements: larger documents go to the HTML parser with its bounds. */
const maxNodes = 200_000
const maxDepth = 512

/** State of the XML parser. */
interface XmlState {
  isBroken: boolean
  hasDoctype: boolean
  nodes: number
  /** Start of the open noscript's content: with scripts its content is one text. */
  noscript: { readonly depth: number; readonly from: number } | null
}

/**
 * Parses XHTML by the rules of XML, as browsers do by its content type: empty elements close themselves, names are case-sensitive, CDATA is text. Null when
 * the document is not well-formed or its root is not XHTML: a browser shows an error there, and the HTML parser finds the content of a repaired page. Only
 * XML's own five entities are known.
 */
function* parseXml(text: string): Steps<ParsedDocument | null> {
  const document = leanDocument()
  const open: Array<DomParent> = [document]
  const state: XmlState = { isBroken: false, hasDoctype: false, nodes: 0, noscript: null }
  const add = (node: Parameters<DomParent["insertBefore"]>[0]) => {
    if (++state.nodes > maxNodes) state.isBroken = true
    else if (state.noscript === null) open.at(-1)?.insertBefore(node, null)
  }
  const parser = new SaxesParser<{ xmlns: true }>({ xmlns: true })
  parser.on("error", () => {
    state.isBroken = true
  })
  parser.on("doctype", () => {
    state.hasDoctype = true
  })
  parser.on("opentag", ({ attributes, local, uri }) => {
    const element = document.createElement(local, uri)
    for (const { name, value } of Object.values(attributes)) {
      element.setAttribute(name, value)
      if (name === "xml:lang" && !Object.hasOwn(attributes, "lang")) element.setAttribute("lang", value)
    }
    add(element)
    open.push(element)
    if (local === "noscript" && uri === html.NS.HTML) state.noscript ??= { depth: open.length, from: parser.position }
    if (open.length > maxDepth || (open.length === 2 && uri !== html.NS.HTML)) state.isBroken = true
  })
  parser.on("closetag", () => {
    if (state.noscript?.depth === open.length) {
      const content = text.slice(state.noscript.from, text.lastIndexOf("<", parser.position - 1))
      state.noscript = null
      add(document.createTextNode(content))
    }
    open.pop()
  })
  const say = (data: string) => {
    if (open.length > 1) add(document.createTextNode(data))
  }
  parser.on("text", say)
  parser.on("cdata", say)
  for (let at = 0; at < text.length && !state.isBroken; at += stepLength) {
    parser.write(text.slice(at, at + stepLength))
    yield stepLength
  }
  if (!state.isBroken) parser.close()
  return state.isBroken ? null : { document, doctype: state.hasDoctype, quirks: "no-quirks", wholly: true }
}

/** A page's response body with its final URL and the charset parameter of its Content-Type. */
interface PageSource {
  readonly url: string
  readonly bytes: Uint8Array
  readonly charset: string | null
  /** The document was sent as XHTML, so it is parsed as XML. */
  readonly isXml?: boolean
}

/** The first `<base href>`, and the base of relative URLs (HTML standard §2.4.3, document base URL). */
const baseOf = ({ elements }: Outline, url: string, encoding: string) => {
  const first = elements.find(
    ({ element, name, namespace }) => name === "base" && namespace === html.NS.HTML && element.hasAttribute("href")
  )
  const href = first?.element.getAttribute("href") ?? null
  const base = href === null ? null : parseReference(href, { href: url, encoding })
  const isUsable = base !== null && base.protocol !== "data:" && base.protocol !== "javascript:"
  return { base: href === null ? null : shownReference(href), baseUrl: isUsable ? base.href : url }
}

/** The title by the standard's rule: the first title element's own text, stripped and collapsed. */
const titleOf = ({ elements }: Outline) => {
  const titles = elements.filter(({ name, namespace }) => name === "title" && namespace === html.NS.HTML)
  const first = titles[0]
  return {
    title: first === undefined ? null : keep(collapse(childText(first.element)), 1000),
    titles: titles.length,
    titleInHead: first?.inHead ?? false
  }
}

/** Types of scripts that run (HTML standard §4.12.1); any other type makes a data block. */
const executable = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i

const wish =
  /(?:enabl|requir|need|turn on|without|disabl|a[ck]tiv|benötig|nécess|necesit|habilit|включ).{0,40}java\s?script|java\s?script.{0,40}(?:enabl|requir|need|disabl|a[ck]tiv|habilit|необходим|有効|必要|启用)/i

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}

const quotes = new Set([34, 39, 96])

/** Whether a sign belongs to a name or a number: letters, digits, `$`, `_`, and all beyond ASCII. */
const isOfWord = (sign: number): boolean =>
  (sign > 47 && sign < 58) ||
  (sign > 64 && sign < 91) ||
  (sign > 96 && sign < 123) ||
  sign === 36 ||
  sign === 95 ||
  sign > 127

/** The end of the string that begins at a quote. */
const endOfString = (code: string, start: number): number => {
  const quote = code.charCodeAt(start)
  for (let at = start + 1; at < code.length; at++) {
    const sign = code.charCodeAt(at)
    if (sign === quote) return at
    // A backslash takes the next sign with it.
    if (sign === 92) at++
  }
  return code.length
}

/** Adds the names in a script, as hashes. Strings and numbers are data of one page, such as the payload that Next.js writes into each. */
const addNames = (code: string, names: Set<number>): void => {
  for (let at = 0; at < code.length; at++) {
    const sign = code.charCodeAt(at)
    if (quotes.has(sign)) at = endOfString(code, at)
    if (!isOfWord(sign)) continue
    let hash = hashOf("")
    for (; isOfWord(code.charCodeAt(at)); at++) hash = Math.imul(hash ^ code.charCodeAt(at), 0x01000193) >>> 0
    if (sign < 48 || sign > 57) names.add(hash)
    at--
  }
}

/** Attributes that name a component to scripts that are the same on all pages: of Astro's islands, and of Stimulus. */
const componentNames = ["component-url", "data-controller"]

/** Components that the scripts of a page find in it: custom elements, and those that attributes name. */
const components = ({ elements }: Pick<Outline, "elements">): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const { element, name } of elements) {
    if (name.includes("-")) found.add(name)
    for (const attribute of componentNames) {
      const value = element.getAttribute(attribute)
      if (value !== null) found.add(`${attribute} ${value}`)
    }
  }
  return found
}

/** Number and hash of the scripts that run, and whether the text without scripts asks for them. */
const scripts = ({ body, elements }: Outline, noscript: NoscriptFacts, base: BaseUrl) => {
  const running = elements.filter(
    ({ element, name, namespace }) =>
      name === "script" && namespace === html.NS.HTML && executable.test(strip(element.getAttribute("type") ?? ""))
  )
  const addresses = new Set<string>()
  const names = new Set<number>()
  for (const { element } of running) {
    const src = element.getAttribute("src")
    if (src === null) addNames(childText(element), names)
    else addresses.add(parseReference(src, base)?.href ?? src)
  }
  const parts = [...addresses, ...components({ elements }), ...Array.from(names, String)]
  return {
    scripts: running.length,
    scriptHash: running.length === 0 ? "" : hashOf(parts.sort().join("\n")).toString(36),
    asksForScripts: wish.test(`${noscript.text} ${body.slice(0, 300)}`)
  }
}

const langOf = ({ elements }: Outline): string | null => {
  const lang = elements[0]?.element.getAttribute("lang") ?? null
  return lang === null ? null : keep(strip(lang), 50)
}

interface Text {
  readonly url: string
  readonly text: string
  readonly encoding: EncodingDecision
  readonly htmlBytes: number
  readonly isXml: boolean
}

function* readingText({ encoding, htmlBytes, isXml, text, url }: Text): Steps<PageFacts> {
  const parsed = (isXml ? yield* parseXml(text) : null) ?? (yield* parseDocument(text))
  yield text.length
  yield* flatten(text, parsed.document)
  const document = outline(parsed)
  yield text.length
  const ofText = textFacts(document)
  yield text.length
  const { base, baseUrl } = baseOf(document, url, encoding.name)
  const against: BaseUrl = { href: baseUrl, encoding: encoding.name }
  const found = metas(document)
  const { count: linkCount, links: followed } = yield* links(document, against)
  const linked = new Set(followed.flatMap(({ target }) => (target.followable ? [target.url] : [])))
  const noscript = yield* noscripts({ document, base: against, self: url, linked })
  const facts: PageFacts = {
    url,
    encoding,
    htmlBytes,
    parsedWholly: parsed.wholly,
    doctype: parsed.doctype,
    quirks: parsed.quirks,
    lang: langOf(document),
    base,
    baseUrl,
    ...titleOf(document),
    descriptions: contentsOf(found, "description"),
    metas: found,
    robots: robotsMetas(found),
    viewport: contentsOf(found, "viewport")[0] ?? null,
    refresh: metaRefresh(found, against, url),
    ...linkElements(document, against),
    links: followed,
    linkCount,
    headings: yield* headings(document),
    ...(yield* images(document, against)),
    muteButtons: yield* muteButtons(document),
    ...resources(document, against, url),
    ...scripts(document, noscript, against),
    noscript,
    ...structuredData(document),
    microdataTypes: microdataTypes(document),
    social: social(found),
    openGraph: openGraph(document),
    fragments: fragmentHashes(document),
    text: ofText
  }
  dismantle(parsed.document)
  return facts
}

/** Reads decoded HTML text. */
export const readText = (url: string, text: string, encoding: EncodingDecision, htmlBytes: number): PageFacts =>
  finish(readingText({ url, text, encoding, htmlBytes, isXml: false }))

/** Reads the document that a browser made of a page. Its encoding is that of the page, whose links are written in it. */
export const readingDocument = (
  page: Pick<PageFacts, "encoding" | "htmlBytes" | "url">,
  text: string
): Steps<PageFacts> => readingText({ ...page, text, isXml: false })

/** Reads a page from its bytes: encoding, tree, facts. Any bytes give facts. */
export function* readingPage({ bytes, charset, isXml = false, url }: PageSource): Steps<PageFacts> {
  const decided = yield* deciding(bytes, charset)
  // XML without a declaration is UTF-8 (XML 1.0 §4.3.3).
  const encoding = isXml && decided.source === "fallback" ? ({ name: "utf-8", source: "prescan" } as const) : decided
  const text = decode(bytes, encoding.name)
  yield bytes.length / 8
  return yield* readingText({ url, text, encoding, htmlBytes: bytes.length, isXml })
}

/** Reads a page in one step. */
export const readPage = (source: PageSource): PageFacts => finish(readingPage(source))
