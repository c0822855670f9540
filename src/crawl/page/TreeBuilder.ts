import { html, type Token, type TreeAdapter, type TreeAdapterTypeMap } from "parse5"
import * as Dom from "./Dom.ts"
import { whole } from "./Strings.ts"

/** The parser's vocabulary in terms of our nodes; a document type is a fact of the document, never a node of the tree. */
export type Nodes = TreeAdapterTypeMap<
  Dom.DomNode,
  Dom.DomParent,
  Dom.DomNode,
  Dom.DomDocument,
  Dom.DomParent,
  Dom.DomElement,
  Dom.DomText,
  Dom.DomText,
  Dom.DomElement,
  never
>

/** What the parser found out about the document as a whole. */
export interface Declarations {
  doctype: boolean
  mode: html.DOCUMENT_MODE
  /** Elements, attributes and texts created so far. */
  nodes: number
}

/** Attribute look-up is linear in linkedom: an element keeps this many, more than any honest page gives one. */
const maxAttributes = 256

const usual =
  "action alt aria-hidden aria-label class content data-id for height href id lang loading name rel role src srcset style target title type value width"

/** The parser makes a new string of each name that it meets; of the usual ones the tree holds one string each. */
const names = new Map([...Object.values(html.TAG_NAMES), ...usual.split(" ")].map((name) => [`${name}`, `${name}`]))

const once = (name: string): string => names.get(name) ?? name

const attributeName = ({ name, prefix }: Token.Attribute): string =>
  once(prefix === undefined || prefix === "" ? name : `${prefix}:${name}`)

const setAttributes = (element: Dom.DomElement, attributes: ReadonlyArray<Token.Attribute>) => {
  for (const attribute of attributes.slice(0, maxAttributes)) {
    if (attribute.name === "class") element.classText = whole(attribute.value)
    else element.setAttribute(attributeName(attribute), whole(attribute.value))
  }
}

const full = new WeakSet<Dom.DomElement>()

/** Each further `<html>` or `<body>` tag adds attributes to the first: they count together. */
const adoptAttributes = (element: Dom.DomElement, attributes: ReadonlyArray<Token.Attribute>) => {
  if (full.has(element)) return
  const room = maxAttributes - [...element.getAttributeNames()].length
  if (room <= 0) full.add(element)
  setAttributes(
    element,
    attributes.filter((attribute) => !element.hasAttribute(attributeName(attribute))).slice(0, Math.max(0, room))
  )
}

const namespaces = Object.values(html.NS)

/** A tree adapter that fills an empty document by the rules of the HTML standard's parser. */
export const treeBuilder = (facts: Declarations, document: Dom.DomDocument): TreeAdapter<Nodes> => {
  const contents = new WeakMap<Dom.DomNode, Dom.DomParent>()
  const contentOf = (template: Dom.DomElement): Dom.DomParent => {
    // What a declared shadow root holds is shown, so it stays in the tree (HTML standard, shadowrootmode).
    if (/^(?:open|closed)$/i.test(template.getAttribute("shadowrootmode") ?? "")) return template
    const content = contents.get(template) ?? document.createDocumentFragment()
    contents.set(template, content)
    return content
  }
  const insertText = (parent: Dom.DomParent, text: string, before: Dom.DomNode | null) => {
    const previous = before === null ? parent.lastChild : before.previousSibling
    if (previous !== null && Dom.isText(previous)) previous.data += whole(text)
    else {
      facts.nodes++
      parent.insertBefore(document.createTextNode(whole(text)), before)
    }
  }
  return {
    createDocument: () => document,
    createDocumentFragment: () => document.createDocumentFragment(),
    createElement: (name, namespace, attributes) => {
      facts.nodes += 1 + attributes.length
      const element = document.createElement(once(name), namespace)
      setAttributes(element, attributes)
      return element
    },
    createCommentNode: (data) => {
      facts.nodes++
      return document.createComment(data)
    },
    createTextNode: (text) => document.createTextNode(text),
    adoptAttributes,
    appendChild: (parent, node) => void parent.insertBefore(node, null),
    insertBefore: (parent, node, reference) => void parent.insertBefore(node, reference),
    insertText: (parent, text) => insertText(parent, text, null),
    insertTextBefore: insertText,
    detachNode: (node) => node.remove(),
    setTemplateContent: (template, content) => void contents.set(template, content),
    getTemplateContent: contentOf,
    setDocumentType: () => {
      facts.doctype = true
    },
    setDocumentMode: (_, mode) => {
      facts.mode = mode
    },
    getDocumentMode: () => facts.mode,
    getFirstChild: (node) => node.firstChild,
    getChildNodes: (node) => [...node.childNodes],
    getParentNode: (node) => node.parentNode,
    getAttrList: (element) =>
      Array.from(element.getAttributeNames(), (name) => ({ name, value: element.getAttribute(name) ?? "" })),
    getTagName: (element) => element.localName,
    getNamespaceURI: (element) => {
      const own = element.namespaceURI
      return own === html.NS.HTML ? html.NS.HTML : (namespaces.find((uri) => uri === own) ?? html.NS.HTML)
    },
    getTextNodeContent: (text) => text.data,
    getCommentNodeContent: (comment) => comment.data,
    getDocumentTypeNodeName: () => "",
    getDocumentTypeNodePublicId: () => "",
    getDocumentTypeNodeSystemId: () => "",
    isTextNode: Dom.isText,
    isCommentNode: Dom.isComment,
    isElementNode: Dom.isElement,
    isDocumentTypeNode: (node): node is never => node === undefined,
    setNodeSourceCodeLocation: () => undefined,
    getNodeSourceCodeLocation: () => null,
    updateNodeSourceCodeLocation: () => undefined
  }
}
