import { type DefaultTreeAdapterTypes, html, parse } from "parse5"
import type { Folder } from "./Folder.ts"

/** The content of one document, read by a plain walk over parse5's own tree, without code of the crawler. */
export interface Said {
  readonly title: string | null
  readonly links: ReadonlyArray<string>
  /** URLs of its canonical, language versions and next page. */
  readonly references: ReadonlyArray<string>
  readonly canonicals: ReadonlyArray<string>
  /** Target of an immediate refresh. */
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

/** Encodings that current pages still use. */
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

/** A URL in normalized form: without fragment, escapes in upper case, unreserved characters unescaped. */
export const spelled = (url: URL): string =>
  url.href
    .replace(/#.*$/s, "")
    .replace(/%[0-9a-f]{2}/gi, (escape) =>
      /%(?:2D|2E|5F|7E|3\d|[46][1-9A-F]|[57][0-9A])/i.test(escape) && !/%3[A-F]/i.test(escape)
        ? decodeURIComponent(escape)
        : escape.toUpperCase()
    )

/** Reads a document that was returned for a URL. */
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

/** The truth about one URL, from the files alone. */
export interface Expected {
  readonly url: string
  readonly status: number
  readonly redirectTo: string | null
  readonly title: string | null
  readonly canonical: string | null
  /** The other pages that link to it. */
  readonly linkers: ReadonlySet<string>
}

/** The truth about a site, from the files alone. */
export interface Truth {
  readonly pages: ReadonlyMap<string, Expected>
  /** Each broken URL with all pages that link to it, also through redirects. */
  readonly dead: ReadonlyMap<string, ReadonlySet<string>>
  /** Pages of the sitemap without links to them. */
  readonly orphans: ReadonlySet<string>
}

const listed = (folder: Folder): ReadonlyArray<string> => {
  const { body, status } = folder.answer("/sitemap.xml")
  if (status !== 200) return []
  const locations = [...body.toString("utf8").matchAll(/<loc>\s*([^<]+?)\s*<\/loc>/g)]
  return locations.flatMap(([, text = ""]) => {
    const url = URL.parse(text.replaceAll("&amp;", "&"))
    return url === null ? [] : [spelled(url)]
  })
}

/** Visits everything that the start page leads to and the sitemap lists. */
export const expected = (folder: Folder, start: URL): Truth => {
  const pages = new Map<string, Expected>()
  const linkers = new Map<string, Set<string>>()
  const waiting: Array<string> = []
  const known = new Set<string>()
  const meet = (url: string) => {
    if (!URL.canParse(url) || new URL(url).origin !== start.origin || known.has(url)) return
    known.add(url)
    waiting.push(url)
  }
  const sitemap = listed(folder)
  for (const url of [spelled(start), ...sitemap]) meet(url)
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    const { body, location, status, type } = folder.answer(new URL(url).pathname)
    const said: Said | null = status === 200 && /^(?:text\/html|application\/xhtml)/.test(type) ? read(body, url) : null
    const onward = location === null ? (said?.refresh ?? null) : spelled(new URL(location, url))
    const redirectTo = onward === url ? null : onward
    if (redirectTo !== null) meet(redirectTo)
    for (const link of said?.links ?? []) {
      meet(link)
      if (link !== url) linkers.set(link, (linkers.get(link) ?? new Set()).add(url))
    }
    for (const reference of said?.references ?? []) meet(reference)
    pages.set(url, {
      url,
      status,
      redirectTo,
      title: said?.title ?? null,
      canonical: said?.canonicals[0] ?? null,
      linkers: new Set()
    })
  }
  for (const page of pages.values()) pages.set(page.url, { ...page, linkers: linkers.get(page.url) ?? new Set() })
  return { pages, dead: deadOf(pages), orphans: orphansOf(pages, sitemap, start) }
}

const endOf = (pages: ReadonlyMap<string, Expected>, url: string): string => {
  const seen = new Set<string>()
  let end = url
  for (let next = pages.get(end)?.redirectTo ?? null; next !== null && !seen.has(next); ) {
    seen.add(next)
    end = next
    next = pages.get(end)?.redirectTo ?? null
  }
  return end
}

const deadOf = (pages: ReadonlyMap<string, Expected>): Truth["dead"] => {
  const dead = new Map<string, Set<string>>()
  for (const { linkers, url } of pages.values()) {
    const end = endOf(pages, url)
    if ((pages.get(end)?.status ?? 0) < 400 || linkers.size === 0) continue
    const all = dead.get(end) ?? new Set()
    for (const linker of linkers) all.add(linker)
    dead.set(end, all)
  }
  return dead
}

const orphansOf = (
  pages: ReadonlyMap<string, Expected>,
  sitemap: ReadonlyArray<string>,
  start: URL
): ReadonlySet<string> => {
  const credited = new Set<string>()
  for (const { canonical, linkers, url } of pages.values()) {
    if (linkers.size === 0) continue
    credited.add(url)
    credited.add(endOf(pages, url))
    if (canonical !== null) credited.add(canonical)
  }
  // A folder and its index file are one page: a link to either is a link to both.
  for (const url of [...credited])
    credited.add(url.endsWith("/") ? `${url}index.html` : url.replace(/\/index\.html$/, "/"))
  const isPage = (url: string) => {
    const page = pages.get(url)
    return page?.status === 200 && page.redirectTo === null && (page.canonical ?? url) === url
  }
  return new Set(sitemap.filter((url) => isPage(url) && !credited.has(url) && url !== start.href))
}
