import { html } from "parse5"
import { each, type Steps } from "../../foundation/schema/Steps.ts"
import type { PageLink } from "./LinkFacts.ts"
import { markupOf } from "./MarkupOf.ts"
import type { Outline, Placed } from "./Outline.ts"
import { collapse, keep, maxUrl, strip, tokens } from "./Strings.ts"
import { isToggle } from "./Toggles.ts"
import { type BaseUrl, resolve } from "./UrlIdentity.ts"

/** Links kept of one page; the number of all is a fact of its own. */
const maxLinks = 10_000
const maxText = 200
/** Cost of looking at an element and reading a link, in characters. */
const worthOfLook = 4
const worthOfLink = 128

const frames = new Set(["iframe", "frame"])
const distrusted = new Set(["nofollow", "ugc", "sponsored"])

/** The reference of a link element as written, null for anything else; `a` exists in SVG too, where `xlink:href` is the old name. */
const referenceOf = ({ element, name, namespace }: Placed): string | null => {
  if (name === "a" && namespace === html.NS.SVG)
    return element.getAttribute("href") ?? element.getAttribute("xlink:href")
  if (namespace !== html.NS.HTML) return null
  if (name === "a" || name === "area") return element.getAttribute("href")
  return frames.has(name) ? element.getAttribute("src") : null
}

const kindOf = (name: string): PageLink["kind"] =>
  name === "area" || name === "iframe" || name === "frame" ? name : "a"

const textOf = ({ textOf: texts }: Outline, { element, name }: Placed): string => {
  if (name === "a") return texts.get(element) ?? ""
  return collapse(element.getAttribute(name === "area" ? "alt" : "title") ?? "")
}

/** `a[href]`, `area[href]`, `iframe[src]` and `frame[src]` in document order, and how many there are. */
export function* links(
  document: Outline,
  base: BaseUrl
): Steps<{ readonly links: ReadonlyArray<PageLink>; readonly count: number }> {
  const found: Array<PageLink> = []
  let count = 0
  yield* each(document.elements, (placed) => {
    const reference = referenceOf(placed)
    if (reference === null || ++count > maxLinks) return worthOfLook
    const before = document.names.spent
    const name = placed.name === "a" ? document.names.of(placed.element) : ""
    const text = textOf(document, placed)
    const rel = tokens(placed.element.getAttribute("rel") ?? "")
    const target = resolve(reference, base)
    const nofollow = rel.some((token) => distrusted.has(token))
    const isNamed = name !== "" || placed.isUnseen
    found.push({
      kind: kindOf(placed.name),
      raw: keep(strip(reference), maxUrl),
      target,
      rel,
      nofollow,
      text: keep(text === "" ? name : text, maxText),
      isNamed,
      isToggle: isToggle(placed.element, reference, name),
      inNoscript: placed.inNoscript,
      place: placed.place,
      markup: isNamed && target.followable && !nofollow ? null : markupOf(placed.element)
    })
    return worthOfLink + reference.length + document.names.spent - before
  })
  return { links: found, count }
}
