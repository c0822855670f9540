import type { BaseUrl } from "./BaseUrl.ts"
import type { HreflangLink } from "./LinkFacts.ts"
import { languages, regions } from "./Regions.ts"
import { collapse, keep } from "./Strings.ts"
import { httpIdentity } from "./UrlIdentity.ts"

const tag = /^([a-z]{2,3})(?:-[a-z]{4})?(?:-([a-z]{2}|\d{3}))?$/

let made: Intl.DisplayNames | undefined

/** Names of languages; to make it takes milliseconds, and most sites name no language by three letters. */
const names = (): Intl.DisplayNames => {
  made ??= new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })
  return made
}

/** A language is named by its two letters (ISO 639-1); by three only when it has no shorter code (BCP 47 §2.2.1). */
const isLanguage = (code: string): boolean =>
  code.length === 2 ? languages.has(code) : Intl.getCanonicalLocales(code)[0] === code && names().of(code) !== undefined

/** Whether engines understand it: a language, a script if need be, and a country (ISO 3166-1) or an area in digits; or the default. */
const isUnderstood = (language: string): boolean => {
  const [, code, region] = tag.exec(language) ?? []
  if (code === undefined) return language === "x-default"
  return isLanguage(code) && (region === undefined || regions.has(region) || /^\d{3}$/.test(region))
}

/** A language alternate from its parts as written. */
export const hreflang = (link: {
  readonly source: "html" | "header"
  readonly language: string
  readonly href: string
  readonly base: BaseUrl
  readonly inHead: boolean
}): HreflangLink => {
  const language = collapse(link.language).toLowerCase()
  return {
    source: link.source,
    language: keep(language, 50),
    wellFormed: isUnderstood(language),
    raw: keep(link.href.trim(), 2048),
    url: httpIdentity(link.href, link.base),
    inHead: link.inHead
  }
}
