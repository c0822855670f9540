import { actionOf, patternOf, segmentsOf } from "../site/Site.ts"
import type { Scope } from "../visit/Visitor.ts"

/** Why the frontier puts a URL last or leaves it out. */
type TrapReason =
  | "pattern_share"
  | "repeated_segments"
  | "query_permutation"
  | "facets"
  | "session_id"
  | "calendar"
  | "parameter_set"
  | "action_link"
  | "excluded"
  | "not_included"

/** The cause of endless URLs, and their common pattern. */
export interface Trap {
  readonly reason: TrapReason
  readonly pattern: string
}

/** Whether a URL is never requested, because it acts or the options exclude it; such URLs form no series. */
export const isNeverAsked = (trap: Trap | null): boolean =>
  trap?.reason === "action_link" || trap?.reason === "excluded" || trap?.reason === "not_included"

/** `/a/b/a/b/a/b`: the mark of a relative link on a page that answers one level deeper too. */
export const repeatsSegments = (url: URL): boolean => {
  const segments = segmentsOf(url)
  const repeatsFrom = (start: number, period: number): boolean =>
    segments.slice(start, start + period).every((segment, index) => {
      const again = segments[start + period + index]
      return again === segment && segments[start + 2 * period + index] === segment
    }) && start + 3 * period <= segments.length
  return segments.some((_, start) => [1, 2, 3].some((period) => repeatsFrom(start, period)))
}

const files =
  /\.(?:7z|avi|bmp|bz2|css|csv|docx?|eot|epub|exe|flac|gif|gz|ico|ics|jpe?g|js|json|m4a|m4v|mov|mp3|mp4|mpe?g|odt|ogg|otf|pdf|png|pptx?|rar|rss|svg|tar|tgz|tiff?|ttf|txt|wav|webm|webp|woff2?|xlsx?|xml|zip)$/i

/** Whether the path names a non-HTML file; such links are checked after the pages. */
const namesFile = (url: URL): boolean => files.test(url.pathname)

/** How the crawl came to know a URL. A link with nofollow, ugc or sponsored counts separately, and so does a link that only a script adds. */
export type Via = "start" | "link" | "rendered" | "nofollow" | "redirect" | "reference" | "sitemap"

/**
 * The turns of a crawl in order: followed links, URLs in the markup, the sitemap, more pages of one pattern, first parameter sets of known pages, files,
 * nofollow-only links, further parameter sets, and calendars.
 */
export const turns = [
  "link",
  "reference",
  "sitemap",
  "share",
  "set",
  "file",
  "nofollow",
  "variant",
  "calendar"
] as const
export type Turn = (typeof turns)[number]

export const laterOf = (a: Turn, b: Turn): Turn => (turns.indexOf(a) > turns.indexOf(b) ? a : b)
export const earlierOf = (a: Turn, b: Turn): Turn => (turns.indexOf(a) < turns.indexOf(b) ? a : b)

/** The turn of each kind of mention; redirect targets have the turn of links, so the end of the redirect becomes known. */
export const turnOf: Readonly<Record<Via, Turn>> = {
  start: "link",
  link: "link",
  rendered: "link",
  redirect: "link",
  reference: "reference",
  sitemap: "sitemap",
  nofollow: "nofollow"
}

/** Names of session parameters on common platforms. */
const sessionName =
  /^(?:(?:php|j|asp\.?net[_-]?|cf|zen|osc?|xtc?)?[_-]?s(?:ess(?:ion)?)?[_-]?(?:id|key|token)|session|sess|aspsessionid\w*|cfid|cftoken|sessid|zenid|oscsid)$/i

/** Parameters that only name the visitor's origin. */
const trackingName = /^(?:utm_\w+|gclid|fbclid|msclkid|yclid|dclid|mc_[ce]id|_ga|_gl|igshid)$/i

/** A session written into the path: `;jsessionid=…`, or ASP.NET's `(S(…))`. */
const sessionPath = /;(jsessionid|sid|phpsessid)=[^/?#;]*|\/\((S)\([^)]*\)\)/i

/** A URL without session id and tracking parameters, and the name of a removed parameter; null when there was none. */
interface Steady {
  readonly address: string
  readonly varies: { readonly kind: "session" | "tracking"; readonly name: string } | null
}

/** The URL of the page, without session id and tracking parameters. */
export const steady = (url: URL): Steady => {
  const inPath = sessionPath.exec(url.pathname)
  const path = inPath === null ? url.pathname : url.pathname.replace(sessionPath, "")
  const parameters = url.search
    .slice(1)
    .split("&")
    .filter((each) => each !== "")
  const nameOf = (parameter: string) => parameter.split("=", 1)[0] ?? ""
  const session = parameters.map(nameOf).find((name) => sessionName.test(name)) ?? inPath?.[1] ?? inPath?.[2]
  const tracking = parameters.map(nameOf).find((name) => trackingName.test(name))
  const rest = parameters.filter((each) => !sessionName.test(nameOf(each)) && !trackingName.test(nameOf(each)))
  const varies =
    session !== undefined
      ? ({ kind: "session", name: session } as const)
      : tracking === undefined
        ? null
        : ({ kind: "tracking", name: tracking } as const)
  return { address: `${url.origin}${path}${rest.length === 0 ? "" : `?${rest.sort().join("&")}`}`, varies }
}

const inPath = /\/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-](?:0?[1-9]|[12]\d|3[01]))?\/?$/
const inQuery = /^(?:19|20)\d\d[-/.]?(?:0[1-9]|1[0-2])(?:[-/.]?(?:0[1-9]|[12]\d|3[01]))?$/
const year = /^(?:19|20)\d\d$/
const monthName = /^(?:m|mon|month|mois|monat|mes)$/i
const yearName = /^(?:y|yr|year|jahr|annee|ano)$/i

/** The URL of a calendar's day or month with its date blanked; null without a date. */
export const calendarOf = (url: URL): string | null => {
  if (inPath.test(url.pathname)) return `${url.pathname.replace(inPath, "/{date}")}`
  const entries = [...url.searchParams]
  const isDated = entries.some(([, value]) => inQuery.test(value))
  const isSplit =
    entries.some(([name, value]) => yearName.test(name) && year.test(value)) &&
    entries.some(([name]) => monthName.test(name))
  return isDated || isSplit ? `${url.pathname}?{date}` : null
}

/** The files that servers send for a folder. */
export const indexFile = /\/(?:index|default|welcome)\.(?:x?html?|shtml|php\d?|aspx?|jsp|cfm)$/i

/** A path without the name of an index file and the trailing slash. */
export const folderOf = (pathname: string): string => pathname.replace(indexFile, "/").replace(/\/$/, "")

/** Whether two URLs differ only in query, index file name or trailing slash. */
export const isVariantOf = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)]
  return one !== other && a.origin === b.origin && folderOf(a.pathname) === folderOf(b.pathname)
}

/** How many parameter sets of one path count as ordinary pages, and how many dates of one calendar have an ordinary turn. */
const firstSets = 3
const firstDates = 3

/** Two normal forms of a URL. */
interface Address {
  /** The URL without session id and tracking, its parameters sorted. */
  readonly address: string
  /** `address` without parameters. */
  readonly plain: string
}

export const addressOf = (url: URL): Address => {
  const { address } = steady(url)
  return { address, plain: address.split("?", 1)[0] ?? address }
}

/** Several parameters together: filters of a list. */
const isCombined = ({ searchParams }: URL): boolean => new Set(searchParams.keys()).size > 1

/** The kind of a URL, by its form and by earlier URLs of its kind. */
export interface Kind extends Address {
  /** The earliest possible turn; null when the URL is never requested. */
  readonly turn: Turn | null
  /** Why the URL comes last or is left out. */
  readonly trap: Trap | null
  /** Statements about the whole site leave the URL out unless it is requested: it is another URL of known content, or shows no page. */
  readonly isOutside: boolean
  /** Whether the URL is an early or a later parameter set of a path without a self-canonical; null when neither. */
  readonly set: "first" | "further" | null
  /** Keys of the counters that the URL adds to. */
  readonly counts: ReadonlyArray<string>
}

/** Classifies URLs, and counts them by kind. */
export class Kinds {
  readonly #counts = new Map<string, number>()
  readonly #addresses = new Set<string>()
  readonly #free = new Set<string>()
  /** A quarter of the crawl for one kind of page, until nothing else is left. */
  readonly #share: number
  readonly #leftOut: Scope["leftOut"]

  constructor(maxPages: number, leftOut: Scope["leftOut"]) {
    this.#share = Math.max(10, Math.ceil(maxPages / 4))
    this.#leftOut = leftOut
  }

  /** The kind of a new URL. */
  kindOf(name: string, via: Via): Kind {
    const url = new URL(name)
    const pattern = patternOf(url)
    const { address, plain } = addressOf(url)
    const own = { address, plain, set: null, counts: [] }
    const outside = (reason: TrapReason, turn: Turn | null, of = pattern): Kind => ({
      ...own,
      turn,
      trap: { reason, pattern: of },
      isOutside: true
    })
    const left = this.#leftOut(url)
    if (left !== null) return outside(left.reason, null, left.pattern)
    const action = actionOf(url)
    if (action !== null) return outside("action_link", null, action)
    if (repeatsSegments(url)) return outside("repeated_segments", null)
    if (via === "redirect") return { ...own, address: name, turn: "link", trap: null, isOutside: false }
    if (address !== name && this.#addresses.has(address)) return this.asVariation(name, own)

    const isSet = address !== plain && via !== "sitemap" && !this.#free.has(plain)
    const sets = isSet ? [`set ${plain}`] : []
    const isLate = this.#isBeyond(sets, firstSets)
    const calendar = calendarOf(url)
    const dates = calendar === null ? [] : [`date ${calendar}`]
    const counts = [...sets, ...dates]
    if (calendar !== null && this.#isBeyond(dates, firstDates))
      return { ...outside("calendar", "calendar", calendar), isOutside: isLate, set: isLate ? "further" : null, counts }
    if (isLate) return { ...outside(isCombined(url) ? "facets" : "parameter_set", "variant"), set: "further", counts }
    if (isSet) return { ...own, turn: "link", trap: null, isOutside: false, set: "first", counts }
    const page = this.#page(url, own)
    return { ...page, counts: [...counts, ...page.counts] }
  }

  /** The kind of a URL that differs from a known one only in parameter order, session id or tracking parameters. */
  asVariation(name: string, { address, plain }: Address): Kind {
    const url = new URL(name)
    const reason = steady(url).varies?.kind === "session" ? "session_id" : "query_permutation"
    const trap = { reason, pattern: patternOf(url) } as const
    return { address, plain, turn: "variant", trap, isOutside: true, set: null, counts: [] }
  }

  /** Counts a URL with a record. */
  enter({ address, counts }: Kind): void {
    this.#addresses.add(address)
    for (const key of counts) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** The kind of a parameter set that counts as a page from now on; a date stays a date. */
  asPage(name: string, kind: Kind): Kind {
    if (kind.turn === "calendar") return { ...kind, isOutside: false, set: null }
    const page = this.#page(new URL(name), kind)
    this.enter(page)
    return page
  }

  /** The kind of a URL after another mention: a URL in a sitemap is a page, and a redirect target is requested early. */
  named(name: string, kind: Kind, via: Via): Kind {
    if (kind.turn === null) return kind
    if (via === "redirect") return { ...kind, address: name, turn: "link", trap: null, isOutside: false, set: null }
    const isListed = via === "sitemap" && (kind.set !== null || kind.turn === "variant")
    return isListed ? this.asPage(name, { ...kind, address: name }) : kind
  }

  /** Counts the parameter sets of a path as pages from now on, because one is its own canonical. False when they already did. */
  free(plain: string): boolean {
    const isNew = !this.#free.has(plain)
    this.#free.add(plain)
    return isNew
  }

  #isBeyond([key]: ReadonlyArray<string>, most: number): boolean {
    return key !== undefined && (this.#counts.get(key) ?? 0) >= most
  }

  #page(url: URL, { address, plain }: Address): Kind {
    const pattern = patternOf(url)
    const page = { address, plain, set: null, counts: [`page ${pattern}`], isOutside: false }
    if (!this.#isBeyond(page.counts, this.#share))
      return { ...page, turn: namesFile(url) ? "file" : "link", trap: null }
    return isCombined(url)
      ? { ...page, turn: "set", trap: { reason: "facets", pattern } }
      : { ...page, turn: "share", trap: { reason: "pattern_share", pattern } }
  }
}
