import { html } from "parse5"
import { canonical, hreflang } from "./DeclaredLinks.ts"
import type { CanonicalLink, HreflangLink, RelationLink } from "./LinkFacts.ts"
import type { Outline } from "./Outline.ts"
import { collapse, keep, maxUrl, strip, tokens } from "./Strings.ts"
import { type BaseUrl, httpIdentity } from "./UrlIdentity.ts"

const maxElements = 1000

/** What the `<link>` elements of a document declare, each kind in document order. */
interface LinkElements {
  readonly canonicals: ReadonlyArray<CanonicalLink>
  readonly hreflangs: ReadonlyArray<HreflangLink>
  readonly relations: ReadonlyArray<RelationLink>
}

const attribute = (value: string | null): string | null => (value === null ? null : keep(collapse(value), 100))

/** Reads the `link[rel][href]` elements; one element may be canonical and alternate at once. */
export const linkElements = ({ elements }: Outline, base: BaseUrl): LinkElements => {
  const canonicals: Array<CanonicalLink> = []
  const hreflangs: Array<HreflangLink> = []
  const relations: Array<RelationLink> = []
  const isLink = ({ name, namespace }: (typeof elements)[number]) => name === "link" && namespace === html.NS.HTML
  for (const { element, inHead } of elements.filter(isLink).slice(0, maxElements)) {
    const href = element.getAttribute("href")
    const rel = tokens(element.getAttribute("rel") ?? "")
    if (href === null || rel.length === 0) continue
    const language = rel.includes("alternate") ? element.getAttribute("hreflang") : null
    if (rel.includes("canonical")) canonicals.push(canonical({ source: "html", href, base, inHead }))
    if (language !== null) hreflangs.push(hreflang({ source: "html", language, href, base, inHead }))
    if (language === null && !rel.includes("canonical")) {
      relations.push({
        rel,
        raw: keep(strip(href), maxUrl),
        url: httpIdentity(href, base),
        type: attribute(element.getAttribute("type")),
        media: attribute(element.getAttribute("media")),
        inHead
      })
    }
  }
  return { canonicals, hreflangs, relations }
}
