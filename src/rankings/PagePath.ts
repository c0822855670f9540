import * as Property from "./Property.ts"
import * as Variant from "./Variant.ts"

/** Where a page address leads: to a path of the site, to another host of the same domain property, or nowhere we accept. */
export type Page =
  | { readonly _tag: "Path"; readonly path: string; readonly variant: number }
  | { readonly _tag: "OtherHost" }
  | { readonly _tag: "Refused"; readonly reason: string }

/** Reads page addresses of one site. */
export type PageReader = (address: string) => Page

type Origin = { readonly _tag: "Own"; readonly variant: number } | Exclude<Page, { readonly _tag: "Path" }>

/** Longer than any address that Search Console reports. */
const longest = 8192

/** Distinct origins remembered; a file has a handful, a hostile one must not fill memory. */
const remembered = 64

/**
 * Makes the reader for a project's `host` (with port, if any; `www.` is ignored): path and query string as they are,
 * case and percent-escapes kept, the fragment dropped. Under a domain property its other hosts are told apart from foreign ones.
 */
export const reader = (host: string, property?: Property.Property): PageReader => {
  const origins = new Map<string, Origin>()
  const originOf = (text: string) => {
    const known = origins.get(text)
    if (known !== undefined) return known
    const found = judge(text, host, property)
    if (origins.size < remembered) origins.set(text, found)
    return found
  }
  return (address) => {
    if (address.length > longest) return refused(`the page address is longer than ${longest} characters`)
    const start = address.indexOf("://")
    const end = address.startsWith("/") ? 0 : start < 0 ? -1 : authorityEnd(address, start + 3)
    if (end < 0 || address.startsWith("//")) return refused(`"${address}" is not the address of a page`)
    const origin = originOf(address.slice(0, end))
    return origin._tag === "Own" ? pathOf(address, end, origin.variant) : origin
  }
}

const refused = (reason: string) => ({ _tag: "Refused", reason }) as const

const authorityEnd = (address: string, from: number) => {
  for (let index = from; index < address.length; index++) {
    const unit = address.charCodeAt(index)
    if (unit === 47 || unit === 63 || unit === 35) return index
  }
  return address.length
}

const pathOf = (address: string, start: number, variant: number): Page => {
  for (let index = start; index < address.length; index++) {
    const unit = address.charCodeAt(index)
    if (unit <= 32 || unit === 127) return refused(`"${address}" holds a blank or control character`)
  }
  const fragment = address.indexOf("#", start)
  const path = fragment < 0 ? address.slice(start) : address.slice(start, fragment)
  return {
    _tag: "Path",
    path: path.startsWith("/") ? path : `/${path}`,
    variant: fragment < 0 ? variant : Variant.hash(address.slice(fragment), variant)
  }
}

const judge = (origin: string, host: string, property: Property.Property | undefined): Origin => {
  if (origin === "") return { _tag: "Own", variant: Variant.hash("") }
  const url = URL.parse(origin)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || url.username !== "") {
    return refused(`"${origin}" is not the http(s) address of a host`)
  }
  if (Property.bareHost(url.host) === Property.bareHost(host)) {
    return { _tag: "Own", variant: Variant.hash(url.origin) }
  }
  return property?._tag === "Domain" && Property.covers(property, url.host)
    ? { _tag: "OtherHost" }
    : refused(`"${origin}" is not on the site's host ${host}`)
}
