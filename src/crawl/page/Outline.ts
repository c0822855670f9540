import { html } from "parse5"
import type { Steps } from "../../foundation/schema/Steps.ts"
import { AccessibleNames, isHidden, isUndisplayed } from "./AccessibleName.ts"
import type { DomElement } from "./Dom.ts"
import type { ParsedDocument } from "./Parsing.ts"
import { squeeze } from "./Strings.ts"
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
  /** It or an ancestor has `hidden` or `aria-hidden`. */
  readonly isHidden: boolean
  /** The same, or its style hides it. */
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

/** What an element's name alone says, a bit each. */
const inline = 1
const head = 2
const noscript = 4
const hidden = 8
const chrome = 16
const silent = 32
const described = 64
const telling = 128

const names: ReadonlyArray<readonly [bit: number, names: string]> = [
  [
    inline,
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr"
  ],
  [head, "head"],
  [noscript, "noscript"],
  [hidden, "head script style noscript title textarea select iframe object svg math"],
  [chrome, "nav header footer aside"],
  [silent, "script style"],
  [described, "a h1 h2 h3 h4 h5 h6"],
  [telling, "title meta img script h1 h2 h3 h4 h5 h6"]
]

/** All of it by name, so that it is looked up once for each element. */
const kinds = new Map<string, number>()
for (const [bit, list] of names) for (const name of list.split(" ")) kinds.set(name, (kinds.get(name) ?? 0) | bit)

/** Characters of text that are looked at; the cap on bytes parsed keeps pages below it. */
const maxText = 4_000_000
const maxDescription = 300
/** Links and headings can lie in each other by the thousand when other elements part them: the innermost go without text. */
const maxOpen = 64

interface Description {
  readonly element: DomElement
  readonly text: TextBuilder
}

/** How many open elements there are of each of these kinds. */
class Depths {
  head = 0
  noscript = 0
  hidden = 0
  chrome = 0
  silent = 0

  move(kind: number, by: 1 | -1): void {
    if ((kind & (head | noscript | hidden | chrome | silent)) === 0) return
    if (kind & head) this.head += by
    if (kind & noscript) this.noscript += by
    if (kind & hidden) this.hidden += by
    if (kind & chrome) this.chrome += by
    if (kind & silent) this.silent += by
  }
}

/** Flattens a parsed document in one walk. */
export function* outline({ document }: ParsedDocument): Steps<Outline> {
  const elements: Array<Placed> = []
  const textOf = new Map<DomElement, string>()
  const body = new TextBuilder(maxText)
  const main = new TextBuilder(maxText)
  const withoutScripts = new TextBuilder(maxDescription)
  const depths = new Depths()
  const open: Array<Description> = []

  const settle = ({ element, text }: Description) => textOf.set(element, text.toString())
  const describe = (piece: string) => {
    for (const { text } of open) text.add(piece)
  }
  const say = (piece: string) => {
    if (depths.silent > 0) return
    describe(piece)
    if (depths.noscript > 0) withoutScripts.add(piece)
    if (depths.hidden > 0) return
    body.add(piece)
    if (depths.chrome === 0) main.add(piece)
  }

  const root = document.documentElement
  const accessible = new AccessibleNames(root ?? document.createElement("html", html.NS.HTML))
  if (root === null) return { elements, textOf, names: accessible, body: "", main: "", noscript: "" }
  let hiddenBy = 0
  let undisplayedBy = 0
  yield* walk(root, {
    enter: (element) => {
      const name = element.localName
      const kind = kinds.get(name) ?? 0
      const namespace = element.namespaceURI
      const isHtml = namespace === html.NS.HTML
      const attributes = element.hasAttributes()
      if (attributes && isHidden(element)) hiddenBy++
      if (attributes && isUndisplayed(element)) undisplayedBy++
      if (element === root || attributes || kind & telling)
        elements.push({
          element,
          name,
          namespace,
          inHead: depths.head > 0,
          inNoscript: depths.noscript > 0,
          isHidden: hiddenBy > 0,
          isUnseen: hiddenBy + undisplayedBy > 0
        })
      if ((kind & inline) === 0) say(" ")
      depths.move(kind, 1)
      if (kind & described && open.length < maxOpen) open.push({ element, text: new TextBuilder(maxDescription) })
      if (isHtml && name === "img") describe(squeeze(element.getAttribute("alt") ?? ""))
    },
    leave: (element) => {
      const kind = kinds.get(element.localName) ?? 0
      depths.move(kind, -1)
      if (element.hasAttributes() && isHidden(element)) hiddenBy--
      if (element.hasAttributes() && isUndisplayed(element)) undisplayedBy--
      const last = open.at(-1)
      if (last?.element === element) {
        settle(last)
        open.pop()
      }
      if ((kind & inline) === 0) say(" ")
    },
    text: ({ data }) => say(squeeze(data))
  })
  return {
    elements,
    textOf,
    names: accessible,
    body: body.toString(),
    main: main.toString(),
    noscript: withoutScripts.toString()
  }
}
