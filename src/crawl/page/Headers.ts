import { computedMIMEType, MIMEType } from "whatwg-mimetype"
import { canonical, type HeaderLink, hreflang, linkHeader, type Refresh, refresh } from "./Links.ts"
import { type RobotsTag, robotsTags } from "./Meta.ts"
import { tokens } from "./Text.ts"
import { type CanonicalLink, type HreflangLink, httpIdentity, parseUrl, plainBase } from "./UrlIdentity.ts"

/** Header lines in the order received; a repeated name is a repeated pair. */
export type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>

/** Facts of the response headers about the page. */
export interface HeaderFacts {
  readonly robotsTags: ReadonlyArray<RobotsTag>
  readonly canonicals: ReadonlyArray<CanonicalLink>
  readonly hreflangs: ReadonlyArray<HreflangLink>
  /** Targets of `Link` headers with `rel=next`. */
  readonly next: ReadonlyArray<string>
  readonly refresh: Refresh | null
}

/** All values of a header in the order received; names are compared without case. */
export const headersOf = (lines: HeaderLines, name: string): ReadonlyArray<string> =>
  lines.flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []))

/** The first value of a header; null when absent. */
export const headerOf = (lines: HeaderLines, name: string): string | null => headersOf(lines, name)[0] ?? null

/**
 * A header field's reference for a URL parser. The client passes field values one character per byte: bytes above 0x7F are percent-encoded unchanged, in any
 * encoding (Fetch standard, location URL).
 */
export const headerReference = (value: string): string =>
  value.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

/** A link with a foreign anchor describes another resource (RFC 8288 §3.2). */
const isAbout = (url: string, link: HeaderLink): boolean => {
  const anchor = link.parameters.get("anchor")
  return anchor === undefined || parseUrl(anchor, url)?.href === parseUrl(url, null)?.href
}

const hasRel = (link: HeaderLink, rel: string): boolean => tokens(link.parameters.get("rel") ?? "").includes(rel)

/** Reads the headers of the response for `url`; references resolve against that URL, never against a `<base>`. */
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

/** The kind of document. */
interface ContentType {
  /** Type and subtype, lower-cased; null without a usable header or a recognised content. */
  readonly essence: string | null
  /** The charset parameter as sent; null when absent. */
  readonly charset: string | null
  /** Whether the document is a page: `text/html` or `application/xhtml+xml`. */
  readonly isHtml: boolean
  /** True when the header was absent or unreadable, so the bytes were sniffed. */
  readonly sniffed: boolean
}

const isPage = (essence: string) => essence === "text/html" || essence === "application/xhtml+xml"

/** Reads the last readable Content-Type (Fetch standard, extract a MIME type), and sniffs the bytes only when there is none. */
export const contentType = (headers: HeaderLines, body: Uint8Array): ContentType => {
  const types = headers
    .filter(([name]) => name.toLowerCase() === "content-type")
    .map(([, value]) => MIMEType.parse(value))
    .filter((type) => type !== null && type.essence !== "*/*")
  const type = types.at(-1) ?? null
  if (type !== null) {
    const { essence, parameters } = type
    return { essence, charset: parameters.get("charset") ?? null, isHtml: isPage(essence), sniffed: false }
  }
  if (body.length === 0) return { essence: null, charset: null, isHtml: false, sniffed: true }
  const { essence } = computedMIMEType(body)
  return { essence, charset: null, isHtml: isPage(essence), sniffed: true }
}
