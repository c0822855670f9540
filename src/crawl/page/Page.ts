import { html } from "parse5"
import { finish, type Steps } from "../../foundation/schema/Steps.ts"
import { links } from "./Anchors.ts"
import { muteButtons } from "./Buttons.ts"
import { deciding, type EncodingDecision } from "./Encoding.ts"
import { fragmentHashes } from "./Fragments.ts"
import { headings, images } from "./Images.ts"
import { decode } from "./Labels.ts"
import { dismantle } from "./LeanDom.ts"
import { linkElements } from "./LinkElements.ts"
import { contentsOf, metaRefresh, metas, robotsMetas, social } from "./Metas.ts"
import { openGraph } from "./OpenGraph.ts"
import { type Outline, outline } from "./Outline.ts"
import type { PageFacts } from "./PageFacts.ts"
import { parseDocument } from "./Parsing.ts"
import { resources } from "./Resources.ts"
import { collapse, keep, maxUrl, strip } from "./Strings.ts"
import { microdataTypes, structuredData } from "./StructuredData.ts"
import { textFacts } from "./TextFacts.ts"
import { type BaseUrl, parseReference } from "./UrlIdentity.ts"
import { childText } from "./Walk.ts"
import { parseXml } from "./XmlDocument.ts"

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
  return { base: href === null ? null : keep(strip(href), maxUrl), baseUrl: isUsable ? base.href : url }
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

/** How many scripts the document runs, and whether what it shows without them asks for them. */
const scripts = ({ body, elements, noscript }: Outline) => ({
  scripts: elements.filter(
    ({ element, name, namespace }) =>
      name === "script" && namespace === html.NS.HTML && executable.test(strip(element.getAttribute("type") ?? ""))
  ).length,
  asksForScripts: wish.test(`${noscript} ${body.slice(0, 300)}`)
})

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
  const document = yield* outline(parsed)
  yield document.elements.length
  const { base, baseUrl } = baseOf(document, url, encoding.name)
  const against: BaseUrl = { href: baseUrl, encoding: encoding.name }
  const found = metas(document)
  const { count: linkCount, links: followed } = yield* links(document, against)
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
    ...(yield* resources(document, against, url)),
    ...scripts(document),
    ...(yield* structuredData(document)),
    microdataTypes: yield* microdataTypes(document),
    social: social(found),
    openGraph: yield* openGraph(document),
    fragments: yield* fragmentHashes(document),
    text: yield* textFacts(document)
  }
  dismantle(parsed.document)
  return facts
}

/** Reads HTML text that has been decoded already. */
export const readText = (url: string, text: string, encoding: EncodingDecision, htmlBytes: number): PageFacts =>
  finish(readingText({ url, text, encoding, htmlBytes, isXml: false }))

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
