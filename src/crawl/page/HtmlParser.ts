import { html, Parser, type Token, type TreeAdapter, type TreeAdapterTypeMap } from "parse5"
import type { Steps } from "../../foundation/schema/Steps.ts"
import {
  type DomDocument,
  type DomElement,
  type DomNode,
  type DomParent,
  type DomText,
  isComment,
  isElement,
  isText,
  linkedomDocument,
  type ParsedDocument
} from "./Dom.ts"
import { Tokens, whole } from "./Text.ts"

/** A node of a few words of memory, for large pages. It behaves like linkedom's in everything that page facts depend on. */
class LeanNode implements DomNode {
  parentNode: LeanParent | null = null
  nextSibling: LeanNode | null = null
  previousSibling: LeanNode | null = null

  constructor(readonly nodeType: number) {}

  remove(): void {
    const { nextSibling, parentNode, previousSibling } = this
    if (parentNode === null) return
    if (previousSibling === null) parentNode.firstChild = nextSibling
    else previousSibling.nextSibling = nextSibling
    if (nextSibling === null) parentNode.lastChild = previousSibling
    else nextSibling.previousSibling = previousSibling
    this.parentNode = null
    this.nextSibling = null
    this.previousSibling = null
  }
}

class LeanText extends LeanNode implements DomText {
  constructor(
    nodeType: number,
    public data: string
  ) {
    super(nodeType)
  }
}

class LeanParent extends LeanNode implements DomParent {
  firstChild: LeanNode | null = null
  lastChild: LeanNode | null = null

  get childNodes(): Iterable<DomNode> {
    const nodes: Array<DomNode> = []
    for (let child = this.firstChild; child !== null; child = child.nextSibling) nodes.push(child)
    return nodes
  }

  insertBefore(node: DomNode, reference: DomNode | null): void {
    if (!(node instanceof LeanNode)) return
    node.remove()
    const next = reference instanceof LeanNode ? reference : null
    const previous = next === null ? this.lastChild : next.previousSibling
    node.parentNode = this
    node.previousSibling = previous
    node.nextSibling = next
    if (previous === null) this.firstChild = node
    else previous.nextSibling = node
    if (next === null) this.lastChild = node
    else next.previousSibling = node
  }
}

/** An element of the lean tree. */
export class LeanElement extends LeanParent implements DomElement {
  /** Alternating names and values; most elements have few attributes and many have none. */
  private attributes: Array<string> | null = null
  classText?: string
  classAt?: number

  constructor(
    readonly localName: string,
    readonly namespaceURI: string
  ) {
    super(1)
  }

  getAttribute(name: string): string | null {
    const at = this.indexOf(name)
    return at === -1 ? null : (this.attributes?.[at + 1] ?? null)
  }

  hasAttribute(name: string): boolean {
    return this.indexOf(name) !== -1
  }

  hasAttributes(): boolean {
    return this.attributes !== null
  }

  setAttribute(name: string, value: string): void {
    const at = this.indexOf(name)
    this.attributes ??= []
    if (at === -1) this.attributes.push(name, value)
    else this.attributes[at + 1] = value
  }

  getAttributeNames(): Iterable<string> {
    return this.attributes?.filter((_, index) => index % 2 === 0) ?? []
  }

  private indexOf(name: string): number {
    const { attributes } = this
    if (attributes === null) return -1
    for (let at = 0; at < attributes.length; at += 2) if (attributes[at] === name) return at
    return -1
  }
}

class LeanDocument extends LeanParent implements DomDocument {
  get documentElement(): DomElement | null {
    for (let child = this.firstChild; child !== null; child = child.nextSibling)
      if (child instanceof LeanElement) return child
    return null
  }

  createElement(name: string, namespace: string): DomElement {
    return new LeanElement(name, namespace)
  }

  createTextNode(data: string): DomText {
    return new LeanText(3, data)
  }

  /** Page facts never look into comments, so the text is dropped. */
  createComment(): DomText {
    return new LeanText(8, "")
  }

  createDocumentFragment(): DomParent {
    return new LeanParent(11)
  }
}

/** An empty document of lean nodes. */
export const leanDocument = (): DomDocument => new LeanDocument(9)

/**
 * Takes a tree of lean nodes apart. The garbage collector treats any value on the stack that looks like a reference as one, and one node would keep its whole
 * tree: sometimes a large page stayed until the next one was read.
 */
export const dismantle = (document: DomDocument): void => {
  const waiting: Array<LeanNode> = document instanceof LeanNode ? [document] : []
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!(node instanceof LeanParent)) continue
    for (let child = node.firstChild; child !== null; ) {
      const next: LeanNode | null = child.nextSibling
      child.parentNode = null
      child.previousSibling = null
      child.nextSibling = null
      waiting.push(child)
      child = next
    }
    node.firstChild = null
    node.lastChild = null
  }
}

/** The parser's types in terms of our nodes; the document type is a value of the document, never a node of the tree. */
type Nodes = TreeAdapterTypeMap<
  DomNode,
  DomParent,
  DomNode,
  DomDocument,
  DomParent,
  DomElement,
  DomText,
  DomText,
  DomElement,
  never
>

/** Document-level values from the parser. */
interface Declarations {
  doctype: boolean
  mode: html.DOCUMENT_MODE
  /** Elements, attributes and texts created so far. */
  nodes: number
}

/** Attributes kept per element, more than any honest page needs, because linkedom's attribute look-up is linear. */
const maxAttributes = 256

const usual =
  "action alt aria-hidden aria-label class content data-id for height href id lang loading name rel role src srcset style target title type value width"

/** Shared strings of usual names, because the parser makes a new string of each name. */
const names = new Map([...Object.values(html.TAG_NAMES), ...usual.split(" ")].map((name) => [`${name}`, `${name}`]))

const once = (name: string): string => names.get(name) ?? name

const attributeName = ({ name, prefix }: Token.Attribute): string =>
  once(prefix === undefined || prefix === "" ? name : `${prefix}:${name}`)

const setAttributes = (element: DomElement, attributes: ReadonlyArray<Token.Attribute>) => {
  for (const [index, attribute] of attributes.slice(0, maxAttributes).entries()) {
    if (attribute.name === "class") {
      element.classText = whole(attribute.value)
      element.classAt = index
    } else element.setAttribute(attributeName(attribute), whole(attribute.value))
  }
}

const full = new WeakSet<DomElement>()

/** Each further `<html>` or `<body>` tag adds attributes to the first element: they count together. */
const adoptAttributes = (element: DomElement, attributes: ReadonlyArray<Token.Attribute>) => {
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
const treeBuilder = (facts: Declarations, document: DomDocument): TreeAdapter<Nodes> => {
  const contents = new WeakMap<DomNode, DomParent>()
  const contentOf = (template: DomElement): DomParent => {
    // The content of a declared shadow root is visible, so it stays in the tree (HTML standard, shadowrootmode).
    if (/^(?:open|closed)$/i.test(template.getAttribute("shadowrootmode") ?? "")) return template
    const content = contents.get(template) ?? document.createDocumentFragment()
    contents.set(template, content)
    return content
  }
  const insertText = (parent: DomParent, text: string, before: DomNode | null) => {
    const previous = before === null ? parent.lastChild : before.previousSibling
    if (previous !== null && isText(previous)) previous.data += whole(text)
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
    isTextNode: isText,
    isCommentNode: isComment,
    isElementNode: isElement,
    isDocumentTypeNode: (node): node is never => node === undefined,
    setNodeSourceCodeLocation: () => undefined,
    getNodeSourceCodeLocation: () => null,
    updateNodeSourceCodeLocation: () => undefined
  }
}

/** Characters parsed in one step: some 20 ms of a hostile page. */
const stepLength = 32_768

/** Maximum elements, attributes and texts of one document: formatting elements can multiply without end. */
const maxNodes = 200_000

/**
 * For many tags the parser searches its open elements and its active formatting elements: the work of a step is its length times the most open elements.
 * Forty thousand million units take less than a second, and are 100,000 nested elements. The bound counts work, not time, so every crawl reads a page equally
 * far.
 */
const stepWork = 100_000_000
const maxWork = 40_000_000_000

/** Called before each element is created; true ends the parsing. */
type IsEnough = (name: string, namespace: html.NS, attributes: ReadonlyArray<Token.Attribute>) => boolean

/** The result of parsing: document-level values, and whether the whole text was parsed. */
interface Parsed extends Declarations {
  readonly wholly: boolean
}

/**
 * Parses HTML by the standard's algorithm into an empty document, step by step, like a browser that runs scripts: the content of `noscript` is text
 * (`Noscript.ts` reads it). The content of `template` stays out of the tree.
 */
export function* parse(text: string, document: DomDocument, isEnough: IsEnough = () => false): Steps<Parsed> {
  const facts: Declarations = { doctype: false, mode: html.DOCUMENT_MODE.NO_QUIRKS, nodes: 0 }
  const adapter = treeBuilder(facts, document)
  let isStopped = false
  const parser = new Parser<Nodes>({
    scriptingEnabled: true,
    treeAdapter: {
      ...adapter,
      createElement: (name, namespace, attributes) => {
        if (facts.nodes > maxNodes || isEnough(name, namespace, attributes)) {
          isStopped = true
          parser.tokenizer.pause()
        }
        return adapter.createElement(name, namespace, attributes)
      }
    }
  })
  parser.tokenizer = new Tokens(parser)
  let at = 0
  let open = 1
  for (let work = 0; !isStopped && work < maxWork; ) {
    const length = Math.min(stepLength, Math.ceil(stepWork / open))
    const end = at + length
    parser.tokenizer.write(text.slice(at, end), end >= text.length)
    if (end >= text.length) return { ...facts, wholly: !isStopped }
    open = Math.max(open, parser.openElements.stackTop)
    work += length * open
    at = end
    yield length
  }
  return { ...facts, wholly: false }
}

/** Longer texts become lean nodes: a hostile page takes a third more memory in linkedom nodes, beyond the bound of a crawl's memory. */
const large = 16_384

/** Parses a page into a DOM. */
export function* parseDocument(text: string): Steps<ParsedDocument> {
  const document = text.length > large ? leanDocument() : linkedomDocument()
  const { doctype, mode, wholly } = yield* parse(text, document)
  return { document, doctype, quirks: mode, wholly }
}
