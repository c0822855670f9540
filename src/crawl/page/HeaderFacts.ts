import { canonical, hreflang } from "./DeclaredLinks.ts"
import type { CanonicalLink, HreflangLink } from "./LinkFacts.ts"
import { type HeaderLink, linkHeader } from "./LinkHeader.ts"
import { type Refresh, refresh } from "./Refresh.ts"
import { type RobotsTag, robotsTags } from "./RobotsTag.ts"
import { tokens } from "./Strings.ts"
import { httpIdentity, parseUrl, plainBase } from "./UrlIdentity.ts"

/** Header lines in the order received; a repeated name is a repeated pair. */
export type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>

/** What the response headers say about the page. */
export interface HeaderFacts {
  readonly robotsTags: ReadonlyArray<RobotsTag>
  readonly canonicals: ReadonlyArray<CanonicalLink>
  readonly hreflangs: ReadonlyArray<HreflangLink>
  /** Pages that a `Link` with `rel=next` names. */
  readonly next: ReadonlyArray<string>
  readonly refresh: Refresh | null
}

/** All values of a header in the order received; names are compared without case. */
export const headersOf = (lines: HeaderLines, name: string): ReadonlyArray<string> =>
  lines.flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []))

/** The first value of a header, null when absent. */
export const headerOf = (lines: HeaderLines, name: string): string | null => headersOf(lines, name)[0] ?? null

/**
 * A reference of a header field as a URL parser takes it. Field values are bytes, which the client hands on one character
 * each: those above 0x7F are percent-encoded as they are, whatever encoding they were meant in (Fetch standard, location URL).
 */
export const headerReference = (value: string): string =>
  value.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

/** A link with a foreign anchor speaks about another resource (RFC 8288 §3.2). */
const isAbout = (url: string, link: HeaderLink): boolean => {
  const anchor = link.parameters.get("anchor")
  return anchor === undefined || parseUrl(anchor, url)?.href === parseUrl(url, null)?.href
}

const hasRel = (link: HeaderLink, rel: string): boolean => tokens(link.parameters.get("rel") ?? "").includes(rel)

/** Reads the headers of the response for `url`; its references resolve against that URL, never against a `<base>`. */
export const readHeaders = (url: string, headers: HeaderLines): HeaderFacts => {
  const base = plainBase(url)
  const links = headersOf(headers, "link")
    .map(headerReference)
    .flatMap(linkHeader)
    .filter((link) => isAbout(url, link))
  return {
    robotsTags: headersOf(headers, "x-robots-tag").flatMap(robotsTags),
    canonicals: links
      .filter((link) => hasRel(link, "canonical"))
      .map(({ target }) => canonical({ source: "header", href: target, base, inHead: true })),
    hreflangs: links.flatMap((link) => {
      const language = link.parameters.get("hreflang")
      if (language === undefined || !hasRel(link, "alternate")) return []
      return [hreflang({ source: "header", language, href: link.target, base, inHead: true })]
    }),
    next: links.flatMap((link) => (hasRel(link, "next") ? (httpIdentity(link.target, base) ?? []) : [])),
    refresh: headersOf(headers, "refresh").reduce<Refresh | null>(
      (first, raw) => first ?? refresh(headerReference(raw), base, url),
      null
    )
  }
}
