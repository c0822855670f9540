import type { BaseUrl } from "./BaseUrl.ts"
import { collapse, keep } from "./Keep.ts"
import type { HreflangLink } from "./LinkFacts.ts"
import { httpIdentity } from "./UrlIdentity.ts"

/** Language, optional script, optional region (BCP 47 as search engines take it), or the default. */
const wellFormed = /^(?:x-default|[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?)$/

/** A language alternate from its parts as written. */
export const hreflang = (link: {
  readonly source: "html" | "header"
  readonly language: string
  readonly href: string
  readonly base: BaseUrl
  readonly inHead: boolean
}): HreflangLink => {
  const language = collapse(link.language).toLowerCase()
  return {
    source: link.source,
    language: keep(language, 50),
    wellFormed: wellFormed.test(language),
    raw: keep(link.href.trim(), 2048),
    url: httpIdentity(link.href, link.base),
    inHead: link.inHead
  }
}
