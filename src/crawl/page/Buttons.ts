import { html } from "parse5"
import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { roleOf } from "./AccessibleName.ts"
import { isElement } from "./Dom.ts"
import { linkAround, type MuteElement } from "./Images.ts"
import { markupOf } from "./MarkupOf.ts"
import type { Outline, Placed } from "./Outline.ts"

/** Buttons without a name that are kept of one page. */
const maxMute = 100
/** Cost of looking at an element, in characters. */
const worthOfLook = 2

/** Buttons that need a name; inputs of the types submit and reset have one of their own (HTML standard §4.10.5.1). */
const isButton = ({ element, name }: Placed): boolean => {
  if (name === "button") return true
  if (name === "input") return element.getAttribute("type")?.toLowerCase() === "button"
  return name !== "a" && element.hasAttribute("role") && roleOf(element) === "button"
}

/** Whether a label stands around an element (HTML standard §4.10.4). */
const isInLabel = ({ element }: Placed): boolean => {
  for (let node = element.parentNode; node !== null && isElement(node); node = node.parentNode) {
    if (node.localName === "label") return true
  }
  return false
}

/** The buttons that nothing names, as far as they are shown: by content, `aria-label`, `title` or a label. */
export function* muteButtons({ elements, names }: Outline): Steps<ReadonlyArray<MuteElement>> {
  const found: Array<MuteElement> = []
  const labelled = new Set<string>()
  const ids: Array<string | null> = []
  yield* each(elements, (placed) => {
    const { element, inNoscript, isUnseen, name, namespace, place } = placed
    if (namespace !== html.NS.HTML) return worthOfLook
    if (name === "label") labelled.add(element.getAttribute("for") ?? "")
    if (isUnseen || inNoscript || !isButton(placed) || found.length === maxMute) return worthOfLook
    const before = names.spent
    if (names.of(element) === "" && !isInLabel(placed)) {
      found.push({ markup: markupOf(element), place, link: linkAround(element) })
      ids.push(element.getAttribute("id"))
    }
    return worthOfLook + names.spent - before
  })
  return found.filter((_, index) => !labelled.has(ids[index] ?? " "))
}
