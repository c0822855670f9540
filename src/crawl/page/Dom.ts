import { parseHTML } from "linkedom"
import { html } from "parse5"

/** A node of the document tree, with the members that reading a page needs. */
export interface DomNode {
  /** 1 element, 3 text, 8 comment, 9 document, 11 fragment. */
  readonly nodeType: number
  readonly parentNode: DomParent | null
  readonly nextSibling: DomNode | null
  readonly previousSibling: DomNode | null
  remove(): void
}

/** A node that has children. */
export interface DomParent extends DomNode {
  readonly firstChild: DomNode | null
  readonly lastChild: DomNode | null
  readonly childNodes: Iterable<DomNode>
  insertBefore(node: DomNode, reference: DomNode | null): unknown
}

/** Text or comment; `data` may be appended to. */
export interface DomText extends DomNode {
  data: string
}

/** An element; HTML names and attribute names are lower-case. */
export interface DomElement extends DomParent {
  readonly localName: string
  readonly namespaceURI: string
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  hasAttributes(): boolean
  setAttribute(name: string, value: string): void
  getAttributeNames(): Iterable<string>
  /** The `class` attribute as written, apart from the other attributes: no fact depends on it, and linkedom would parse it into a set of tokens. */
  classText?: string
  /** Number of attributes before it. */
  classAt?: number
}

/** The document itself. */
export interface DomDocument extends DomParent {
  readonly documentElement: DomElement | null
  createElement(name: string, namespace: string): DomElement
  createTextNode(data: string): DomText
  createComment(data: string): DomText
  createDocumentFragment(): DomParent
}

/** linkedom does not export the constructor of empty HTML documents, but each document has it. */
const HtmlDocument: new () => DomDocument & {
  createElement(name: string): DomElement
  createElementNS(namespace: string, name: string): DomElement
} = parseHTML("<html></html>").document.constructor

class LinkedomDocument extends HtmlDocument {
  /** linkedom has no class for MathML and treats MathML elements as HTML, so the namespace comes from the element itself. */
  override createElement(name: string, namespace: string = html.NS.HTML): DomElement {
    if (namespace === html.NS.SVG) return super.createElementNS(namespace, name)
    const element = super.createElement(name)
    return namespace === html.NS.HTML ? element : Object.defineProperty(element, "namespaceURI", { value: namespace })
  }
}

/** A parsed page: its tree and its document-level values. */
export interface ParsedDocument {
  readonly document: DomDocument
  readonly doctype: boolean
  readonly quirks: "no-quirks" | "limited-quirks" | "quirks"
  /** False when the budget of nodes or of work ended before the text. */
  readonly wholly: boolean
}

/** An empty linkedom document. */
export const linkedomDocument = (): DomDocument => new LinkedomDocument()

/** Whether the node is an element. */
export const isElement = (node: DomNode): node is DomElement => node.nodeType === 1

/** Whether the node is text. */
export const isText = (node: DomNode): node is DomText => node.nodeType === 3

/** Whether the node is a comment. */
export const isComment = (node: DomNode): node is DomText => node.nodeType === 8
