import { html } from "parse5"
import type { Steps } from "../../foundation/schema/Steps.ts"
import { isToggle } from "./AccessibleName.ts"
import { maskedText, shownReference } from "./Credentials.ts"
import { isUnderstood } from "./LanguageTags.ts"
import { cut, markupOf, maxMarkup, plainTag, startTagOf } from "./Markup.ts"
import type { Outline, Placed } from "./Outline.ts"
import { collapse, keep, maxUrl, strip, tokens } from "./Text.ts"
import { wordHash } from "./Texts.ts"
import {
  type BaseUrl,
  type CanonicalLink,
  type HreflangLink,
  httpIdentity,
  type PageLink,
  parseReference,
  parseUrl,
  type RelationLink,
  resolve
} from "./UrlIdentity.ts"

/** Maximum links to keep per page; the number of all links is a separate fact. */
const maxLinks = 10_000
const maxText = 200

const frames = new Set(["iframe", "frame"])
const distrusted = new Set(["nofollow", "ugc", "sponsored"])

/** The reference of a link element as written, null for other elements; `a` exists in SVG too, with `xlink:href` as the old name. */
const referenceOf = ({ element, name, namespace }: Placed): string | null => {
  if (name === "a" && namespace === html.NS.SVG)
    return element.getAttribute("href") ?? element.getAttribute("xlink:href")
  if (namespace !== html.NS.HTML) return null
  if (name === "a" || name === "area") return element.getAttribute("href")
  return frames.has(name) ? element.getAttribute("src") : null
}

const kindOf = (name: string): PageLink["kind"] =>
  name === "area" || name === "iframe" || name === "frame" ? name : "a"

const textOf = ({ textOf: texts }: Outline, { element, name }: Placed): string => {
  if (name === "a") return texts.get(element) ?? ""
  return collapse(element.getAttribute(name === "area" ? "alt" : "title") ?? "")
}

/** The start tag of a link with only its URL. */
export const plainLink = ({ kind, raw }: Pick<PageLink, "kind" | "raw">): string =>
  plainTag(kind, frames.has(kind) ? { src: raw } : { href: raw })

/** The markup of a link: the whole element where the page alone may show an issue, else its start tag. */
const writtenAs = (
  { element }: Placed,
  link: Pick<PageLink, "kind" | "raw">,
  isSound: boolean
): Pick<PageLink, "markup" | "tag"> => {
  if (!isSound) return { markup: markupOf(element), tag: null }
  const tag = startTagOf(element)
  return { markup: null, tag: tag === cut(plainLink(link)) ? null : keep(tag, maxMarkup) }
}

/** The links of `a[href]`, `area[href]`, `iframe[src]` and `frame[src]` in document order, and their number. */
export function* links(
  document: Outline,
  base: BaseUrl
): Steps<{ readonly links: ReadonlyArray<PageLink>; readonly count: number }> {
  const found: Array<PageLink> = []
  let count = 0
  yield* document.names.each(document.elements, (placed) => {
    const reference = referenceOf(placed)
    if (reference === null || ++count > maxLinks) return
    const name = placed.name === "a" ? document.names.of(placed.element) : ""
    const text = textOf(document, placed)
    const rel = tokens(placed.element.getAttribute("rel") ?? "")
    const target = resolve(reference, base)
    const nofollow = rel.some((token) => distrusted.has(token))
    const isNamed = name !== "" || placed.isUnseen
    const shown = { kind: kindOf(placed.name), raw: shownReference(reference) }
    found.push({
      ...shown,
      target,
      rel,
      nofollow,
      text: keep(maskedText(text === "" ? name : text), maxText),
      isNamed,
      isToggle: isToggle(placed.element, reference, name),
      place: placed.place,
      ...writtenAs(placed, shown, isNamed && target.followable && !nofollow)
    })
  })
  return { links: found, count }
}

/** A link of a `<link>` element or a `Link` header, as written. */
interface Declared<Source = "html" | "header"> {
  readonly source: Source
  readonly href: string
  readonly base: BaseUrl
  readonly inHead: boolean
}

/** A canonical from its reference as written; an empty reference is a mistake, not a link to the page itself. */
export const canonical = (link: Declared): CanonicalLink => {
  const raw = strip(link.href)
  const url = raw === "" ? null : httpIdentity(raw, link.base)
  const hash = raw.indexOf("#")
  return {
    source: link.source,
    raw: shownReference(raw),
    url,
    valid: url !== null,
    absolute: parseUrl(raw, null) !== null,
    fragment: hash === -1 ? null : keep(raw.slice(hash + 1), 200),
    inHead: link.inHead
  }
}

/** A language alternate from its parts as written. */
export const hreflang = (link: Declared<HreflangLink["source"]> & { readonly language: string }): HreflangLink => {
  const language = collapse(link.language).toLowerCase()
  return {
    source: link.source,
    language: keep(language, 50),
    written: keep(collapse(link.language), 50),
    wellFormed: isUnderstood(language),
    raw: shownReference(link.href),
    url: httpIdentity(link.href, link.base),
    inHead: link.inHead
  }
}

/** Maximum names of page parts to keep; with more, no fragment counts as missing. */
const maxParts = 4000

/** Hashes of the fragment targets on a page: every `id`, and the `name` of an `a` (HTML standard §7.4.6.4, find a potential indicated element). */
export const fragmentHashes = ({ elements }: Outline): Int32Array | null => {
  const found = new Set<number>()
  for (const { element, name, namespace } of elements) {
    const id = element.getAttribute("id") ?? ""
    const old = name === "a" && namespace === html.NS.HTML ? (element.getAttribute("name") ?? "") : ""
    if (id !== "") found.add(wordHash(id))
    if (old !== "") found.add(wordHash(old))
    if (found.size > maxParts) return null
  }
  return Int32Array.from(found)
}

const decoder = new TextDecoder()

/** A text with its percent-escapes decoded as UTF-8. */
export const unescaped = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    decoder.decode(Uint8Array.from(run.slice(1).split("%"), (hex) => Number.parseInt(hex, 16)))
  )

/** Whether a fragment, as written or decoded, is a target on the page with these hashes (HTML standard §7.4.6.4). */
export const hasFragment = (hashes: Int32Array, fragment: string): boolean =>
  hashes.includes(wordHash(fragment)) || (fragment.includes("%") && hashes.includes(wordHash(unescaped(fragment))))

const maxElements = 1000

/** The links of a document's `<link>` elements, each kind in document order. */
interface LinkElements {
  readonly canonicals: ReadonlyArray<CanonicalLink>
  readonly hreflangs: ReadonlyArray<HreflangLink>
  readonly relations: ReadonlyArray<RelationLink>
}

const attribute = (value: string | null): string | null => (value === null ? null : keep(collapse(value), 100))

/** Reads the `link[rel][href]` elements; one element may be both canonical and alternate. */
export const linkElements = ({ elements }: Pick<Outline, "elements">, base: BaseUrl): LinkElements => {
  const canonicals: Array<CanonicalLink> = []
  const hreflangs: Array<HreflangLink> = []
  const relations: Array<RelationLink> = []
  const isLink = ({ name, namespace }: (typeof elements)[number]) => name === "link" && namespace === html.NS.HTML
  for (const { element, inHead } of elements.filter(isLink).slice(0, maxElements)) {
    const href = element.getAttribute("href")
    const rel = tokens(element.getAttribute("rel") ?? "")
    if (href === null || rel.length === 0) continue
    const language = rel.includes("alternate") ? element.getAttribute("hreflang") : null
    if (rel.includes("canonical")) canonicals.push(canonical({ source: "html", href, base, inHead }))
    if (language !== null) hreflangs.push(hreflang({ source: "html", language, href, base, inHead }))
    if (language === null && !rel.includes("canonical")) {
      relations.push({
        rel,
        raw: shownReference(href),
        url: httpIdentity(href, base),
        type: attribute(element.getAttribute("type")),
        media: attribute(element.getAttribute("media")),
        inHead
      })
    }
  }
  return { canonicals, hreflangs, relations }
}

/** One link of a `Link` header: its target as written and its first parameter of each name, names lower-cased. */
export interface HeaderLink {
  readonly target: string
  readonly parameters: ReadonlyMap<string, string>
}

const maxHeaderLinks = 200

const target = /[\t ,]*<([^>]*)>[\t ]*/y
const parameter = /;[\t ]*([^\t =;,"<>]*)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"?|([^\t ;,]*)))?[\t ]*/y

/** Reads one `Link` header line up to the first error (RFC 8288 §3, appendix B.2). */
export const linkHeader = (line: string): ReadonlyArray<HeaderLink> => {
  const found: Array<HeaderLink> = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(line)
    at += match?.[0].length ?? 0
    return match
  }
  for (let link = take(target); link !== null && found.length < maxHeaderLinks; link = take(target)) {
    const parameters = new Map<string, string>()
    for (let next = take(parameter); next !== null; next = take(parameter)) {
      const name = (next[1] ?? "").toLowerCase()
      const value = next[2]?.replace(/\\(.)/g, "$1") ?? next[3] ?? ""
      if (name !== "" && !parameters.has(name)) parameters.set(name, value)
    }
    found.push({ target: link[1] ?? "", parameters })
  }
  return found
}

/** A declared refresh (HTML standard, shared declarative refresh steps), from a meta element or the `Refresh` header. */
export interface Refresh {
  /** Whole seconds to wait. */
  readonly delay: number
  /** Normalized target; the page itself without a URL; null for a target that is not http(s). */
  readonly url: string | null
  readonly raw: string
}

const blank = "[\\t\\n\\f\\r ]*"
const time = new RegExp(`^${blank}(\\d*)([\\d.]*)(?=([;,\\t\\n\\f\\r ])|$)${blank}[;,]?${blank}`)
const name = new RegExp(`^(?:[uU](?![rR])|[uU][rR](?![lL])|[uU][rR][lL](?!${blank}=))`)
const named = new RegExp(`^[uU][rR][lL]${blank}=${blank}`)

/** The URL part after the time: an optional `url=`, then an optional quotation. */
const refreshTarget = (rest: string): string => {
  if (name.test(rest)) return rest
  const value = rest.replace(named, "")
  const quote = value[0]
  return quote === '"' || quote === "'" ? (value.slice(1).split(quote, 1)[0] ?? "") : value
}

/** Reads a refresh value; null when the standard ignores it. `base` resolves the URL, and `self` is the default target. */
export const refresh = (value: string, base: BaseUrl, self: string): Refresh | null => {
  const raw = value.slice(0, 2 * maxUrl)
  const found = time.exec(raw)
  if (found === null || (found[1] === "" && !found[2]?.startsWith("."))) return null
  const rest = raw.slice(found[0].length)
  const url = rest === "" ? parseUrl(self, null) : parseReference(refreshTarget(rest), base)
  if (url === null || url.protocol === "javascript:") return null
  return { delay: Number(found[1]?.slice(0, 9)), url: httpIdentity(url.href, base), raw: keep(maskedText(raw), 500) }
}
