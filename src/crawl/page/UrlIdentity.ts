import { upperCaseEscapes } from "../robots/Pattern.ts"
import { keep, maxUrl, strip } from "./Keep.ts"
import type { LinkTarget } from "./LinkFacts.ts"

/** Parses a reference as the URL standard does, against a base unless it is null; null when it is no URL. */
export const parseUrl = (reference: string, base: string | null): URL | null => URL.parse(reference, base ?? undefined)

/** What makes two URLs the same page: no fragment, percent-escapes in upper case, all else as the URL standard writes it. */
export const identity = (url: URL): string => {
  const [href = ""] = url.href.split("#", 1)
  return upperCaseEscapes(href)
}

const isHttp = (url: URL) => url.protocol === "http:" || url.protocol === "https:"

/** The identity a reference leads to when that is http(s) and not too long; null otherwise. */
export const httpIdentity = (reference: string, base: string): string | null => {
  const url = parseUrl(reference, base)
  if (url === null || !isHttp(url)) return null
  const found = identity(url)
  return found.length > maxUrl ? null : keep(found, maxUrl)
}

const refused = (reason: "scheme" | "edge" | "too_long" | "invalid", detail: string): LinkTarget => ({
  followable: false,
  reason,
  detail: keep(detail, 200)
})

/** Where a reference leads from a base URL, or why the crawl cannot follow it. */
export const resolve = (reference: string, base: string): LinkTarget => {
  const url = parseUrl(reference, base)
  if (url === null) return refused("invalid", strip(reference))
  if (!isHttp(url)) return refused("scheme", url.protocol)
  // The edge network's own paths (e-mail cloaking, challenge scripts) are not the site's pages.
  if (url.pathname.startsWith("/cdn-cgi/")) return refused("edge", url.pathname)
  const found = identity(url)
  if (found.length > maxUrl) return refused("too_long", found)
  const hash = url.href.indexOf("#")
  const fragment = hash === -1 ? null : keep(url.href.slice(hash + 1), 200)
  return { followable: true, url: keep(found, maxUrl), fragment }
}
