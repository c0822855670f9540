import { maskedReference, maskedText } from "./Credentials.ts"
import { type DomElement, type DomNode, type DomText, isElement, isText } from "./Dom.ts"
import { LeanElement } from "./HtmlParser.ts"
import { squeeze } from "./Text.ts"

/** Maximum characters of shown markup. */
export const maxMarkup = 300
const more = "…"

const empty = new Set(["area", "base", "br", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])

/** Elements with unescaped text (HTML standard §13.3, serialising fragments, with scripting). */
const rawText = new Set(["iframe", "noembed", "noframes", "noscript", "script", "style", "xmp"])

/** Characters beyond the limit to search for the end of a user name or password. */
const beyond = 1000

/** Text of an element, cut for display. */
const textOf = ({ data }: DomText, room: number): string => maskedText(squeeze(data.slice(0, 4 * room + beyond)))

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;")

const attribute = (name: string, value: string, room: number): string => {
  if (value === "") return ` ${name}`
  const shown = maskedText(maskedReference(value).slice(0, room + beyond)).slice(0, room)
  return ` ${name}="${shown.replace(/&/g, "&amp;").replace(/"/g, "&quot;")}"`
}

/** The attribute names in source order; linkedom returns the last one first. */
const attributeNames = (element: DomElement): ReadonlyArray<string> => {
  const names = [...element.getAttributeNames()]
  return element instanceof LeanElement ? names : names.reverse()
}

/** A start tag with its attributes in source order, up to `room` characters. */
const startTag = (element: DomElement, room: number): string => {
  const { classAt = 0, classText } = element
  const names = [...attributeNames(element)]
  if (classText !== undefined) names.splice(classAt, 0, "class")
  let text = `<${element.localName}`
  for (const name of names) {
    if (text.length > room) return text
    text += attribute(name, (name === "class" ? classText : null) ?? element.getAttribute(name) ?? "", room)
  }
  return `${text}>`
}

/** Writes an element and its content until the room is used up; an element cut off by the limit stays open. */
const write = (node: DomNode, room: number, depth: number): string => {
  if (isText(node)) return escaped(textOf(node, room))
  if (!isElement(node)) return ""
  let text = startTag(node, room)
  if (empty.has(node.localName)) return text
  for (let child = node.firstChild; child !== null && text.length <= room; child = child.nextSibling) {
    if (isText(child) && rawText.has(node.localName)) text += textOf(child, room)
    else text += depth > 0 ? write(child, room - text.length, depth - 1) : more
  }
  return text.length > room ? text : `${text}</${node.localName}>`
}

/** Deepest content to show. */
const maxDepth = 8

/** Markup for display: longer markup ends with an ellipsis. */
export const cut = (text: string): string =>
  text.length <= maxMarkup ? text : `${text.slice(0, maxMarkup - more.length)}${more}`

/** An element with its contents as HTML, at most `maxMarkup` characters. */
export const markupOf = (element: DomElement): string => cut(write(element, maxMarkup, maxDepth))

/** The start tag of an element, at most `maxMarkup` characters. */
export const startTagOf = (element: DomElement): string => cut(startTag(element, maxMarkup))

/** A start tag with only these attributes. */
export const plainTag = (name: string, attributes: Readonly<Record<string, string>>): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`)
    .join("")}>`
