import { bareHost, isWeb } from "../../foundation/schema/Scalars.ts"
import type { PagePlace } from "../report/Finding.ts"
import { hasCredentials, maskedReference } from "./Credentials.ts"
import { tableOf } from "./Encoding.ts"
import { keep, maxUrl, strip } from "./Text.ts"

/** Where a reference leads, or why the crawl cannot follow it. */
export type LinkTarget =
  | {
      readonly followable: true
      /** The URL's identity: absolute, no fragment, percent-escapes upper-cased. */
      readonly url: string
      /** The fragment without `#` and without directives for the browser, null when absent. */
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
  /** It has an accessible name, or is hidden and needs none. */
  readonly isNamed: boolean
  /** Its script opens or closes something on the page: it would lead nowhere if it were an address. */
  readonly isToggle: boolean
  readonly place: PagePlace
  /** The element, of links at which the page alone may show a fault: without a name, without an address, or with nofollow; null for others. */
  readonly markup: string | null
  /** The start tag with its attributes, where it has more of them than the address; null for others, and for links with a markup. */
  readonly tag: string | null
}

/** A `rel=canonical`, from a `<link>` element or a `Link` header. */
export interface CanonicalLink {
  readonly source: "html" | "header"
  readonly raw: string
  /** Resolved identity, null when `valid` is false. */
  readonly url: string | null
  /** False for an empty, unparsable or non-http(s) reference, and for one with a user name or password. */
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
  /** The same as the page writes it, in its case. */
  readonly written: string
  /** Whether the language is `x-default` or a language[-script][-region] tag whose codes are assigned. */
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

/** Encodings in which nothing is written: documents in them write UTF-8 (Encoding standard, get an output encoding). */
const readOnly = new Set(["replacement", "utf-16be", "utf-16le"])

/** What stands for a character that the encoding lacks: its character reference, escaped (URL standard, percent-encode after encoding). */
const missing = (character: string): string => `%26%23${character.codePointAt(0) ?? 0}%3B`

/** Bytes that a query holds only escaped: controls, space, quotes, `#`, `<`, `>`, and all above `~` (URL standard, special-query percent-encode set). */
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

/** ISO-2022-JP switches between one and two bytes a character, and ends as it began; half-width katakana it writes full. */
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

/** A query in the encoding of its document, with everything escaped that the URL parser would escape in UTF-8. */
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
 * A reference as the URL parser is to read it in a document of this encoding: its query is encoded as the document is, path
 * and fragment always are in UTF-8 (HTML standard, encoding-parse a URL). A `+` stays one and escapes stay as they are.
 */
const inEncoding = (reference: string, encoding: string): string => {
  if (encoding === "utf-8" || readOnly.has(encoding) || !/[^\0-\x7f]/.test(reference)) return reference
  // The parser drops these before it looks at anything else.
  const text = reference.replace(/^[\0- ]+|[\0- ]+$/g, "").replace(/[\t\n\r]/g, "")
  const hash = text.indexOf("#")
  const end = hash === -1 ? text.length : hash
  const start = text.slice(0, end).indexOf("?")
  if (start === -1) return reference
  return text.slice(0, start + 1) + encoded(text.slice(start + 1, end), encoding) + text.slice(end)
}

/** What the references of a document resolve against. */
export interface BaseUrl {
  readonly href: string
  /** The document's encoding, in which the queries of its references are written (HTML standard, encoding-parse a URL). */
  readonly encoding: string
}

/** A base of references that stand in no document, such as those of header fields: the URL standard's own UTF-8 holds. */
export const plainBase = (href: string): BaseUrl => ({ href, encoding: "utf-8" })

/** Parses a reference as the URL standard does, against a base unless it is null; null when it is no URL. */
export const parseUrl = (reference: string, base: string | null): URL | null => URL.parse(reference, base ?? undefined)

const unreserved = /[A-Za-z0-9._~-]/

/** Percent-escapes in their one spelling: those of unreserved characters undone, the others in upper case (RFC 3986 §6.2.2). */
export const normalEscapes = (text: string): string =>
  text.includes("%")
    ? text.replace(/%[0-9A-Fa-f]{2}/g, (escape, at: number) => {
        const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
        // Behind a stray `%` the character would become part of an escape that is not in the text.
        const isStray = /%[0-9A-Fa-f]?$/.test(text.slice(Math.max(0, at - 2), at))
        return unreserved.test(character) && !isStray ? character : escape.toUpperCase()
      })
    : text

/** What makes two URLs the same page: no fragment, percent-escapes in their one spelling, all else as the URL standard writes it. */
export const identity = (url: URL): string => {
  const [href = ""] = url.href.split("#", 1)
  return normalEscapes(href)
}

/** Parses a reference of a document: its query is in the document's encoding. */
export const parseReference = (reference: string, { encoding, href }: BaseUrl): URL | null => {
  const url = parseUrl(reference, href)
  return url === null || !isWeb(url) ? url : parseUrl(inEncoding(reference, encoding), href)
}

/** The identity a reference leads to when that is http(s), without user name and password, and not too long; null otherwise. */
export const httpIdentity = (reference: string, base: BaseUrl): string | null => {
  const url = parseReference(reference, base)
  if (url === null || !isWeb(url) || hasCredentials(url)) return null
  const found = identity(url)
  return found.length > maxUrl ? null : keep(found, maxUrl)
}

/** How the addresses of a URL's own host begin: with or without `www.`, over http and https, on its port. */
export const ownPrefixes = ({ hostname, port }: URL): ReadonlyArray<string> => {
  const bare = bareHost(hostname)
  const hosts = [bare, `www.${bare}`].map((host) => (port === "" ? host : `${host}:${port}`))
  return hosts.flatMap((host) => [`https://${host}/`, `http://${host}/`])
}

/** Longer fragments are kept in part only. */
export const maxFragment = 200

/**
 * The fragment of a URL without `#`, null when absent. A directive (`:~:text=…`) is for the browser, which looks for the part that stands before it
 * (URL Fragment Text Directives, §3.3).
 */
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

/** What stands in place of a host when a template was not filled in; names of hosts have no braces (RFC 1123 §2.1). */
const noHost = /^(?:undefined|null|nan|none|nil)$|[{}]/

/** Where a reference leads from a base URL, or why the crawl cannot follow it. */
export const resolve = (reference: string, base: BaseUrl): LinkTarget => {
  const url = parseReference(reference, base)
  if (url === null) return refused("invalid", maskedReference(strip(reference)))
  if (!isWeb(url)) return refused("scheme", url.protocol)
  if (hasCredentials(url)) return refused("credentials", maskedReference(url.href))
  if (noHost.test(url.hostname)) return refused("invalid", strip(reference))
  // The edge network's own paths (e-mail cloaking, challenge scripts) are not the site's pages.
  if (url.pathname.startsWith("/cdn-cgi/")) return refused("edge", url.pathname)
  const found = identity(url)
  if (found.length > maxUrl) return refused("too_long", found)
  return { followable: true, url: keep(found, maxUrl), fragment: fragmentOf(url) }
}
