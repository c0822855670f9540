import { html, type Token } from "parse5"
import type { Steps } from "../../foundation/schema/Steps.ts"
import { declaredBy } from "./Labels.ts"
import { leanDocument } from "./LeanDom.ts"
import { parse } from "./Parsing.ts"

const attributeOf = (attributes: ReadonlyArray<Token.Attribute>, name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name)?.value

/**
 * The encoding that the first `meta` with a known charset declares, as the parser meets it (HTML standard, changing the
 * encoding while parsing), or null. Parsing stops there; it is wanted when the declaration stands beyond the prescan.
 */
export function* lateMeta(text: string): Steps<string | null> {
  if (!/charset/i.test(text)) return null
  let found: string | null = null
  yield* parse(text, leanDocument(), (name, namespace, attributes) => {
    if (found === null && name === "meta" && namespace === html.NS.HTML) {
      found = declaredBy({
        charset: attributeOf(attributes, "charset"),
        httpEquiv: attributeOf(attributes, "http-equiv"),
        content: attributeOf(attributes, "content")
      })
    }
    return found !== null
  })
  return found
}
