import { keep, maxUrl } from "./Strings.ts"
import { type BaseUrl, httpIdentity, parseReference, parseUrl } from "./UrlIdentity.ts"

/** A declared refresh (HTML standard, shared declarative refresh steps), from a meta element or the `Refresh` header. */
export interface Refresh {
  /** Whole seconds to wait. */
  readonly delay: number
  /** Identity of where it leads, resolved; the page itself when no URL is named; null when that is not http(s). */
  readonly url: string | null
  readonly raw: string
}

const blank = "[\\t\\n\\f\\r ]*"
const time = new RegExp(`^${blank}(\\d*)([\\d.]*)(?=([;,\\t\\n\\f\\r ])|$)${blank}[;,]?${blank}`)
const name = new RegExp(`^(?:[uU](?![rR])|[uU][rR](?![lL])|[uU][rR][lL](?!${blank}=))`)
const named = new RegExp(`^[uU][rR][lL]${blank}=${blank}`)

/** The URL part after the time: an optional `url=`, then an optional quotation. */
const target = (rest: string): string => {
  if (name.test(rest)) return rest
  const value = rest.replace(named, "")
  const quote = value[0]
  return quote === '"' || quote === "'" ? (value.slice(1).split(quote, 1)[0] ?? "") : value
}

/** Reads a refresh value; null when the standard ignores it. `base` resolves the URL, `self` is meant when none is named. */
export const refresh = (value: string, base: BaseUrl, self: string): Refresh | null => {
  const raw = value.slice(0, 2 * maxUrl)
  const found = time.exec(raw)
  if (found === null || (found[1] === "" && !found[2]?.startsWith("."))) return null
  const rest = raw.slice(found[0].length)
  const url = rest === "" ? parseUrl(self, null) : parseReference(target(rest), base)
  if (url === null || url.protocol === "javascript:") return null
  return { delay: Number(found[1]?.slice(0, 9)), url: httpIdentity(url.href, base), raw: keep(raw, 500) }
}
