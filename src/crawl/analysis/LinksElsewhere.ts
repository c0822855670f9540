import type { LinkTarget } from "../page/LinkFacts.ts"
import { ownPrefixes } from "../page/UrlIdentity.ts"
import { sameSite } from "../site/Site.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"

/** A link to a page of another site. */
interface LinkElsewhere extends KeptLink {
  readonly target: Extract<LinkTarget, { readonly followable: true }>
}

/** The links of a page that lead to other sites than that of `start`; frames are no links that somebody follows. */
export const linksElsewhere = (start: URL, links: ReadonlyArray<KeptLink>): ReadonlyArray<LinkElsewhere> => {
  const own = ownPrefixes(start)
  // An address with credentials begins otherwise, and may be the site's own all the same.
  const isOwn = (url: string) =>
    own.some((prefix) => url.startsWith(prefix)) || (url.includes("@") && sameSite(start, new URL(url)))
  const isElsewhere = (link: KeptLink): link is LinkElsewhere =>
    link.target.followable && (link.kind === "a" || link.kind === "area") && !isOwn(link.target.url)
  return links.filter(isElsewhere)
}
