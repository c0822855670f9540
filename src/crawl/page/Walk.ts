import { type DomElement, type DomNode, type DomText, isElement, isText } from "./Dom.ts"

/** Joins squeezed pieces of text with single spaces, up to a length. */
export class TextBuilder {
  private readonly pieces: Array<string> = []
  private length = 0
  private isSpaced = true

  constructor(private readonly max: number) {}

  get isFull(): boolean {
    return this.length >= this.max
  }

  /** Adds text with single spaces. */
  add(squeezed: string): void {
    const piece = this.isSpaced && squeezed.startsWith(" ") ? squeezed.slice(1) : squeezed
    if (piece === "" || this.isFull) return
    this.pieces.push(piece)
    this.length += piece.length
    this.isSpaced = piece.endsWith(" ")
  }

  /** Ends a block: the next text is another word. */
  gap(): void {
    this.add(" ")
  }

  /** The text so far, trimmed and cut at the length. */
  toString(): string {
    return this.pieces.join("").slice(0, this.max).trimEnd()
  }
}

/** Callbacks of a walk through a tree. */
export interface Visitor {
  readonly enter: (element: DomElement) => void
  readonly leave: (element: DomElement) => void
  readonly text: (text: DomText) => void
}

/** Visits a subtree in document order. The walk climbs by parent links rather than recursing, because pages nest deeper than stacks. */
export const walk = (root: DomElement, { enter, leave, text }: Visitor): void => {
  let node: DomNode = root
  for (;;) {
    if (isText(node)) text(node)
    else if (isElement(node)) {
      enter(node)
      if (node.firstChild !== null) {
        node = node.firstChild
        continue
      }
      leave(node)
    }
    while (node !== root && node.nextSibling === null) {
      const parent: DomNode | null = node.parentNode
      if (parent === null || !isElement(parent)) return
      leave(parent)
      node = parent
    }
    if (node === root || node.nextSibling === null) return
    node = node.nextSibling
  }
}

/** The text directly inside an element, without its descendants' text (DOM standard, child text content). */
export const childText = (element: DomElement): string => {
  let found = ""
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (isText(child)) found += child.data
  }
  return found
}
