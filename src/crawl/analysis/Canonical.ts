import type { CanonicalLink } from "../page/LinkFacts.ts"
import type { Visit } from "../visit/Visit.ts"

/** What a page says its canonical URL is: only valid references count, and elements only inside the head. */
export interface Canonical {
  readonly links: ReadonlyArray<CanonicalLink>
  /** Distinct URLs declared. */
  readonly urls: ReadonlyArray<string>
  /** The one declared URL; null when there is none, or when several disagree, which engines ignore. */
  readonly url: string | null
  readonly conflicting: boolean
}

export const canonicalOf = (visit: Visit | null): Canonical => {
  const links = [...(visit?.facts?.canonicals ?? []), ...(visit?.headerFacts?.canonicals ?? [])]
  const urls = [...new Set(links.flatMap(({ inHead, url, valid }) => (valid && inHead && url !== null ? [url] : [])))]
  return { links, urls, url: urls.length === 1 ? (urls[0] ?? null) : null, conflicting: urls.length > 1 }
}
