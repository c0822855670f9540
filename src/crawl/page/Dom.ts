/** A node of the document tree, as far as reading a page needs it. */
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
}

/** The document itself. */
export interface DomDocument extends DomParent {
  readonly documentElement: DomElement | null
  createElement(name: string, namespace: string): DomElement
  createTextNode(data: string): DomText
  createComment(data: string): DomText
  createDocumentFragment(): DomParent
}

/** Whether the node is an element. */
export const isElement = (node: DomNode): node is DomElement => node.nodeType === 1

/** Whether the node is text. */
export const isText = (node: DomNode): node is DomText => node.nodeType === 3

/** Whether the node is a comment. */
export const isComment = (node: DomNode): node is DomText => node.nodeType === 8
