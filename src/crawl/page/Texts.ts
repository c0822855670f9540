import type { DomElement } from "./Dom.ts"
import { TextBuilder } from "./TextBuilder.ts"

/** Characters of text that are looked at; the cap on bytes parsed keeps pages below it. */
const maxText = 4_000_000
const maxDescription = 300
/** Links and headings can lie in each other by the thousand when other elements part them: the innermost go without text. */
const maxOpen = 64

/** How many elements are open that decide what a piece of text belongs to. */
type Within = Readonly<Record<"code" | "frame" | "head" | "noscript" | "nonText" | "silent", number>>

/** The texts of a document while it is walked through. */
export class Texts {
  readonly body = new TextBuilder(maxText)
  readonly main = new TextBuilder(maxText)
  readonly noscript = new TextBuilder(maxDescription)
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

  /** Adds to the texts of the elements that are open, as the alternative text of an image is. */
  describe(piece: string): void {
    for (const { text } of this.open) text.add(piece)
  }

  /** Adds a piece of the document's text to all that it belongs to. */
  add(piece: string, at: Within): void {
    if (at.silent > 0) return
    this.describe(piece)
    if (at.noscript > 0) this.noscript.add(piece)
    // Code is content wherever it is shown: in an object that shows it, or beside the text that explains it.
    const isCode = at.code > 0 && at.noscript + at.head === 0
    if (at.nonText > 0 && !isCode) return
    this.body.add(piece)
    if (at.frame === 0 || isCode) this.main.add(piece)
  }
}
