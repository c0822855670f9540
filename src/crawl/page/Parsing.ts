import { html, Parser, type Token } from "parse5"
import type { Steps } from "../../foundation/schema/Steps.ts"
import { type DomDocument, linkedomDocument, type ParsedDocument } from "./Dom.ts"
import { leanDocument } from "./LeanDom.ts"
import { Tokens } from "./Tokens.ts"
import { type Declarations, type Nodes, treeBuilder } from "./TreeBuilder.ts"

/** Characters parsed in one step: some 20 ms of a hostile page. */
const stepLength = 32_768

/** Elements, attributes and texts that one document may be built of: formatting elements can multiply without end. */
const maxNodes = 200_000

/**
 * For many a tag the parser looks through its open elements and its active formatting elements, which were open once: the
 * work of a step is its length times the most elements that were open. Forty thousand million of it take less than a second, and are
 * 100,000 elements inside each other. The bound is one of work, not of time, so that every run reads a page equally far.
 */
const stepWork = 100_000_000
const maxWork = 40_000_000_000
/** With this many elements open a character is twice the work that it usually is. */
const usualDepth = 1000

/** Called for each element before it is created; true ends the parsing there. */
type IsEnough = (name: string, namespace: html.NS, attributes: ReadonlyArray<Token.Attribute>) => boolean

/** The result of parsing: facts of the document that are no nodes, and whether all of the text was parsed. */
interface Parsed extends Declarations {
  readonly wholly: boolean
}

/**
 * Parses HTML by the standard's algorithm into an empty document, step by step. Scripting is off, as it is in this
 * crawler: the content of `noscript` is elements. The content of `template` is kept out of the tree.
 */
export function* parse(text: string, document: DomDocument, isEnough: IsEnough = () => false): Steps<Parsed> {
  const facts: Declarations = { doctype: false, mode: html.DOCUMENT_MODE.NO_QUIRKS, nodes: 0 }
  const adapter = treeBuilder(facts, document)
  let isStopped = false
  const parser = new Parser<Nodes>({
    scriptingEnabled: false,
    treeAdapter: {
      ...adapter,
      createElement: (name, namespace, attributes) => {
        if (facts.nodes > maxNodes || isEnough(name, namespace, attributes)) {
          isStopped = true
          parser.tokenizer.pause()
        }
        return adapter.createElement(name, namespace, attributes)
      }
    }
  })
  parser.tokenizer = new Tokens(parser)
  let at = 0
  let open = 1
  for (let work = 0; !isStopped && work < maxWork; ) {
    const length = Math.min(stepLength, Math.ceil(stepWork / open))
    const end = at + length
    parser.tokenizer.write(text.slice(at, end), end >= text.length)
    if (end >= text.length) return { ...facts, wholly: !isStopped }
    open = Math.max(open, parser.openElements.stackTop)
    work += length * open
    at = end
    yield length * (1 + open / usualDepth)
  }
  return { ...facts, wholly: false }
}

/** Longer texts become lean nodes: of a hostile page linkedom's take a third more memory, which the bound of a crawl's memory has no room for. */
const large = 16_384

/** Parses a page into a DOM. */
export function* parseDocument(text: string): Steps<ParsedDocument> {
  const document = text.length > large ? leanDocument() : linkedomDocument()
  const { doctype, mode, wholly } = yield* parse(text, document)
  return { document, doctype, quirks: mode, wholly }
}
