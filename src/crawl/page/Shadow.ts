import { html } from "parse5"
import type { Steps } from "../../foundation/schema/Steps.ts"
import { type DomDocument, type DomElement, type DomNode, type DomParent, isElement } from "./Dom.ts"
import { walk } from "./Walk.ts"

/** What a document needs for a shadow root to be written in it. */
const mark = /shadowrootmode/i

const isHtml = (node: DomNode, name: string): node is DomElement =>
  isElement(node) && node.localName === name && node.namespaceURI === html.NS.HTML

const isRoot = (node: DomNode): node is DomElement =>
  isHtml(node, "template") && /^(?:open|closed)$/i.test(node.getAttribute("shadowrootmode") ?? "")

const childrenOf = (parent: DomParent): ReadonlyArray<DomNode> => [...parent.childNodes]

const slotOf = (node: DomNode): string => (isElement(node) ? (node.getAttribute("slot") ?? "") : "")

const nothing = () => undefined

/** The elements of a subtree that are wanted, in document order, and how many elements it has. With `isOwn` those inside of another shadow root are left out. */
const elementsIn = (root: DomElement, isWanted: (element: DomElement) => boolean, isOwn = false) => {
  const found: Array<DomElement> = []
  let count = 0
  let within = 0
  const isOther = (element: DomElement) => isOwn && element !== root && isRoot(element)
  const enter = (element: DomElement) => {
    count += 1
    if (isOther(element)) within += 1
    if (within === 0 && isWanted(element)) found.push(element)
  }
  const leave = (element: DomElement) => {
    if (isOther(element)) within -= 1
  }
  walk(root, { enter, leave, text: nothing })
  return { count, found }
}

/** Moves the children of a host to the slots of its shadow root; a child without a slot is shown nowhere, so it goes. The result is the count of elements that were looked at. */
const fill = (host: DomParent, root: DomElement): number => {
  const light = new Set(childrenOf(host).filter((child) => child !== root))
  const { count, found: slots } = elementsIn(root, (element) => isHtml(element, "slot"), true)
  for (const slot of slots) {
    const name = slot.getAttribute("name") ?? ""
    const assigned = [...light].filter((child) => slotOf(child) === name)
    if (assigned.length === 0) continue
    for (const fallback of childrenOf(slot)) fallback.remove()
    for (const child of assigned) {
      light.delete(child)
      slot.insertBefore(child, null)
    }
  }
  for (const child of light) child.remove()
  return count
}

/** Elements that are looked at in one document: roots may lie in each other. */
const maxElements = 1_000_000

/** Shows shadow roots in place of what they hide, as Google's flattening does: the content of each root, with the children of its host in its slots. */
export function* flatten(text: string, document: DomDocument): Steps<void> {
  const top = mark.test(text) ? document.documentElement : null
  if (top === null) return
  let left = maxElements
  for (const root of elementsIn(top, isRoot).found) {
    const host = root.parentNode
    if (host === null || left <= 0) continue
    const count = fill(host, root)
    left -= count
    yield count * 10
  }
}
