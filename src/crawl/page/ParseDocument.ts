import type { Steps } from "../../foundation/schema/Steps.ts"
import { type DomDocument, linkedomDocument } from "./Dom.ts"
import { leanDocument } from "./LeanDom.ts"
import { parse } from "./Parsing.ts"

/** A parsed page: its tree, and what belongs to the document rather than to a node. */
export interface ParsedDocument {
  readonly document: DomDocument
  readonly doctype: boolean
  readonly quirks: "no-quirks" | "limited-quirks" | "quirks"
  /** False when the budget of nodes or of work ended before the text did. */
  readonly wholly: boolean
}

/** Longer texts become lean nodes: linkedom's take several times the memory and twice the time, which shows from here on. */
const large = 16_384

/** Parses a page into a DOM. */
export function* parseDocument(text: string): Steps<ParsedDocument> {
  const document = text.length > large ? leanDocument() : linkedomDocument()
  const { doctype, mode, wholly } = yield* parse(text, document)
  return { document, doctype, quirks: mode, wholly }
}
