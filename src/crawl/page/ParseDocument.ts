import { html, Parser } from "parse5"
import { type DomDocument, maxNodes } from "./Dom.ts"
import { type Declarations, type Nodes, treeBuilder } from "./TreeBuilder.ts"

/** A parsed page: its tree, and what belongs to the document rather than to a node. */
export interface ParsedDocument {
  readonly document: DomDocument
  readonly doctype: boolean
  readonly quirks: "no-quirks" | "limited-quirks" | "quirks"
  /** False when the node budget ended before the text did. */
  readonly wholly: boolean
}

/**
 * Parses HTML by the standard's algorithm into linkedom's DOM. Scripting is off, as it is in this crawler: the content of
 * `noscript` is elements. The content of `template` is kept out of the tree. The work is bounded: at `maxNodes` it stops.
 */
export const parseDocument = (text: string): ParsedDocument => {
  const facts: Declarations = { doctype: false, mode: html.DOCUMENT_MODE.NO_QUIRKS, nodes: 0 }
  const adapter = treeBuilder(facts)
  const parser = new Parser<Nodes>({
    scriptingEnabled: false,
    treeAdapter: {
      ...adapter,
      createElement: (name, namespace, attributes) => {
        if (facts.nodes > maxNodes) parser.tokenizer.pause()
        return adapter.createElement(name, namespace, attributes)
      }
    }
  })
  parser.tokenizer.write(text, true)
  return { document: parser.document, doctype: facts.doctype, quirks: facts.mode, wholly: facts.nodes <= maxNodes }
}
