import { html } from "parse5"
import { SaxesParser } from "saxes"
import type { Steps } from "../../foundation/schema/Steps.ts"
import type { DomParent, ParsedDocument } from "./Dom.ts"
import { leanDocument } from "./LeanDom.ts"

const stepLength = 32_768
/** Nodes of one document, and elements open at once: beyond either it is left to the HTML parser and its bounds. */
const maxNodes = 200_000
const maxDepth = 512

/**
 * Parses XHTML by the rules of XML, as browsers do by its content type: empty elements close themselves, names have case, CDATA
 * is text. Null when it is not well-formed or its root is not XHTML's: there a browser shows an error, and the HTML parser
 * still finds what a visitor of a repaired page would see. Entities beyond XML's own five are unknown here.
 */
export function* parseXml(text: string): Steps<ParsedDocument | null> {
  const document = leanDocument()
  const open: Array<DomParent> = [document]
  const state = { isBroken: false, hasDoctype: false, nodes: 0 }
  const add = (node: Parameters<DomParent["insertBefore"]>[0]) => {
    if (++state.nodes > maxNodes) state.isBroken = true
    else open.at(-1)?.insertBefore(node, null)
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
    if (open.length > maxDepth || (open.length === 2 && uri !== html.NS.HTML)) state.isBroken = true
  })
  parser.on("closetag", () => void open.pop())
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
