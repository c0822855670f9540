import { finish } from "../../foundation/schema/Steps.ts"
import { type DomElement, type DomNode, isElement, isText } from "./Dom.ts"
import { collapse, keep } from "./Strings.ts"
import { walk } from "./Walk.ts"

/** Nodes visited for one name, and their greatest depth: names are short, and pages nest deeper than stacks. */
const maxNodes = 1000
const maxDepth = 64
const maxName = 300
/** Characters of an attribute that a name, a role or a style is looked for in: an attribute may be as long as a page, and each link may refer to it. */
const maxWritten = 8 * maxName
const maxStyle = 65_536
/** Cost of looking at a node, in characters. */
const worth = 16

/** The content of a noscript is absent for users whose browser runs scripts. */
const silent = new Set(["script", "style", "template", "noscript"])
const inline = new Set(
  "a abbr b bdi bdo big cite code em font i img kbd label mark q s samp small span strong sub sup time u var wbr svg".split(
    " "
  )
)

/** Whether an element is hidden from the accessibility tree, with its content: `aria-hidden` or `hidden`. */
export const isHidden = (element: DomElement): boolean =>
  element.getAttribute("aria-hidden")?.slice(0, maxWritten).trim().toLowerCase() === "true" ||
  element.hasAttribute("hidden")

/** Whether an element is not displayed as it is sent; a script may show it later. */
export const isUndisplayed = (element: DomElement): boolean =>
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i.test(
    (element.getAttribute("style") ?? "").slice(0, maxStyle)
  )

/** Something that can be said: spaces of all kinds and the private characters of icon fonts cannot. */
const sayable = /[\p{L}\p{N}\p{P}\p{S}]/u

/** The first role of an element, in lower case; the empty string when it names none. */
export const roleOf = (element: DomElement): string =>
  (element.getAttribute("role") ?? "").slice(0, maxWritten).trim().toLowerCase().split(/\s+/, 1)[0] ?? ""

/** Whether an element gives up its own meaning. */
export const isPresentational = (element: DomElement): boolean => /^(?:none|presentation)$/.test(roleOf(element))

const written = (element: DomElement, attribute: string): string =>
  collapse((element.getAttribute(attribute) ?? "").slice(0, maxWritten))

/** What an element says that labels others. */
interface Label {
  readonly text: string
  /** Nodes of a name that it takes, and how many there were room for. */
  readonly nodes: number
  readonly room: number
  /** There was room for all of it. */
  readonly isWhole: boolean
}

/** Computes the accessible names of one document (W3C Accessible Name and Description Computation 1.2, §4.3). */
export class AccessibleNames {
  private ids: Map<string, DomElement> | null = null
  private left = 0
  /** What elements that label others say, and how many nodes of a name that takes: each link of a page may refer to the same one. */
  private readonly labelling = new Map<DomElement, Label>()
  /** What all names so far were worth, in characters. */
  spent = 0

  constructor(private readonly root: DomElement) {}

  /** The name of an element, as assistive technology says it; empty when it has none. */
  of(element: DomElement): string {
    this.left = maxNodes
    const name = keep(collapse(this.compute(element, 0, false)), maxName)
    return sayable.test(name) ? name : ""
  }

  private byId(id: string): DomElement | undefined {
    if (this.ids === null) {
      const ids = new Map<string, DomElement>()
      const enter = (element: DomElement) => {
        const own = element.getAttribute("id")
        if (own !== null && !ids.has(own)) ids.set(own, element)
      }
      finish(walk(this.root, { enter, leave: () => undefined, text: () => undefined }))
      this.ids = ids
    }
    return this.ids.get(id)
  }

  private compute(element: DomElement, depth: number, isReferenced: boolean): string {
    if (this.left <= 0) return ""
    this.spent += worth
    this.left -= 1 + ((element.getAttribute("style")?.length ?? 0) >> 10)
    if (depth > maxDepth || silent.has(element.localName)) return ""
    if (!isReferenced && (isHidden(element) || (depth > 0 && isUndisplayed(element)))) return ""
    const labels = isReferenced ? "" : this.labels(element, depth)
    if (labels !== "") return labels
    const label = written(element, "aria-label")
    if (sayable.test(label)) return label
    if (element.localName === "img" && isPresentational(element)) return ""
    const own = ownText(element) ?? this.content(element, depth)
    return collapse(own) === "" ? written(element, "title") : own
  }

  private labels(element: DomElement, depth: number): string {
    const ids = element.getAttribute("aria-labelledby")?.slice(0, maxWritten).split(/\s+/, 20) ?? []
    const texts = ids.flatMap((id) => {
      const found = id === "" ? undefined : this.byId(id)
      return found === undefined ? [] : [this.label(found, depth)]
    })
    return texts.filter((text) => text !== "").join(" ")
  }

  private label(element: DomElement, depth: number): string {
    const known = depth === 0 ? this.labelling.get(element) : undefined
    if (known !== undefined && (known.room === this.left || (known.isWhole && known.nodes <= this.left))) {
      this.left -= known.nodes
      return known.text
    }
    const room = this.left
    const text = collapse(this.compute(element, depth + 1, true))
    if (depth === 0) this.labelling.set(element, { text, nodes: room - this.left, room, isWhole: this.left > 0 })
    return text
  }

  private content(element: DomElement, depth: number): string {
    let text = ""
    for (let child: DomNode | null = element.firstChild; child !== null && this.left > 0; child = child.nextSibling) {
      if (isText(child)) {
        this.left--
        text += child.data.slice(0, maxName * 4)
      } else if (isElement(child)) {
        const gap = inline.has(child.localName) ? "" : " "
        text += gap + this.compute(child, depth + 1, false) + gap
      }
      if (text.length > maxName * 8) break
    }
    return text
  }
}

/** What an element says of itself by an attribute in place of content; null when its content names it. */
const ownText = (element: DomElement): string | null => {
  const name = element.localName
  if (name === "img" || name === "area") return written(element, "alt")
  if (name === "input")
    return written(element, element.getAttribute("type")?.toLowerCase() === "image" ? "alt" : "value")
  return name === "iframe" ? "" : null
}
