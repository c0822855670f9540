import * as Domain from "tldts"

/** One cookie, as much of RFC 6265 as a crawl needs. */
interface Cookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
}

/** An immutable jar. The start navigation fills the crawl's jar and then freezes it, so no page's response depends on another's. */
export type CookieJar = ReadonlyArray<Cookie>

export const empty: CookieJar = []

const maxCookies = 50
const maxLength = 4096

/** Control characters, for which a browser ignores a cookie (RFC 6265bis §5.6). */
const unsendable = /(?!\t)\p{Cc}/u

const attributesOf = (parts: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(
    parts.map((part) => {
      const [name = "", ...value] = part.split("=")
      return [name.trim().toLowerCase(), value.join("=").trim()] as const
    })
  )

const within = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

/** The `Domain` attribute when this host may set it: never a public suffix or a foreign domain. */
const domainOf = (host: string, attribute: string | undefined): string | null => {
  const domain = (attribute ?? "").replace(/^\./, "").toLowerCase()
  if (domain === "") return null
  return within(host, domain) && Domain.getDomain(domain) !== null ? domain : null
}

const parse = (line: string, url: URL): { readonly cookie: Cookie; readonly expired: boolean } | null => {
  const [pair = "", ...rest] = line.split(";")
  const separator = pair.indexOf("=")
  if (separator < 1 || line.length > maxLength || unsendable.test(pair)) return null
  const attributes = attributesOf(rest)
  const domain = domainOf(url.hostname, attributes.get("domain"))
  const path = attributes.get("path") ?? ""
  const maxAge = attributes.get("max-age")
  return {
    cookie: {
      name: pair.slice(0, separator).trim(),
      value: pair.slice(separator + 1).trim(),
      domain: domain ?? url.hostname,
      hostOnly: domain === null,
      path: path.startsWith("/") ? path : url.pathname.replace(/\/[^/]*$/, "") || "/",
      secure: attributes.has("secure")
    },
    expired: maxAge !== undefined && Number(maxAge) <= 0
  }
}

const sameKey = (a: Cookie, b: Cookie): boolean => a.name === b.name && a.domain === b.domain && a.path === b.path

/** The jar after these `Set-Cookie` lines of a response from `url`; expiry dates are ignored, `Max-Age ≤ 0` deletes. */
export const store = (jar: CookieJar, lines: ReadonlyArray<string>, url: URL): CookieJar =>
  lines.reduce<CookieJar>((cookies, line) => {
    const read = parse(line, url)
    if (read === null) return cookies
    const others = cookies.filter((cookie) => !sameKey(cookie, read.cookie))
    return read.expired || others.length >= maxCookies ? others : [...others, read.cookie]
  }, jar)

const pathMatches = (path: string, cookiePath: string): boolean =>
  path === cookiePath || (path.startsWith(cookiePath) && (cookiePath.endsWith("/") || path[cookiePath.length] === "/"))

/** The `Cookie` header for a request to `url`, null when no cookie applies. */
export const header = (jar: CookieJar, url: URL): string | null => {
  const sent = jar.filter(
    (cookie) =>
      (cookie.hostOnly ? url.hostname === cookie.domain : within(url.hostname, cookie.domain)) &&
      pathMatches(url.pathname, cookie.path) &&
      (!cookie.secure || url.protocol === "https:")
  )
  return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join("; ")
}
