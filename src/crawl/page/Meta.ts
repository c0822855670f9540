import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { html } from "parse5"
import type { PagePlace } from "../report/Finding.ts"
import { type Refresh, refresh } from "./Links.ts"
import { markupOf, maxMarkup } from "./Markup.ts"
import type { Outline, Placed } from "./Outline.ts"
import { collapse, keep, maxUrl, strip } from "./Text.ts"
import type { BaseUrl } from "./UrlIdentity.ts"

/** Common zone names in dates on the web, as offsets (RFC 822 §5, and European ones). */
const zones: Readonly<Record<string, string>> = {
  gmt: "+0000",
  utc: "+0000",
  ut: "+0000",
  z: "+0000",
  est: "-0500",
  edt: "-0400",
  cst: "-0600",
  cdt: "-0500",
  mst: "-0700",
  mdt: "-0600",
  pst: "-0800",
  pdt: "-0700",
  bst: "+0100",
  cet: "+0100",
  cest: "+0200",
  eet: "+0200",
  eest: "+0300"
}

const isoDate = /^\d{4}-\d{2}-\d{2}/
const zone = / ?\b([a-z]+)$/i

/** The date with a time of day and its zone as an offset; a date without a zone is in UTC. */
const explicit = (text: string): string => {
  const offset = zones[zone.exec(text)?.[1]?.toLowerCase() ?? ""]
  const named = offset === undefined ? text : text.replace(zone, ` ${offset}`)
  if (isoDate.test(text))
    return named
      .toUpperCase()
      .replace(/^(\S+) (\d)/, "$1T$2")
      .replace(" ", "")
  const timed = named.includes(":") ? named : `${named} 00:00`
  return /[+-]\d{2}:?\d{2}$/.test(timed) ? timed : `${timed} +0000`
}

/** Milliseconds since the epoch of a date in ISO 8601, RFC 822 or RFC 850 form; null for other texts. */
export const instant = (text: string): number | null => {
  const date = text.trim()
  if (date.length > 64 || !/\d/.test(date)) return null
  return Option.getOrNull(Option.map(DateTime.make(explicit(date)), DateTime.toEpochMillis))
}

/** The directives of one robots meta or one `X-Robots-Tag` part; `none` counts as noindex and nofollow. */
export interface RobotsDirectives {
  readonly noindex: boolean
  readonly nofollow: boolean
  /** Milliseconds since the epoch of `unavailable_after`; null when absent or unreadable. */
  readonly unavailableAfter: number | null
  /** All directives in order, lower-cased, values included. */
  readonly tokens: ReadonlyArray<string>
}

const maxDirectives = 50

/** The date at the start of `parts`. Dates may contain a comma (`Wed, 03 Dec 2025 …`), so parts are joined while the result is a date. */
const dateFrom = (parts: ReadonlyArray<string>): { readonly at: number | null; readonly used: number } => {
  const candidates = [2, 1].map((used) => ({ at: instant(parts.slice(0, used).join(",")), used }))
  return candidates.find(({ at, used }) => at !== null && used <= parts.length) ?? { at: null, used: 1 }
}

/** Reads comma-separated robots directives, ignoring case. */
export const directives = (content: string): RobotsDirectives => {
  const parts = content.split(",", maxDirectives)
  const found: Array<string> = []
  let unavailableAfter: number | null = null
  for (let index = 0; index < parts.length; ) {
    const part = collapse(parts[index] ?? "").toLowerCase()
    const dated = /^unavailable_after ?: ?(.*)$/.exec(part)
    const date = dated === null ? null : dateFrom([dated[1] ?? "", ...parts.slice(index + 1)])
    const used = date?.used ?? 1
    if (part !== "")
      found.push(keep(used === 1 ? part : `${part}, ${collapse(parts[index + 1] ?? "").toLowerCase()}`, 100))
    if (date !== null) unavailableAfter = earliest(unavailableAfter, date.at)
    index += used
  }
  return {
    noindex: found.includes("noindex") || found.includes("none"),
    nofollow: found.includes("nofollow") || found.includes("none"),
    unavailableAfter,
    tokens: found
  }
}

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/** Whether the directives keep the page out of an index at the instant `now` (milliseconds): noindex, none, or a past date. */
export const forbidsIndexing = ({ noindex, unavailableAfter }: RobotsDirectives, now: number): boolean =>
  noindex || (unavailableAfter !== null && unavailableAfter < now)

/** One `meta` element; absent attributes are null, names are lower-cased and trimmed. */
export interface MetaFacts {
  readonly name: string | null
  readonly property: string | null
  readonly httpEquiv: string | null
  readonly charset: string | null
  readonly content: string | null
  /** Whether the parser left the element in `<head>`: an element that is invalid there ends the head. */
  readonly inHead: boolean
}

/** A robots `meta` element; `agent` is its lower-cased name (`robots`, `googlebot`). */
export interface RobotsMeta {
  readonly agent: string
  readonly content: string
  readonly inHead: boolean
  readonly directives: RobotsDirectives
}

const maxMetas = 500
const maxContent = 2000

/**
 * Agents with relevant directives: all robots, and Googlebot, because its index matters to most sites. Directives for this crawler alone say nothing about an
 * index.
 */
const robotsNames = new Set(["robots", "googlebot"])

/** Whether a robots meta in the head says noindex; the most restrictive one wins. */
export const metaForbidsIndexing = (robots: ReadonlyArray<RobotsMeta>, now: number): boolean =>
  robots.some(({ agent, directives, inHead }) => inHead && robotsNames.has(agent) && forbidsIndexing(directives, now))

/** Whether an `X-Robots-Tag` line says noindex. */
export const headerForbidsIndexing = (tags: ReadonlyArray<RobotsTag>, now: number): boolean =>
  tags.some(
    ({ agent, directives }) =>
      (agent === null || robotsNames.has(agent.toLowerCase())) && forbidsIndexing(directives, now)
  )

const name = (value: string | null): string | null => (value === null ? null : keep(collapse(value).toLowerCase(), 100))

const value = (text: string | null): string | null => (text === null ? null : keep(text, maxContent))

const meta = ({ element, inHead }: Placed): MetaFacts => ({
  name: name(element.getAttribute("name")),
  property: name(element.getAttribute("property")),
  httpEquiv: name(element.getAttribute("http-equiv")),
  charset: name(element.getAttribute("charset")),
  content: value(element.getAttribute("content")),
  inHead
})

/** The `meta` elements of the document in order. */
export const metas = ({ elements }: Pick<Outline, "elements">): ReadonlyArray<MetaFacts> =>
  elements
    .filter((placed) => placed.name === "meta" && placed.namespace === html.NS.HTML)
    .slice(0, maxMetas)
    .map(meta)

/** Contents of the metas of one name, in order. */
export const contentsOf = (all: ReadonlyArray<MetaFacts>, wanted: string): ReadonlyArray<string> =>
  all.flatMap((found) => (found.name === wanted && found.content !== null ? [found.content] : []))

/** The robots metas of head and body: the reader decides whether one in the body counts. */
export const robotsMetas = (all: ReadonlyArray<MetaFacts>): ReadonlyArray<RobotsMeta> =>
  all.flatMap(({ content, inHead, name: agent }) =>
    agent !== null && robotsNames.has(agent) && content !== null
      ? [{ agent, content, inHead, directives: directives(content) }]
      : []
  )

/** The first refresh that the standard accepts. */
export const metaRefresh = (all: ReadonlyArray<MetaFacts>, base: BaseUrl, self: string): Refresh | null => {
  for (const { content, httpEquiv } of all) {
    const found = httpEquiv === "refresh" && content !== null ? refresh(content, base, self) : null
    if (found !== null) return found
  }
  return null
}

/** Open Graph properties and Twitter names with the first content of each, from `property` or `name`. */
export const social = (all: ReadonlyArray<MetaFacts>): Readonly<Record<string, string>> => {
  const found = all.flatMap(({ content, name: key, property }) => {
    const wanted = [property, key].find((label) => label !== null && /^(?:og|twitter):/.test(label))
    return wanted && content !== null ? [[wanted, content] as const] : []
  })
  return Object.fromEntries(found.reverse())
}

/** The Open Graph of a page, as far as checks need it. */
export interface OpenGraph {
  /** Required properties of the protocol that are absent or empty. */
  readonly missing: ReadonlyArray<string>
  /** URLs that are not absolute. */
  readonly relative: ReadonlyArray<RelativeAddress>
}

interface RelativeAddress {
  readonly property: string
  readonly value: string
  readonly markup: string
  readonly place: PagePlace
}

const required = ["og:title", "og:type", "og:image", "og:url"]
/** Properties with a URL; the structured properties of the image repeat the image itself. */
const addresses: ReadonlyMap<string, string> = new Map([
  ["og:url", "og:url"],
  ["og:image", "og:image"],
  ["og:image:url", "og:image"],
  ["og:image:secure_url", "og:image"]
])
const maxRelative = 5

/** Reads the Open Graph properties, also from `name` in place of `property`, which readers accept. */
export const openGraph = ({ elements }: Outline): OpenGraph => {
  const said = new Set<string>()
  const relative: Array<RelativeAddress> = []
  for (const { element, name, namespace, place } of elements) {
    if (name !== "meta" || namespace !== html.NS.HTML) continue
    const property = (element.getAttribute("property") ?? element.getAttribute("name") ?? "").trim().toLowerCase()
    const value = property.startsWith("og:") ? strip(element.getAttribute("content") ?? "") : ""
    if (value === "") continue
    said.add(addresses.get(property) ?? property)
    if (addresses.has(property) && !URL.canParse(value) && relative.length < maxRelative)
      relative.push({ property, value: keep(value, maxUrl), markup: keep(markupOf(element), maxMarkup), place })
  }
  return { missing: required.filter((property) => !said.has(property)), relative }
}

/** One agent's part of an `X-Robots-Tag` line; `agent` (lower-cased) is null for all robots. */
export interface RobotsTag {
  readonly agent: string | null
  readonly directives: RobotsDirectives
  /** The whole line as received, capped. */
  readonly line: string
}

/** Directives with a value after a colon: the word before any other colon is an agent. */
const valued = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"])

/** `agent: directive` splits; a date such as `12:30` has no word before its colon and does not. */
const agentOf = (part: string): readonly [string, string] | null => {
  const found = /^\s*([A-Za-z_*][\w.*-]*)\s*:(.*)$/s.exec(part)
  const name = found?.[1]?.toLowerCase()
  return found === null || name === undefined || valued.has(name) ? null : [name, found[2] ?? ""]
}

/**
 * Reads one `X-Robots-Tag` line. A named agent applies up to the next name on the line, so lines that an intermediary joined with commas read like separate
 * lines.
 */
export const robotsTags = (line: string): ReadonlyArray<RobotsTag> => {
  const parts: Array<{ readonly agent: string | null; content: string }> = []
  for (const part of line.split(",", 100)) {
    const named = agentOf(part)
    const last = parts.at(-1)
    if (named !== null) parts.push({ agent: keep(named[0], 100), content: named[1] })
    else if (last === undefined) parts.push({ agent: null, content: part })
    else last.content += `,${part}`
  }
  return parts.map(({ agent, content }) => ({ agent, directives: directives(content), line: keep(line, 500) }))
}
