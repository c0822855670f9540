import { type DefaultTreeAdapterTypes, parse } from "parse5"

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const isElement = (node: Node): node is Element => "tagName" in node

/** Every element of parse5's own tree in document order, with its ancestors; the tree has no contents of templates. */
const elementsOf = (text: string): ReadonlyArray<{ readonly element: Element; readonly isInHead: boolean }> => {
  const found: Array<{ readonly element: Element; readonly isInHead: boolean }> = []
  const waiting: Array<{ readonly node: Node; readonly isInHead: boolean }> = [
    { node: parse(text, { scriptingEnabled: true }), isInHead: false }
  ]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { isInHead, node } = next
    if (isElement(node)) found.push({ element: node, isInHead })
    const children = "childNodes" in node ? node.childNodes : []
    const inside = isInHead || (isElement(node) && node.tagName === "head")
    for (const child of children.toReversed()) waiting.push({ node: child, isInHead: inside })
  }
  return found
}

/** Names of attributes as written. */
const writtenName = ({ name, prefix }: Element["attrs"][number]): string => (prefix ? `${prefix}:${name}` : name)

/** Elements with sorted attributes except `class`, their ends and texts in document order; of templates only declarative shadow roots are shown. */
export const referenceTree = (text: string): ReadonlyArray<unknown> => {
  const met: Array<unknown> = []
  const visit = (node: Node): void => {
    if ("value" in node) met.push(node.value)
    if (!isElement(node)) return
    const attributes = node.attrs
      .filter(({ name }) => name !== "class")
      .map((each) => [writtenName(each), each.value.toWellFormed()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    met.push([node.tagName, node.namespaceURI, attributes.length > 0, ...attributes])
    const isShown = node.attrs.some(({ name, value }) => name === "shadowrootmode" && /^(?:open|closed)$/i.test(value))
    const inside = "content" in node && isShown ? [...node.childNodes, ...node.content.childNodes] : node.childNodes
    for (const child of inside) visit(child)
    met.push(`/${node.tagName}`)
  }
  for (const node of parse(text, { scriptingEnabled: true }).childNodes) visit(node)
  return met
}

const html = "http://www.w3.org/1999/xhtml"
const svg = "http://www.w3.org/2000/svg"
const blank = /^[\t\n\f\r ]+|[\t\n\f\r ]+$/g

const attributeOf = (element: Element, name: string): string | null =>
  element.attrs.find((attribute) => [attribute.prefix, attribute.name].filter(Boolean).join(":") === name)?.value ??
  null

const resolved = (reference: string, base: string): string | null =>
  URL.canParse(reference, base) ? new URL(reference, base).href : null

const withoutFragment = (href: string | null): string | null => href?.replace(/#.*$/s, "") ?? null

/** The facts of a page, read from parse5's default tree by code that shares nothing with the tested code. */
export const reference = (text: string, url: string) => {
  const all = elementsOf(text)
  const named = (name: string) => all.filter(({ element }) => element.tagName === name && element.namespaceURI === html)
  const baseHref = named("base").flatMap(({ element }) => attributeOf(element, "href") ?? [])[0]
  const candidate = baseHref === undefined ? null : resolved(baseHref, url)
  const base = candidate === null || /^(?:data|javascript):/.test(candidate) ? url : candidate
  const titles = named("title")
  const titleText = titles[0]?.element.childNodes.map((child) => ("value" in child ? child.value : "")).join("")
  return {
    base,
    title: titleText?.replace(/[\t\n\f\r ]+/g, " ").replace(/^ | $/g, "") ?? null,
    titles: titles.length,
    links: all.flatMap(({ element }) => {
      const isLink = ["a", "area", "iframe", "frame"].includes(element.tagName) && element.namespaceURI === html
      const isSvgLink = element.tagName === "a" && element.namespaceURI === svg
      const attribute = element.tagName.endsWith("frame") ? "src" : "href"
      const value = isLink || isSvgLink ? attributeOf(element, attribute) : null
      const href = isSvgLink ? (value ?? attributeOf(element, "xlink:href")) : value
      return href === null ? [] : [{ kind: element.tagName, raw: href.replace(blank, ""), url: resolved(href, base) }]
    }),
    metas: named("meta").map(({ element, isInHead }) => ({
      name: attributeOf(element, "name"),
      content: attributeOf(element, "content"),
      httpEquiv: attributeOf(element, "http-equiv"),
      isInHead
    })),
    canonicals: named("link").flatMap(({ element, isInHead }) => {
      const href = attributeOf(element, "href")
      const rel = (attributeOf(element, "rel") ?? "").toLowerCase().split(/[\t\n\f\r ]+/)
      return href !== null && rel.includes("canonical")
        ? [{ raw: href.replace(blank, ""), url: withoutFragment(resolved(href, base)), isInHead }]
        : []
    }),
    headings: all.filter(({ element }) => /^h[1-6]$/.test(element.tagName) && element.namespaceURI === html).length,
    images: named("img").length
  }
}
