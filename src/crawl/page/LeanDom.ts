import type { DomDocument, DomElement, DomNode, DomParent, DomText } from "./Dom.ts"

/** A node that takes a few words of memory: large pages are built of these. Equal to linkedom's in all that the facts are read from. */
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
  /** Names and values in turns; most elements have few attributes and many have none. */
  private attributes: Array<string> | null = null
  classText?: string

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

  /** Facts never look into comments, so what they say is not kept. */
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
 * Takes a tree of lean nodes apart. The collector takes whatever lies on the stack and looks like a reference for one, and
 * one node would keep its whole tree: now and then a large page stayed until the next one was read.
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
