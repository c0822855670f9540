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

/** What one HTML document says, read without running scripts; strings are capped copies, lists capped and in document order. */
export interface PageFacts {
  /** The final URL the bytes came from. */
  readonly url: string
  readonly encoding: EncodingDecision
  /** Bytes of the document that were decoded and parsed. */
  readonly htmlBytes: number
  /** False when the parser's work budget ended before the document did (hostile nesting). */
  readonly parsedWholly: boolean
  /** False when there was no DOCTYPE; `quirks` is the mode that follows from it. */
  readonly doctype: boolean
  readonly quirks: "no-quirks" | "limited-quirks" | "quirks"
  /** The `lang` attribute of `<html>`, trimmed; null when absent. */
  readonly lang: string | null
  /** The first `<base href>` as written, or null. */
  readonly base: string | null
  /** What relative URLs of this page resolve against (HTML standard, document base URL). */
  readonly baseUrl: string
  /** `document.title` by the HTML standard; null when there is no title element, `""` when it is empty. */
  readonly title: string | null
  /** Number of HTML `title` elements in the document. */
  readonly titles: number
  /** Whether the first title stood inside `<head>`. */
  readonly titleInHead: boolean
  /** Contents of all `meta[name=description]`, as written. */
  readonly descriptions: ReadonlyArray<string>
  /** `meta` elements in order, capped at 500. */
  readonly metas: ReadonlyArray<MetaFacts>
  /** `meta` elements that address robots in general, or googlebot. */
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
  /** How many links the document has, also those above the cap of `links`. */
  readonly linkCount: number
  readonly headings: ReadonlyArray<HeadingFacts>
  readonly images: ReadonlyArray<ImageFacts>
  readonly imageCount: number
  /** Images with neither an `alt` attribute nor another name, decoration and what is hidden left out. */
  readonly imagesWithoutAlt: number
  /** The first hundred of them. */
  readonly muteImages: ReadonlyArray<MuteElement>
  /** Buttons that nothing names, what is hidden left out; capped at a hundred. */
  readonly muteButtons: ReadonlyArray<MuteElement>
  /** Displayed images, no vector graphics, whose size nothing in the document says. */
  readonly imagesWithoutSize: number
  /** The first three of them. */
  readonly unsizedImages: ReadonlyArray<MuteElement>
  /** Sub-resources (scripts, styles, images, media, frames) in order. */
  readonly resources: ReadonlyArray<ResourceFacts>
  /** Images, styles and scripts on the page's own host: the first three hundred that differ. */
  readonly parts: ReadonlyArray<PagePart>
  /** Those of them whose address has a user name or a password. */
  readonly resourcesWithCredentials: ReadonlyArray<ResourceFacts>
  /** Sub-resources addressed by `http:` on an `https:` page. */
  readonly insecureResources: ReadonlyArray<ResourceFacts>
  /** Addresses in attributes that are neither links nor loaded: form actions, pings, citations. */
  readonly mentions: ReadonlyArray<ResourceFacts>
  /** Scripts that run: classic ones and modules, data blocks left out. */
  readonly scripts: number
  /** What they are: a hash of the set of their addresses and of the code inside the document; empty without scripts. */
  readonly scriptHash: string
  /** Whether what is shown without scripts says that the page needs them. */
  readonly asksForScripts: boolean
  readonly noscript: NoscriptFacts
  readonly structuredData: ReadonlyArray<StructuredDataBlock>
  /** What its JSON-LD lacks of what search engines require. */
  readonly dataFaults: ReadonlyArray<DataFault>
  /** `itemtype` names of microdata, distinct. */
  readonly microdataTypes: ReadonlyArray<string>
  /** Open Graph (`og:…`) and `twitter:…` metas, first content of each name. */
  readonly social: Readonly<Record<string, string>>
  readonly openGraph: OpenGraph
  /** Hashes of the names by which links reach parts of the page; null when it has too many to keep. */
  readonly fragments: Int32Array | null
  readonly text: TextFacts
}

const stepLength = 32_768
/** Nodes of one document, and elements open at once: beyond either it is left to the HTML parser and its bounds. */
const maxNodes = 200_000
const maxDepth = 512

/** What the parser of XML has met so far. */
interface XmlState {
  isBroken: boolean
  hasDoctype: boolean
  nodes: number
  /** Where the content of the noscript that is open begins: with scripts, nothing in it is shown, so it is one text. */
  noscript: { readonly depth: number; readonly from: number } | null
}

/**
 * Parses XHTML by the rules of XML, as browsers do by its content type: empty elements close themselves, names have case, CDATA
 * is text. Null when it is not well-formed or its root is not XHTML's: there a browser shows an error, and the HTML parser
 * still finds what a visitor of a repaired page would see. Entities beyond XML's own five are unknown here.
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

/** A response body to read as a page: its final URL, and the charset parameter of its Content-Type. */
interface PageSource {
  readonly url: string
  readonly bytes: Uint8Array
  readonly charset: string | null
  /** The document was sent as XHTML, which is parsed as XML. */
  readonly isXml?: boolean
}

/** The first `<base href>` and what it makes relative URLs resolve against (HTML standard §2.4.3, document base URL). */
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

/** Types by which a script element is run (HTML standard §4.12.1); any other makes it a block of data. */
const executable = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i

const wish =
  /(?:enabl|requir|need|turn on|without|disabl|a[ck]tiv|benötig|nécess|necesit|habilit|включ).{0,40}java\s?script|java\s?script.{0,40}(?:enabl|requir|need|disabl|a[ck]tiv|habilit|необходим|有効|必要|启用)/i

/** FNV-1a. */
const hashOf = (text: string, from = 0x811c9dc5): number => {
  let hash = from
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}

/** The scripts that the document runs, and whether what it shows without them asks for them. */
const scripts = ({ body, elements }: Outline, noscript: NoscriptFacts, base: BaseUrl) => {
  const running = elements.filter(
    ({ element, name, namespace }) =>
      name === "script" && namespace === html.NS.HTML && executable.test(strip(element.getAttribute("type") ?? ""))
  )
  const addresses = new Set<string>()
  let code = hashOf("")
  for (const { element } of running) {
    const src = element.getAttribute("src")
    if (src === null) code = hashOf(childText(element), code)
    else addresses.add(parseReference(src, base)?.href ?? src)
  }
  return {
    scripts: running.length,
    scriptHash: running.length === 0 ? "" : hashOf([...addresses].sort().join("\n"), code).toString(36),
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

/** Reads HTML text that has been decoded already. */
export const readText = (url: string, text: string, encoding: EncodingDecision, htmlBytes: number): PageFacts =>
  finish(readingText({ url, text, encoding, htmlBytes, isXml: false }))

/** Reads the document that a browser made of a page. Its encoding is that of the page, whose links are written in it. */
export const readingDocument = (
  page: Pick<PageFacts, "encoding" | "htmlBytes" | "url">,
  text: string
): Steps<PageFacts> => readingText({ ...page, text, isXml: false })

/** Reads a page from its bytes: encoding, tree, facts. It is total: whatever the bytes, there are facts. */
export function* readingPage({ bytes, charset, isXml = false, url }: PageSource): Steps<PageFacts> {
  const decided = yield* deciding(bytes, charset)
  // XML without a declaration is UTF-8 (XML 1.0 §4.3.3).
  const encoding = isXml && decided.source === "fallback" ? ({ name: "utf-8", source: "prescan" } as const) : decided
  const text = decode(bytes, encoding.name)
  yield bytes.length / 8
  return yield* readingText({ url, text, encoding, htmlBytes: bytes.length, isXml })
}

/** The same at once. */
export const readPage = (source: PageSource): PageFacts => finish(readingPage(source))
