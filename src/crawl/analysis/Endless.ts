import type { UrlRecord } from "../frontier/Frontier.ts"
import { calendarOf, isNeverAsked, isVariantOf, repeatsSegments, steady } from "../frontier/Traps.ts"
import { patternOf } from "../site/Site.ts"
import { isShutOut, type Visit } from "../visit/Visit.ts"
import { canonicalOf, isNoindex } from "./Verdict.ts"

/** URLs of a site that multiply without end. */
interface Endless {
  readonly cause: "repeated_segments" | "session_id" | "facets" | "calendar"
  readonly text: string
  /** False when the crawl read no such URL, so their content is unknown. */
  readonly isSeen: boolean
  /** URLs without content of their own: leaving them out hides nothing. */
  readonly idle: ReadonlyArray<UrlRecord>
}

type Groups = ReadonlyMap<string, ReadonlyArray<UrlRecord>>

/** Groups the records by several keys, and parses each of up to 100,000 URLs once. */
const grouped = <Name extends string>(
  records: ReadonlyArray<UrlRecord>,
  keys: Readonly<Record<Name, (url: URL) => string | null>>
): ((name: Name) => Groups) => {
  const found = new Map<string, Map<string, Array<UrlRecord>>>()
  for (const record of records) {
    if (isNeverAsked(record.kind?.trap ?? null)) continue
    const url = new URL(record.url)
    for (const name in keys) {
      const key = keys[name](url)
      if (key === null) continue
      const groups = found.get(name) ?? new Map<string, Array<UrlRecord>>()
      found.set(name, groups)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [record])
      else group.push(record)
    }
  }
  return (name) => found.get(name) ?? new Map()
}

/** Whether robots.txt, noindex, or a canonical without the parameters keeps a URL out of the index. */
const isKeptOut = (url: string, visit: Visit, now: number): boolean => {
  if (visit.reason === "blocked_by_robots" || isShutOut(visit)) return true
  const canonical = canonicalOf(visit).url
  return visit.facts !== null && (isNoindex(visit, now) || (canonical !== null && isVariantOf(url, canonical)))
}

/** Whether search engines may index one of the parameter sets (`loose`), the site keeps all of them out (`kept`), or no set was read (`unseen`). */
const seenOf = (group: ReadonlyArray<UrlRecord>, now: number): "loose" | "kept" | "unseen" => {
  const seen = group.flatMap(({ url, visit }) =>
    // A URL that robots.txt closes to this crawler alone is as unknown as an unread one.
    visit === null || visit.reason === "blocked_for_us" ? [] : [isKeptOut(url, visit, now)]
  )
  return seen.length === 0 ? "unseen" : seen.every(Boolean) ? "kept" : "loose"
}

const unasked = (records: ReadonlyArray<UrlRecord>) => records.filter(({ visit }) => visit === null)
const shown = ([first]: ReadonlyArray<UrlRecord>, count: number, what: string) =>
  `${first?.url ?? ""} and ${count - 1} ${what}`

/** A relative link on a page that answers one level deeper too, where the link repeats. */
const repeating = (groups: Groups): ReadonlyArray<Endless> =>
  [...groups.values()].map((group) => ({
    cause: "repeated_segments",
    isSeen: true,
    text: shown(group, group.length, "more like it: a part of the path repeats"),
    idle: []
  }))

/** A page with two session ids may be an old link; a page with three creates one per visit. */
export const enoughSessions = 3

/** A URL's session parameter and the URL without it; null when there is none. */
export const sessionOf = (url: URL): string | null => {
  const { address, varies } = steady(url)
  return varies?.kind === "session" ? `${varies.name} ${address}` : null
}

const sessions = (groups: Groups, now: number): ReadonlyArray<Endless> => {
  const many = [...groups].filter(([, group]) => group.length >= enoughSessions && seenOf(group, now) !== "kept")
  return many.map(([key, group]) => ({
    cause: "session_id",
    isSeen: seenOf(group, now) === "loose",
    text: shown(group, group.length, `more that differ only in the session id "${key.split(" ", 1)[0] ?? ""}"`),
    idle: unasked(group)
  }))
}

const enoughSets = 15

const setOf = (url: URL): string | null =>
  url.search !== "" &&
  new Set(url.searchParams.keys()).size > 1 &&
  steady(url).varies === null &&
  calendarOf(url) === null
    ? `${url.origin}${url.pathname}`
    : null

/** Filters of a list: many combinations of few values. A separate value for each URL names a page instead. */
const facets = (groups: Groups, now: number): ReadonlyArray<Endless> =>
  [...groups.values()].flatMap((group) => {
    const values = new Map<string, Set<string>>()
    for (const { url } of group) {
      for (const [name, value] of new URL(url).searchParams)
        values.set(name, (values.get(name) ?? new Set()).add(value))
    }
    const varying = [...values].filter(([, each]) => each.size > 1)
    const isCombined = varying.length > 1 && varying.every(([, each]) => 2 * each.size <= group.length)
    const seen = seenOf(group, now)
    if (group.length < enoughSets || !isCombined || seen === "kept") return []
    const names = varying.map(([name]) => name).join(", ")
    const isSeen = seen === "loose"
    return [{ cause: "facets", isSeen, text: shown(group, group.length, `more combinations of ${names}`), idle: [] }]
  })

const enoughDates = 8

/** A calendar of pages that link to the next date: it ends only where the visitor stops. */
const calendars = (groups: Groups): ReadonlyArray<Endless> =>
  [...groups.values()].flatMap((group) => {
    const own = new Set(group.map(({ url }) => url))
    const chained = group.filter(({ linkedFrom }) => linkedFrom[0] !== undefined && own.has(linkedFrom[0])).length
    const idle = unasked(group)
    if (group.length < enoughDates || idle.length === 0 || chained < 0.7 * group.length) return []
    return [
      { cause: "calendar", isSeen: true, text: shown(group, group.length, "more dates that link to each other"), idle }
    ]
  })

/** Where links of the site continue without end. */
export const endless = (records: ReadonlyArray<UrlRecord>, now: number): ReadonlyArray<Endless> => {
  const groups = grouped(records, {
    repeating: (url) => (repeatsSegments(url) ? patternOf(url) : null),
    sessions: sessionOf,
    facets: setOf,
    calendars: calendarOf
  })
  return [
    ...repeating(groups("repeating")),
    ...sessions(groups("sessions"), now),
    ...facets(groups("facets"), now),
    ...calendars(groups("calendars"))
  ]
}

/** Why the crawl left a URL out, in words; null when it did not. */
export const whyLeftOut = ({ aside, hops, kind, trapped, url, visit }: UrlRecord): string | null => {
  const trap = kind?.trap ?? null
  if (trap?.reason === "action_link") return `never requested: the URL performs an action ("${trap.pattern}")`
  if (trap?.reason === "excluded") return `not requested: excluded by "${trap.pattern}"`
  if (trap?.reason === "not_included") return `not requested: not included by "${trap.pattern}"`
  if (aside) return "not requested: outside the part of the site that the crawl covers"
  if (!trapped || visit !== null) return null
  if (repeatsSegments(new URL(url))) return "skipped: a part of its path repeats three times, as in endless URLs"
  if (kind?.isOutside === true && trap?.reason !== "calendar")
    return "not requested: another parameter combination of the same path"
  return hops > 0 ? `skipped: ${hops} redirects in a row led here` : "skipped: one of an endless series of URLs"
}
