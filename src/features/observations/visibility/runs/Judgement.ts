import { bareHost } from "../../../../foundation/schema/WebAddress.ts"
import { fold } from "../../../../foundation/text/Words.ts"
import type { Citation, Outcome } from "../Domain.ts"

const isLetter = (text: string) => /[\p{L}\p{M}\p{N}]/u.test(text)

/** The character that ends before, or begins at, a place; surrogates stay together. */
const before = (text: string, at: number) => Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? ""
const from = (text: string, at: number) => Array.from(text.slice(at, at + 2))[0] ?? ""

const stands = (text: string, name: string) => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isLetter(before(text, at)) && !isLetter(from(text, at + name.length))) return true
  return false
}

/** Whether a name of the brand stands in a text, at boundaries of letters and digits, folded. A name without a letter or digit names nothing. */
export const isNamed = (text: string, names: ReadonlyArray<string>): boolean => {
  const folded = fold(text)
  return names.some((name) => isLetter(name) && stands(folded, fold(name.trim())))
}

/** The host of an address as it is counted: lower case, without `www.`. */
export const hostOf = (address: string): string | undefined => {
  const host = URL.parse(address)?.hostname
  return host === undefined || host === "" ? undefined : bareHost(host)
}

/** Whether an address is on the host or below it. */
export const isOf = (host: string, address: string): boolean => {
  const own = bareHost(host)
  const other = hostOf(address)
  return other !== undefined && (other === own || other.endsWith(`.${own}`))
}

interface Judged {
  readonly citations: ReadonlyArray<Citation>
  readonly isRefusal: boolean
  readonly searched: boolean
  readonly text: string
}

/** What an answer is for a site, and whether it names the brand, which a citing answer may do as well. */
export const judge = (
  { citations, isRefusal, searched, text }: Judged,
  { host, names }: { readonly host: string; readonly names: ReadonlyArray<string> }
): { readonly isMentioned: boolean; readonly outcome: Outcome } => {
  const isMentioned = isNamed(text, names)
  const outcome = () => {
    if (isRefusal) return "refused"
    if (!searched) return "not_searched"
    if (citations.some(({ url }) => isOf(host, url))) return "cited"
    return isMentioned ? "mentioned" : "absent"
  }
  return { isMentioned, outcome: outcome() }
}
