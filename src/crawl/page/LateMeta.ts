import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, Parser, type Token } from "parse5"
import { maxNodes } from "./Dom.ts"
import { declaredBy } from "./MetaCharset.ts"

const attributeOf = (attributes: ReadonlyArray<Token.Attribute>, name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name)?.value

/**
 * The encoding that the first `meta` with a known charset declares, as the parser meets it (HTML standard, changing the
 * encoding while parsing), or null. Parsing stops there; it is wanted when the declaration stands beyond the prescan.
 */
export const lateMeta = (text: string): string | null => {
  if (!/charset/i.test(text)) return null
  let found: string | null = null
  let nodes = 0
  const parser = new Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>({
    scriptingEnabled: false,
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement: (name, namespace, attributes) => {
        if (found === null && name === "meta" && namespace === html.NS.HTML) {
          found = declaredBy({
            charset: attributeOf(attributes, "charset"),
            httpEquiv: attributeOf(attributes, "http-equiv"),
            content: attributeOf(attributes, "content")
          })
        }
        if (found !== null || ++nodes > maxNodes) parser.tokenizer.pause()
        return defaultTreeAdapter.createElement(name, namespace, attributes)
      }
    }
  })
  parser.tokenizer.write(text, true)
  return found
}
