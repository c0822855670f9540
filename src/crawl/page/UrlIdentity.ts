import { bareHost, isWeb } from "../../foundation/schema/WebAddress.ts"
import type { LinkTarget } from "./LinkFacts.ts"
import { inEncoding } from "./QueryEncoding.ts"
import { keep, maxUrl, strip } from "./Strings.ts"

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

/** The identity a reference leads to when that is http(s) and not too long; null otherwise. */
export const httpIdentity = (reference: string, base: BaseUrl): string | null => {
  const url = parseReference(reference, base)
  if (url === null || !isWeb(url)) return null
  const found = identity(url)
  return found.length > maxUrl ? null : keep(found, maxUrl)
}

/** How the addresses of a URL's own host begin: with or without `www.`, over http and https, on its port. */
export const ownPrefixes = ({ hostname, port }: URL): ReadonlyArray<string> => {
  const bare = bareHost(hostname)
  const hosts = [bare, `www.${bare}`].map((host) => (port === "" ? host : `${host}:${port}`))
  return hosts.flatMap((host) => [`https://${host}/`, `http://${host}/`])
}

const refused = (reason: "scheme" | "edge" | "too_long" | "invalid", detail: string): LinkTarget => ({
  followable: false,
  reason,
  detail: keep(detail, 200)
})

/** Where a reference leads from a base URL, or why the crawl cannot follow it. */
export const resolve = (reference: string, base: BaseUrl): LinkTarget => {
  const url = parseReference(reference, base)
  if (url === null) return refused("invalid", strip(reference))
  if (!isWeb(url)) return refused("scheme", url.protocol)
  // The edge network's own paths (e-mail cloaking, challenge scripts) are not the site's pages.
  if (url.pathname.startsWith("/cdn-cgi/")) return refused("edge", url.pathname)
  const found = identity(url)
  if (found.length > maxUrl) return refused("too_long", found)
  const hash = url.href.indexOf("#")
  const fragment = hash === -1 ? null : keep(url.href.slice(hash + 1), 200)
  return { followable: true, url: keep(found, maxUrl), fragment }
}
