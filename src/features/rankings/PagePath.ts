import { bareHost, isWeb } from "../../foundation/schema/Scalars.ts"
import { identity } from "./PageIdentity.ts"
import * as Property from "./Property.ts"

/**
 * The target of a page URL: a path of the site, another host of the same domain property, or an invalid URL. `address` has the parts outside the path: an
 * origin other than the project's, and the fragment. `spelling` is the path as written, null for the canonical form.
 */
type Page =
  | { readonly _tag: "Path"; readonly path: string; readonly spelling: string | null; readonly address: string }
  | { readonly _tag: "OtherHost" }
  | { readonly _tag: "Refused"; readonly reason: string }

/** Reads page URLs of one site. */
export type PageReader = (address: string) => Page

type Origin = { readonly _tag: "Own"; readonly address: string } | Exclude<Page, { readonly _tag: "Path" }>

/** The longest URL in characters, longer than any in Search Console. */
const longest = 8192

/** The most remembered origins. A file has a handful, and a hostile file must not fill memory. */
const remembered = 64

/** The site of the pages: its host (with port, if any; `www.` is ignored), its origin unless https, and a property. */
interface Site {
  readonly host: string
  readonly origin?: string
  readonly property?: Property.Property
}

/**
 * Makes the reader of a site's pages: path and query string in canonical form, without the fragment. A bare path belongs to the site's origin. Other hosts of a
 * given property are distinguished from foreign ones.
 */
export const reader = (site: Site): PageReader => {
  const origins = new Map<string, Origin>()
  const originOf = (text: string) => {
    const known = origins.get(text)
    if (known !== undefined) return known
    const found = judge(text, site)
    if (origins.size < remembered) origins.set(text, found)
    return found
  }
  return (cell) => {
    const address = cell.trim()
    if (address.length > longest) return tooLong
    const start = address.indexOf("://")
    const end = address.startsWith("/") ? 0 : start < 0 ? -1 : authorityEnd(address, start + 3)
    if (end < 0 || address.startsWith("//")) return refused(`"${address}" is not the URL of a page`)
    const origin = originOf(address.slice(0, end))
    return origin._tag === "Own" ? pathOf(address, end, origin.address) : origin
  }
}

const refused = (reason: string) => ({ _tag: "Refused", reason }) as const

const tooLong = refused(`the page URL is longer than ${longest} characters`)

const authorityEnd = (address: string, from: number) => {
  for (let index = from; index < address.length; index++) {
    const unit = address.charCodeAt(index)
    if (unit === 47 || unit === 63 || unit === 35) return index
  }
  return address.length
}

/** Controls other than blanks and line ends, which malformed links of sites contain and Search Console lists unchanged. */
const isControl = (unit: number) => (unit < 32 && unit !== 9 && unit !== 10 && unit !== 13) || unit === 127

const pathOf = (address: string, start: number, origin: string): Page => {
  for (let index = start; index < address.length; index++) {
    if (isControl(address.charCodeAt(index))) return refused(`"${address}" contains a control character`)
  }
  const fragment = address.indexOf("#", start)
  const behind = fragment < 0 ? address.slice(start) : address.slice(start, fragment)
  const written = behind.startsWith("/") ? behind : `/${behind}`
  const path = identity(written)
  if (path.length > longest) return tooLong
  return {
    _tag: "Path",
    path,
    spelling: path === written ? null : written,
    address: fragment < 0 ? origin : origin + address.slice(fragment)
  }
}

const judge = (text: string, { host, origin = `https://${host}`, property }: Site): Origin => {
  if (text === "") return { _tag: "Own", address: "" }
  const url = URL.parse(text)
  if (url === null || !isWeb(url) || url.username !== "") return refused(`"${text}" is not an http(s) URL`)
  if (bareHost(url.host) === bareHost(host)) return { _tag: "Own", address: url.origin === origin ? "" : url.origin }
  return property !== undefined && Property.covers(property, url.host)
    ? { _tag: "OtherHost" }
    : refused(`"${text}" is not on the site's host ${host}`)
}
