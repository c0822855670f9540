import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { patternOf, repeatsSegments } from "../frontier/Trap.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import { calendarOf, steady } from "../frontier/Variation.ts"

/** Addresses of a site that multiply without end. */
interface Endless {
  readonly cause: "repeated_segments" | "session_id" | "facets" | "calendar"
  readonly text: string
  /** Addresses of it without content of their own: leaving them out hides nothing. */
  readonly idle: ReadonlyArray<UrlRecord>
}

type Groups = ReadonlyMap<string, ReadonlyArray<UrlRecord>>

/** Cost of taking an address apart, in characters. */
const worth = 256

/** Groups the records by each of several keys; each address is taken apart once, for there may be a hundred thousand. */
function* grouped<Name extends string>(
  records: ReadonlyArray<UrlRecord>,
  keys: Readonly<Record<Name, (url: URL) => string | null>>
): Steps<(name: Name) => Groups> {
  const found = new Map<string, Map<string, Array<UrlRecord>>>()
  yield* each(records, (record) => {
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
    return worth
  })
  return (name) => found.get(name) ?? new Map()
}

const unasked = (records: ReadonlyArray<UrlRecord>) => records.filter(({ visit }) => visit === null)
const shown = ([first]: ReadonlyArray<UrlRecord>, count: number, what: string) =>
  `${first?.url ?? ""} and ${count - 1} ${what}`

/** A relative link that its own page answers again, one level down. */
const repeating = (groups: Groups): ReadonlyArray<Endless> =>
  [...groups.values()].map((group) => ({
    cause: "repeated_segments",
    text: shown(group, group.length, "like it: a part of the path repeats itself"),
    idle: []
  }))

/** One page under two session ids may be an old link; under three it has a new one for each visit. */
export const enoughSessions = 3

/** The session that an address names, with the address without it; null when it names none. */
export const sessionOf = (url: URL): string | null => {
  const { address, varies } = steady(url)
  return varies?.kind === "session" ? `${varies.name} ${address}` : null
}

const sessions = (groups: Groups): ReadonlyArray<Endless> => {
  const many = [...groups].filter(([, group]) => group.length >= enoughSessions)
  return many.map(([key, group]) => ({
    cause: "session_id",
    text: shown(group, group.length, `that differ in the session id "${key.split(" ", 1)[0] ?? ""}" alone`),
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

/** Filters of a list: many combinations of few values. A value of its own for each address names a page instead. */
const facets = (groups: Groups): ReadonlyArray<Endless> =>
  [...groups.values()].flatMap((group) => {
    const values = new Map<string, Set<string>>()
    for (const { url } of group) {
      for (const [name, value] of new URL(url).searchParams)
        values.set(name, (values.get(name) ?? new Set()).add(value))
    }
    const varying = [...values].filter(([, each]) => each.size > 1)
    const isCombined = varying.length > 1 && varying.every(([, each]) => 2 * each.size <= group.length)
    if (group.length < enoughSets || !isCombined) return []
    const names = varying.map(([name]) => name).join(", ")
    return [{ cause: "facets", text: shown(group, group.length, `combinations of ${names}`), idle: [] }]
  })

const enoughDates = 8

/** A calendar whose pages lead to one another: its end is where the visitor stops. */
const calendars = (groups: Groups): ReadonlyArray<Endless> =>
  [...groups.values()].flatMap((group) => {
    const own = new Set(group.map(({ url }) => url))
    const chained = group.filter(({ linkedFrom }) => linkedFrom[0] !== undefined && own.has(linkedFrom[0])).length
    const idle = unasked(group)
    if (group.length < enoughDates || idle.length === 0 || chained < 0.7 * group.length) return []
    return [{ cause: "calendar", text: shown(group, group.length, "dates that lead to one another"), idle }]
  })

/** Where links of the site lead on without end. */
export function* endless(records: ReadonlyArray<UrlRecord>): Steps<ReadonlyArray<Endless>> {
  const groups = yield* grouped(records, {
    repeating: (url) => (repeatsSegments(url) ? patternOf(url) : null),
    sessions: sessionOf,
    facets: setOf,
    calendars: calendarOf
  })
  return [
    ...repeating(groups("repeating")),
    ...sessions(groups("sessions")),
    ...facets(groups("facets")),
    ...calendars(groups("calendars"))
  ]
}

/** What stopped the crawl at an address that it left out for good; null when it did not. */
export const whyLeftOut = ({ aside, hops, trapped, url }: UrlRecord): string | null => {
  if (aside) return "not requested: outside of the part of the site that the run covers"
  if (!trapped) return null
  if (repeatsSegments(new URL(url))) return "left out: a part of its path repeats three times, as in endless addresses"
  return hops > 0
    ? `left out: ${hops} redirects led here without settling`
    : "left out: one of an endless series of addresses"
}
