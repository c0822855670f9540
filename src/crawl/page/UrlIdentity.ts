import { bareHost, isWeb } from "../../foundation/schema/Scalars.ts"
import type { PagePlace } from "../report/Finding.ts"
import { hasCredentials, maskedReference } from "./Credentials.ts"
import { tableOf } from "./Encoding.ts"
import { keep, maxUrl, strip } from "./Text.ts"

/** The target of a reference, or why the crawl cannot follow it. */
export type LinkTarget =
  | {
      readonly followable: true
      /** The normalized URL: absolute, no fragment, percent-escapes upper-cased. */
      readonly url: string
      /** The fragment without `#` and without directives for the browser; null when absent. */
      readonly fragment: string | null
    }
  | {
      readonly followable: false
      /** `scheme`: not http(s) (mailto, tel, javascript, data, blob …); `credentials`: with a user name or password; `edge`: `/cdn-cgi/`; `too_long`: above 2,048 characters; `invalid`: does not parse, or names `undefined` and the like as its host. */
      readonly reason: "scheme" | "credentials" | "edge" | "too_long" | "invalid"
      /** The scheme with `:` for `scheme`, otherwise the reference as written. */
      readonly detail: string
    }

/** A hyperlink or nested document of the page. */
export interface PageLink {
  readonly kind: "a" | "area" | "iframe" | "frame"
  /** The attribute as written, trimmed and capped, without user name and password. */
  readonly raw: string
  readonly target: LinkTarget
  /** Lower-cased `rel` tokens in order. */
  readonly rel: ReadonlyArray<string>
  /** True when `rel` holds nofollow, ugc or sponsored. */
  readonly nofollow: boolean
  /** Anchor text (or the `alt` of images inside, `alt` of an area, `title` of a frame), collapsed, ≤ 200 characters. */
  readonly text: string
  /** The link has an accessible name, or is hidden and needs none. */
  readonly isNamed: boolean
  /** The link's script opens or closes something on the page: as a URL it would lead nowhere. */
  readonly isToggle: boolean
  readonly place: PagePlace
  /** The element of a link that alone may show an issue: without a name, without a URL, or with nofollow; null for others. */
  readonly markup: string | null
  /** The start tag if it has attributes besides the URL; null for others, and for links with `markup`. */
  readonly tag: string | null
}

/** A `rel=canonical`, from a `<link>` element or a `Link` header. */
export interface CanonicalLink {
  readonly source: "html" | "header"
  readonly raw: string
  /** Normalized URL; null when `valid` is false. */
  readonly url: string | null
  /** False for an empty, unparsable or non-http(s) reference, and for a reference with a user name or password. */
  readonly valid: boolean
  /** Whether the reference was already absolute as written. */
  readonly absolute: boolean
  /** The fragment of the reference without `#`, null when absent. */
  readonly fragment: string | null
  /** True for headers, and for elements that the parser left in `<head>`. */
  readonly inHead: boolean
}

/** A `rel=alternate hreflang`, from a `<link>` element, a `Link` header or the page's entry in a sitemap. */
export interface HreflangLink {
  readonly source: "html" | "header" | "sitemap"
  /** The language as written, lower-cased and trimmed. */
  readonly language: string
  /** The language as written, with its case. */
  readonly written: string
  /** Whether the language is `x-default` or a language[-script][-region] tag with assigned codes. */
  readonly wellFormed: boolean
  readonly raw: string
  readonly url: string | null
  readonly inHead: boolean
}

/** Any other `<link rel href>`. */
export interface RelationLink {
  readonly rel: ReadonlyArray<string>
  readonly raw: string
  readonly url: string | null
  readonly type: string | null
  readonly media: string | null
  readonly inHead: boolean
}

/** Encodings that are never written: their documents write UTF-8 (Encoding standard, get an output encoding). */
const readOnly = new Set(["replacement", "utf-16be", "utf-16le"])

/** The replacement for a character that the encoding lacks: its character reference, escaped (URL standard, percent-encode after encoding). */
const missing = (character: string): string => `%26%23${character.codePointAt(0) ?? 0}%3B`

/** A byte of a query; escapes controls, space, quotes, `#`, `<`, `>`, and all above `~` (URL standard, special-query percent-encode set). */
const escaped = (byte: number): string =>
  byte <= 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x23 || byte === 0x27 || byte === 0x3c || byte === 0x3e
    ? `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    : String.fromCharCode(byte)

const written = (bytes: Iterable<number>): string => Array.from(bytes, escaped).join("")

/** Supplementary characters of GB 18030 follow from their number (Encoding standard, index gb18030 ranges). */
const supplementary = (point: number): ReadonlyArray<number> => {
  const pointer = point - 0x10000 + 189_000
  return [
    0x81 + Math.floor(pointer / 12_600),
    0x30 + (Math.floor(pointer / 1260) % 10),
    0x81 + (Math.floor(pointer / 10) % 126),
    0x30 + (pointer % 10)
  ]
}

const bytesOf = (character: string, encoding: string): Iterable<number> | undefined => {
  const point = character.codePointAt(0) ?? 0
  if (point < 0x80) return [point]
  const found = tableOf(encoding).get(character)
  return found === undefined && encoding === "gb18030" && point > 0xffff ? supplementary(point) : found
}

const toJis = "\x1b$B"
const toAscii = "\x1b(B"

/** A text in ISO-2022-JP, which switches between one and two bytes a character, ends in ASCII, and writes half-width katakana as full-width. */
const iso2022jp = (text: string): string => {
  let out = ""
  let isWide = false
  const say = (bytes: string) => {
    for (const byte of bytes) out += escaped(byte.charCodeAt(0))
  }
  const turn = (wide: boolean) => {
    if (wide !== isWide) say(wide ? toJis : toAscii)
    isWide = wide
  }
  for (const character of text) {
    const full = /[\uFF61-\uFF9F]/.test(character) ? character.normalize("NFKC") : character
    const [lead, trail] = tableOf("euc-jp").get(full) ?? []
    const isPair = full.charCodeAt(0) > 0x7f && lead !== undefined && trail !== undefined
    turn(isPair)
    if (isPair) say(String.fromCharCode(lead & 0x7f, trail & 0x7f))
    else out += full.charCodeAt(0) > 0x7f ? missing(full) : escaped(full.charCodeAt(0))
  }
  turn(false)
  return out
}

/** A query in the encoding of its document, escaped like the URL parser's UTF-8. */
const encoded = (query: string, encoding: string): string => {
  if (encoding === "iso-2022-jp") return iso2022jp(query)
  let out = ""
  for (const character of query.toWellFormed()) {
    const bytes = bytesOf(character, encoding)
    out += bytes === undefined ? missing(character) : written(bytes)
  }
  return out
}

/**
 * A reference for the URL parser in a document of this encoding: the query is in the document's encoding, path and fragment are in UTF-8 (HTML standard,
 * encoding-parse a URL). A `+` and existing escapes stay.
 */
const inEncoding = (reference: string, encoding: string): string => {
  if (encoding === "utf-8" || readOnly.has(encoding) || !/[^\0-\x7f]/.test(reference)) return reference
  // The URL parser drops these characters first.
  const text = reference.replace(/^[\0- ]+|[\0- ]+$/g, "").replace(/[\t\n\r]/g, "")
  const hash = text.indexOf("#")
  const end = hash === -1 ? text.length : hash
  const start = text.slice(0, end).indexOf("?")
  if (start === -1) return reference
  return text.slice(0, start + 1) + encoded(text.slice(start + 1, end), encoding) + text.slice(end)
}

/** The base of a document's references. */
export interface BaseUrl {
  readonly href: string
  /** The document's encoding, for queries of its references (HTML standard, encoding-parse a URL). */
  readonly encoding: string
}

/** A base for references outside a document, such as in header fields: the URL standard's UTF-8 applies. */
export const plainBase = (href: string): BaseUrl => ({ href, encoding: "utf-8" })

/** Parses a reference as the URL standard does, against a base unless it is null; null for an invalid URL. */
export const parseUrl = (reference: string, base: string | null): URL | null => URL.parse(reference, base ?? undefined)

const unreserved = /[A-Za-z0-9._~-]/

/** Percent-escapes in normal form: decoded for unreserved characters, else in upper case (RFC 3986 §6.2.2). */
export const normalEscapes = (text: string): string =>
  text.includes("%")
    ? text.replace(/%[0-9A-Fa-f]{2}/g, (escape, at: number) => {
        const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
        // After a stray `%` the decoded character would become part of a new escape.
        const isStray = /%[0-9A-Fa-f]?$/.test(text.slice(Math.max(0, at - 2), at))
        return unreserved.test(character) && !isStray ? character : escape.toUpperCase()
      })
    : text

/** The normal form of a URL, equal for equal pages: no fragment, normal percent-escapes, all else as the URL standard writes it. */
export const identity = (url: URL): string => {
  const [href = ""] = url.href.split("#", 1)
  return normalEscapes(href)
}

/** Parses a reference of a document, with its query in the document's encoding. */
export const parseReference = (reference: string, { encoding, href }: BaseUrl): URL | null => {
  const url = parseUrl(reference, href)
  return url === null || !isWeb(url) ? url : parseUrl(inEncoding(reference, encoding), href)
}

/** The normalized http(s) URL of a reference, without user name and password, and not too long; null otherwise. */
export const httpIdentity = (reference: string, base: BaseUrl): string | null => {
  const url = parseReference(reference, base)
  if (url === null || !isWeb(url) || hasCredentials(url)) return null
  const found = identity(url)
  return found.length > maxUrl ? null : keep(found, maxUrl)
}

/** The prefixes of URLs on a URL's own host: with or without `www.`, over http and https, on its port. */
export const ownPrefixes = ({ hostname, port }: URL): ReadonlyArray<string> => {
  const bare = bareHost(hostname)
  const hosts = [bare, `www.${bare}`].map((host) => (port === "" ? host : `${host}:${port}`))
  return hosts.flatMap((host) => [`https://${host}/`, `http://${host}/`])
}

/** Longer fragments are cut. */
export const maxFragment = 200

/** The fragment of a URL without `#`; null when absent. A directive (`:~:text=…`) is for the browser and is cut off (URL Fragment Text Directives, §3.3). */
export const fragmentOf = ({ href }: URL): string | null => {
  const hash = href.indexOf("#")
  if (hash === -1) return null
  const [part = ""] = href.slice(hash + 1).split(":~:", 1)
  return keep(part, maxFragment)
}

const refused = (
  reason: Extract<LinkTarget, { readonly followable: false }>["reason"],
  detail: string
): LinkTarget => ({
  followable: false,
  reason,
  detail: keep(detail, 200)
})

/** Hosts of unfilled templates; host names have no braces (RFC 1123 §2.1). */
const noHost = /^(?:undefined|null|nan|none|nil)$|[{}]/

/** The target of a reference from a base URL, or why the crawl cannot follow it. */
export const resolve = (reference: string, base: BaseUrl): LinkTarget => {
  const url = parseReference(reference, base)
  if (url === null) return refused("invalid", maskedReference(strip(reference)))
  if (!isWeb(url)) return refused("scheme", url.protocol)
  if (hasCredentials(url)) return refused("credentials", maskedReference(url.href))
  if (noHost.test(url.hostname)) return refused("invalid", strip(reference))
  // The CDN's own paths (e-mail cloaking, challenge scripts) are not the site's pages.
  if (url.pathname.startsWith("/cdn-cgi/")) return refused("edge", url.pathname)
  const found = identity(url)
  if (found.length > maxUrl) return refused("too_long", found)
  return { followable: true, url: keep(found, maxUrl), fragment: fragmentOf(url) }
}
