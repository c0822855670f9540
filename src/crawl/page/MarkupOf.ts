import { type DomElement, type DomNode, isElement, isText } from "./Dom.ts"
import { LeanElement } from "./LeanDom.ts"
import { squeeze } from "./Strings.ts"

/** Characters that are shown of an element. */
export const maxMarkup = 300
const more = "…"

const empty = new Set(["area", "base", "br", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;")

const attribute = (name: string, value: string, room: number): string =>
  value === "" ? ` ${name}` : ` ${name}="${value.slice(0, room).replace(/&/g, "&amp;").replace(/"/g, "&quot;")}"`

/** The attributes in the order in which they are written; linkedom has the last one first. */
const attributeNames = (element: DomElement): ReadonlyArray<string> => {
  const names = [...element.getAttributeNames()]
  return element instanceof LeanElement ? names : names.reverse()
}

/** A start tag up to a number of characters: its class, then the other attributes. */
const startTag = (element: DomElement, room: number): string => {
  const { classText } = element
  let text = `<${element.localName}${classText === undefined ? "" : attribute("class", classText, room)}`
  for (const name of attributeNames(element)) {
    if (text.length > room) return text
    text += attribute(name, element.getAttribute(name) ?? "", room)
  }
  return `${text}>`
}

/** Writes an element and what it contains until there is no more room; an element that found none ends open. */
const write = (node: DomNode, room: number, depth: number): string => {
  if (isText(node)) return escaped(squeeze(node.data.slice(0, 4 * room)))
  if (!isElement(node)) return ""
  let text = startTag(node, room)
  if (empty.has(node.localName)) return text
  for (let child = node.firstChild; child !== null && text.length <= room; child = child.nextSibling) {
    text += depth > 0 ? write(child, room - text.length, depth - 1) : more
  }
  return text.length > room ? text : `${text}</${node.localName}>`
}

/** How deep contents are shown. */
const maxDepth = 8

/** An element with its contents as HTML, at most `maxMarkup` characters: what is longer ends with an ellipsis. */
export const markupOf = (element: DomElement): string => {
  const text = write(element, maxMarkup, maxDepth)
  return text.length <= maxMarkup ? text : `${text.slice(0, maxMarkup - more.length)}${more}`
}
