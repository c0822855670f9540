import type { CanonicalLink } from "./LinkFacts.ts"
import { keep, maxUrl, strip } from "./Strings.ts"
import { type BaseUrl, httpIdentity, parseUrl } from "./UrlIdentity.ts"

/** A canonical declaration from its reference as written; an empty reference is not one to the page itself but a mistake. */
export const canonical = (link: {
  readonly source: "html" | "header"
  readonly href: string
  readonly base: BaseUrl
  readonly inHead: boolean
}): CanonicalLink => {
  const raw = strip(link.href)
  const url = raw === "" ? null : httpIdentity(raw, link.base)
  const hash = raw.indexOf("#")
  return {
    source: link.source,
    raw: keep(raw, maxUrl),
    url,
    valid: url !== null,
    absolute: parseUrl(raw, null) !== null,
    fragment: hash === -1 ? null : keep(raw.slice(hash + 1), 200),
    inHead: link.inHead
  }
}
