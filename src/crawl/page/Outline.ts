import { html } from "parse5"
import { AccessibleNames, isHidden, isUndisplayed } from "./AccessibleName.ts"
import { type DomElement, namespaceOf } from "./Dom.ts"
import { squeeze } from "./Keep.ts"
import type { ParsedDocument } from "./ParseDocument.ts"
import { TextBuilder } from "./TextBuilder.ts"
import { walk } from "./Walk.ts"

/** An element with where it stood. */
export interface Placed {
  readonly element: DomElement
  readonly name: string
  readonly namespace: string
  /** Whether the parser left it inside `<head>`. */
  readonly inHead: boolean
  readonly inNoscript: boolean
  /** It, or something around it, says that it is not there for anybody. */
  readonly isHidden: boolean
  /** The same, or its style does not display it. */
  readonly isUnseen: boolean
}

/** A document flattened: its telling elements in document order, and its text with whitespace collapsed. */
export interface Outline {
  /** The root, and all elements that have an attribute or that mean something without one. */
  readonly elements: ReadonlyArray<Placed>
  /** Text of each `a` and heading, alternative texts of images included. */
  readonly textOf: ReadonlyMap<DomElement, string>
  readonly body: string
  /** The body without nav, header, footer and aside. */
  readonly main: string
  readonly names: AccessibleNames
  /** What is shown where scripts do not run. */
  readonly noscript: string
}

const inline = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split(
    " "
  )
)
const hidden = new Set("head script style noscript title textarea select iframe object svg math".split(" "))
const chrome = new Set("nav header footer aside".split(" "))
const described = new Set("a h1 h2 h3 h4 h5 h6".split(" "))
const silent = new Set(["script", "style"])
const telling = new Set("title meta img script h1 h2 h3 h4 h5 h6".split(" "))

/** Characters of text that are looked at; the cap on bytes parsed keeps pages below it. */
const maxText = 4_000_000
const maxDescription = 300
/** Links and headings can lie in each other by the thousand when other elements part them: the innermost go without text. */
const maxOpen = 64

interface Description {
  readonly element: DomElement
  readonly text: TextBuilder
}

/** How deep we are inside elements of one set. */
class Depth {
  private depth = 0
  constructor(private readonly names: ReadonlySet<string>) {}
  move(name: string, by: 1 | -1): void {
    if (this.names.has(name)) this.depth += by
  }
  get isInside(): boolean {
    return this.depth > 0
  }
}

/** Flattens a parsed document in one walk. */
export const outline = ({ document }: ParsedDocument): Outline => {
  const elements: Array<Placed> = []
  const textOf = new Map<DomElement, string>()
  const body = new TextBuilder(maxText)
  const main = new TextBuilder(maxText)
  const withoutScripts = new TextBuilder(maxDescription)
  const head = new Depth(new Set(["head"]))
  const noscript = new Depth(new Set(["noscript"]))
  const depths = { head, noscript, hidden: new Depth(hidden), chrome: new Depth(chrome), silent: new Depth(silent) }
  const all = Object.values(depths)
  const open: Array<Description> = []

  const settle = ({ element, text }: Description) => textOf.set(element, text.toString())
  const describe = (piece: string) => {
    for (const { text } of open) text.add(piece)
  }
  const say = (piece: string) => {
    if (depths.silent.isInside) return
    describe(piece)
    if (noscript.isInside) withoutScripts.add(piece)
    if (depths.hidden.isInside) return
    body.add(piece)
    if (!depths.chrome.isInside) main.add(piece)
  }

  const root = document.documentElement
  const names = new AccessibleNames(root ?? document.createElement("html"))
  if (root === null) return { elements, textOf, names, body: "", main: "", noscript: "" }
  let hiddenBy = 0
  let undisplayedBy = 0
  walk(root, {
    enter: (element) => {
      const name = element.localName
      const namespace = namespaceOf(element)
      const isHtml = namespace === html.NS.HTML
      const attributes = element.hasAttributes()
      if (attributes && isHidden(element)) hiddenBy++
      if (attributes && isUndisplayed(element)) undisplayedBy++
      if (element === root || attributes || telling.has(name))
        elements.push({
          element,
          name,
          namespace,
          inHead: head.isInside,
          inNoscript: noscript.isInside,
          isHidden: hiddenBy > 0,
          isUnseen: hiddenBy + undisplayedBy > 0
        })
      if (!inline.has(name)) say(" ")
      for (const depth of all) depth.move(name, 1)
      if (described.has(name) && open.length < maxOpen) open.push({ element, text: new TextBuilder(maxDescription) })
      if (isHtml && name === "img") describe(squeeze(element.getAttribute("alt") ?? ""))
    },
    leave: (element) => {
      const name = element.localName
      for (const depth of all) depth.move(name, -1)
      if (element.hasAttributes() && isHidden(element)) hiddenBy--
      if (element.hasAttributes() && isUndisplayed(element)) undisplayedBy--
      const last = open.at(-1)
      if (last?.element === element) {
        settle(last)
        open.pop()
      }
      if (!inline.has(name)) say(" ")
    },
    text: ({ data }) => say(squeeze(data))
  })
  return { elements, textOf, names, body: body.toString(), main: main.toString(), noscript: withoutScripts.toString() }
}
