import { html } from "parse5"
import { each, type Steps } from "../../foundation/schema/Steps.ts"
import type { PagePlace } from "../report/PagePlace.ts"
import { markupOf, maxMarkup } from "./MarkupOf.ts"
import type { Outline } from "./Outline.ts"
import { keep, maxUrl, strip } from "./Strings.ts"

/** What a page's Open Graph says of it, as far as rules look at it. */
export interface OpenGraph {
  /** Of the four properties that the protocol requires those that are absent or empty. */
  readonly missing: ReadonlyArray<string>
  /** Addresses that are not absolute. */
  readonly relative: ReadonlyArray<RelativeAddress>
}

interface RelativeAddress {
  readonly property: string
  readonly value: string
  readonly markup: string
  readonly place: PagePlace
}

const required = ["og:title", "og:type", "og:image", "og:url"]
/** Properties that hold an address; the structured ones of the image say the same as the image itself. */
const addresses: ReadonlyMap<string, string> = new Map([
  ["og:url", "og:url"],
  ["og:image", "og:image"],
  ["og:image:url", "og:image"],
  ["og:image:secure_url", "og:image"]
])
const maxRelative = 5
const worthOfLook = 2

/** Reads the Open Graph properties; some sites write `name` where `property` belongs, which readers accept. */
export function* openGraph({ elements }: Outline): Steps<OpenGraph> {
  const said = new Set<string>()
  const relative: Array<RelativeAddress> = []
  yield* each(elements, ({ element, name, namespace, place }) => {
    if (name !== "meta" || namespace !== html.NS.HTML) return 1
    const property = (element.getAttribute("property") ?? element.getAttribute("name") ?? "").trim().toLowerCase()
    const value = property.startsWith("og:") ? strip(element.getAttribute("content") ?? "") : ""
    if (value === "") return worthOfLook
    said.add(addresses.get(property) ?? property)
    if (addresses.has(property) && !URL.canParse(value) && relative.length < maxRelative)
      relative.push({ property, value: keep(value, maxUrl), markup: keep(markupOf(element), maxMarkup), place })
    return worthOfLook + value.length
  })
  return { missing: required.filter((property) => !said.has(property)), relative }
}
