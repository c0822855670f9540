import { type DefaultTreeAdapterTypes, html, parse } from "parse5"

/** What one document says, read by the plainest walk over parse5's own tree: no code of the crawler has a part in it. */
export interface Said {
  readonly title: string | null
  readonly links: ReadonlyArray<string>
  /** Addresses that it names as canonical, language version or next page. */
  readonly references: ReadonlyArray<string>
  readonly canonicals: ReadonlyArray<string>
  /** Where an immediate refresh leads. */
  readonly refresh: string | null
  readonly noindex: boolean
}

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document
type Element = DefaultTreeAdapterTypes.Element

const isElement = (node: Node): node is Element => "tagName" in node

const attribute = (element: Element, name: string): string | null =>
  element.attrs.find((each) => each.name === name && (each.prefix ?? "") === "")?.value ??
  element.attrs.find((each) => `${each.prefix ?? ""}:${each.name}` === name)?.value ??
  null

const elementsOf = (document: Node): ReadonlyArray<Element> => {
  const found: Array<Element> = []
  const waiting: Array<Node> = [document]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isElement(node)) found.push(node)
    if ("childNodes" in node) waiting.push(...node.childNodes.toReversed())
  }
  return found
}

const hrefOf = (element: Element): string | null => {
  if (element.tagName === "a" && element.namespaceURI === html.NS.SVG)
    return attribute(element, "href") ?? attribute(element, "xlink:href")
  if (element.namespaceURI !== html.NS.HTML) return null
  if (element.tagName === "a" || element.tagName === "area") return attribute(element, "href")
  return element.tagName === "iframe" || element.tagName === "frame" ? attribute(element, "src") : null
}

const textIn = (element: Element): string =>
  element.childNodes.map((child) => ("value" in child && child.nodeName === "#text" ? child.value : "")).join("")

const spaced = (text: string): string => text.replace(/[\t\n\f\r ]+/g, " ").replace(/^ | $/g, "")

/** Encodings that pages of our day are still written in. */
const encodings = [
  "utf-8",
  "iso-8859-1",
  "iso-8859-2",
  "iso-8859-15",
  "windows-1250",
  "windows-1251",
  "koi8-r",
  "shift_jis",
  "euc-jp",
  "gb2312",
  "gbk",
  "big5",
  "euc-kr"
] as const

const decoded = (bytes: Uint8Array): string => {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1")
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const label = isMarked ? "utf-8" : (/<meta[^>]+charset=["']?([\w-]+)/i.exec(start)?.[1] ?? "windows-1252")
  return new TextDecoder(encodings.find((each) => each === label.toLowerCase()) ?? "windows-1252").decode(bytes)
}

const parsed = (reference: string, base: string): URL | null => URL.parse(reference, base)

/** The one spelling of an address: no fragment, escapes in capitals and of unreserved characters undone. */
export const spelled = (url: URL): string =>
  url.href
    .replace(/#.*$/s, "")
    .replace(/%[0-9a-f]{2}/gi, (escape) =>
      /%(?:2D|2E|5F|7E|3\d|[46][1-9A-F]|[57][0-9A])/i.test(escape) && !/%3[A-F]/i.test(escape)
        ? decodeURIComponent(escape)
        : escape.toUpperCase()
    )

/** Reads a document that was answered at an address. */
export const read = (bytes: Uint8Array, address: string): Said => {
  const elements = elementsOf(parse(decoded(bytes), { scriptingEnabled: false }))
  const ofHtml = (name: string) =>
    elements.filter((element) => element.tagName === name && element.namespaceURI === html.NS.HTML)
  const href = ofHtml("base").map((element) => attribute(element, "href"))[0] ?? null
  const base = (href === null ? null : parsed(href, address)?.href) ?? address
  const resolved = (references: ReadonlyArray<string | null>) =>
    references.flatMap((reference) => {
      const url = reference === null ? null : parsed(reference, base)
      return url !== null && /^https?:$/.test(url.protocol) ? [spelled(url)] : []
    })
  const related = (rel: string) =>
    ofHtml("link").filter((element) => (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/).includes(rel))
  const canonicals = resolved(related("canonical").map((element) => attribute(element, "href")))
  const versions = related("alternate").filter((element) => attribute(element, "hreflang") !== null)
  const metas = ofHtml("meta").map((element) => ({
    key: (attribute(element, "name") ?? attribute(element, "http-equiv") ?? "").toLowerCase(),
    content: attribute(element, "content") ?? ""
  }))
  const refresh = metas.find(({ key }) => key === "refresh")?.content ?? ""
  const [, target = null] = /^\s*0*(?:\.\d*)?\s*[;,\s]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(refresh) ?? []
  const title = ofHtml("title")[0]
  return {
    title: title === undefined ? null : spaced(textIn(title)),
    links: resolved(elements.map(hrefOf)),
    references: [
      ...canonicals,
      ...resolved([...versions, ...related("next")].map((element) => attribute(element, "href")))
    ],
    canonicals,
    refresh: target === null || target === "" ? null : (resolved([target])[0] ?? null),
    noindex: metas.some(({ content, key }) => key === "robots" && /noindex|none/i.test(content))
  }
}
