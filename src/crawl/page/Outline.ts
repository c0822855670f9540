import { html } from "parse5"
import type { PagePlace } from "../report/Finding.ts"
import { AccessibleNames, isHidden, isUndisplayed, landmarkOf, placeOf } from "./AccessibleName.ts"
import type { DomElement, ParsedDocument } from "./Dom.ts"
import { squeeze } from "./Text.ts"
import { TextBuilder, walk } from "./Walk.ts"

/** Maximum characters of text; the cap on parsed bytes keeps pages below it. */
const maxText = 4_000_000
const maxDescription = 300
/** Thousands of links and headings can nest when other elements separate them: the innermost get no text. */
const maxOpen = 64

/** Open elements, by their effect on a piece of text. */
type Within = Readonly<Record<"code" | "frame" | "head" | "nonText" | "silent", number>>

/** The texts of a document during the walk. */
class Texts {
  readonly body = new TextBuilder(maxText)
  readonly main = new TextBuilder(maxText)
  readonly ofElement = new Map<DomElement, string>()
  private readonly open: Array<{ readonly element: DomElement; readonly text: TextBuilder }> = []

  begin(element: DomElement): void {
    if (this.open.length < maxOpen) this.open.push({ element, text: new TextBuilder(maxDescription) })
  }

  end(element: DomElement): void {
    const last = this.open.at(-1)
    if (last?.element !== element) return
    this.ofElement.set(element, last.text.toString())
    this.open.pop()
  }

  /** Adds to the texts of the open elements, as an image does with its alternative text. */
  describe(piece: string): void {
    for (const { text } of this.open) text.add(piece)
  }

  /** Adds a piece of text to every text that it belongs to. */
  add(piece: string, at: Within): void {
    if (at.silent > 0) return
    this.describe(piece)
    // Visible code is content: in an object that shows it, or beside the text that explains it.
    const isCode = at.code > 0 && at.head === 0
    if (at.nonText > 0 && !isCode) return
    this.body.add(piece)
    if (at.frame === 0 || isCode) this.main.add(piece)
  }
}

/** An element with its position. */
export interface Placed {
  readonly element: DomElement
  readonly name: string
  readonly namespace: string
  /** Whether the parser left the element inside `<head>`. */
  readonly inHead: boolean
  /** The element or an ancestor has `hidden` or `aria-hidden`. */
  readonly isHidden: boolean
  /** Hidden, or not displayed by its style. */
  readonly isUnseen: boolean
  readonly place: PagePlace
}

/** A flattened document: its relevant elements in document order, and its text with whitespace collapsed. */
export interface Outline {
  /** The root, and all elements that have an attribute or matter without one, as custom elements do. */
  readonly elements: ReadonlyArray<Placed>
  /** Text of each `a` and heading, alternative texts of images included. */
  readonly textOf: ReadonlyMap<DomElement, string>
  readonly body: string
  /** The body without nav, header, footer and aside; code counts everywhere. */
  readonly main: string
  readonly names: AccessibleNames
}

/** Names of elements that give their content a context. */
const contexts = {
  head: "head",
  /** Elements without text of the page. */
  nonText: "head script style noscript title textarea select iframe object svg math",
  /** Elements around the main content. */
  frame: "nav header footer aside",
  silent: "script style noscript",
  code: "code pre samp",
  nav: "nav",
  /** A header or footer inside these elements belongs to them, not to the page (HTML-AAM 1.0 §3.5). */
  section: "article aside main section"
}
type Context = keyof typeof contexts

const contextNames: ReadonlyArray<Context> = ["head", "nonText", "frame", "silent", "code", "nav", "section"]
const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "))

/** Elements that separate no words. */
const inline = setOf(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr"
)
/** Elements to keep their text. */
const described = setOf("a h1 h2 h3 h4 h5 h6")
/** Elements that matter without an attribute. */
const telling = setOf("title meta img button script noscript h1 h2 h3 h4 h5 h6")

/** Properties of an element by its name. */
interface Kind {
  readonly isInline: boolean
  readonly isDescribed: boolean
  readonly isTelling: boolean
  /** Contexts that the element opens. */
  readonly opens: ReadonlyArray<Context>
}

const kindOf = (name: string): Kind => ({
  isInline: inline.has(name),
  isDescribed: described.has(name),
  isTelling: telling.has(name),
  opens: contextNames.filter((context) => setOf(contexts[context]).has(name))
})

/** All properties by name, so each element needs one look-up. */
const kinds = new Map(
  [...inline, ...described, ...telling, ...Object.values(contexts).flatMap((names) => names.split(" "))].map((name) => [
    name,
    kindOf(name)
  ])
)
const other: Kind = { isInline: false, isDescribed: false, isTelling: false, opens: [] }

/** Open elements of each context at a place of the walk, and how many hide their content. */
type Position = Record<Context | "hidden" | "undisplayed" | "header" | "footer", number>

/** Flattens a parsed document in one walk. */
export const outline = ({ document }: ParsedDocument): Outline => {
  const elements: Array<Placed> = []
  const texts = new Texts()
  const at: Position = {
    head: 0,
    nonText: 0,
    frame: 0,
    silent: 0,
    code: 0,
    hidden: 0,
    undisplayed: 0,
    nav: 0,
    section: 0,
    header: 0,
    footer: 0
  }
  const move = ({ opens }: Kind, by: 1 | -1) => {
    for (const context of opens) at[context] += by
  }
  const hide = (element: DomElement, by: 1 | -1) => {
    if (isHidden(element)) at.hidden += by
    if (isUndisplayed(element)) at.undisplayed += by
  }
  const land = (element: DomElement, attributes: boolean, by: 1 | -1) => {
    const landmark = landmarkOf(element, attributes, at)
    if (landmark !== null) at[landmark] += by
  }

  const root = document.documentElement
  const names = new AccessibleNames(root ?? document.createElement("html", html.NS.HTML))
  if (root === null) return { elements, textOf: texts.ofElement, names, body: "", main: "" }
  walk(root, {
    enter: (element) => {
      const name = element.localName
      const kind = kinds.get(name) ?? other
      const namespace = element.namespaceURI
      const attributes = element.hasAttributes()
      if (attributes) hide(element, 1)
      land(element, attributes, 1)
      if (element === root || attributes || kind.isTelling || name.includes("-"))
        elements.push({
          element,
          name,
          namespace,
          inHead: at.head > 0,
          isHidden: at.hidden > 0,
          isUnseen: at.hidden + at.undisplayed > 0,
          place: placeOf(at)
        })
      if (!kind.isInline) texts.add(" ", at)
      move(kind, 1)
      if (kind.isDescribed) texts.begin(element)
      if (name === "img" && namespace === html.NS.HTML) texts.describe(squeeze(element.getAttribute("alt") ?? ""))
    },
    leave: (element) => {
      const kind = kinds.get(element.localName) ?? other
      move(kind, -1)
      const attributes = element.hasAttributes()
      land(element, attributes, -1)
      if (attributes) hide(element, -1)
      texts.end(element)
      if (!kind.isInline) texts.add(" ", at)
    },
    text: ({ data }) => texts.add(squeeze(data), at)
  })
  return {
    elements,
    textOf: texts.ofElement,
    names,
    body: texts.body.toString(),
    main: texts.main.toString()
  }
}
