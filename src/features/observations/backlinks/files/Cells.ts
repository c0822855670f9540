import * as Domain from "tldts"
import { bareHost, isWebAddress } from "../../../../foundation/schema/WebAddress.ts"

/** A domain name as URLs write it: lower case, punycode, no trailing dot, no `www.`; undefined for other text. */
export const domainOf = (text: string): string | undefined => {
  const name = text.trim().replace(/\.$/, "")
  if (name === "" || /[\s/?#@:\\]/.test(name)) return undefined
  const url = URL.parse(`http://${name}/`)
  return url === null || !url.hostname.includes(".") ? undefined : bareHost(url.hostname)
}

/** The registered name above a host, by the list of public suffixes; a name below a private one, such as a blog of a platform, is its own. */
export const rootOf = (domain: string): string => Domain.getDomain(domain, { allowPrivateDomains: true }) ?? domain

/** A page's address without credentials and fragment; undefined for other text. */
export const pageOf = (text: string): URL | undefined => {
  const written = text.trim()
  const url = isWebAddress(written) ? URL.parse(written) : null
  if (url === null) return undefined
  url.username = ""
  url.password = ""
  url.hash = ""
  return url
}

/** Whether a host (with its port) is the site's own or below it; `www.` does not matter. */
export const isOwn = (site: string, host: string): boolean => {
  const [own, other] = [bareHost(site), bareHost(host)]
  return other === own || other.endsWith(`.${own}`)
}

const grouped = /^\d{1,3}(?:[,.'\u2019\u00a0\u202f ]\d{3})+$/

/** A count with or without thousands separators; undefined for other text. */
export const countOf = (text: string): number | undefined => {
  const written = text.trim()
  if (/^\d{1,15}$/.test(written)) return Number(written)
  return grouped.test(written) ? Number(written.replace(/\D/g, "").slice(0, 15)) : undefined
}

/** A number such as 78, 60.5 or 60,5; undefined for other text. */
export const numberOf = (text: string): number | undefined => {
  const written = text.trim().replace(",", ".")
  return /^-?\d{1,9}(?:\.\d+)?$/.test(written) ? Number(written) : undefined
}

/** Whether a flag is set, as exports write it. */
export const isSet = (text: string): boolean => /^(?:1|true|yes|y|x|nofollow|ugc|sponsored)$/i.test(text.trim())

/** Days in the spellings of exports, with a time or without. */
const date =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\p{L}{3,12}\.? \d{1,2},? \d{4}|\d{1,2}\.? \p{L}{3,12}\.? \d{4})(?:[T ,].*)?$/u

/** What a cell looks like. */
export type Kind = "empty" | "url" | "domain" | "number" | "date" | "text"

export const kindOf = (text: string): Kind => {
  const written = text.trim()
  if (written === "") return "empty"
  if (isWebAddress(written)) return "url"
  if (countOf(written) !== undefined || numberOf(written) !== undefined) return "number"
  if (date.test(written)) return "date"
  return domainOf(written) === undefined ? "text" : "domain"
}
