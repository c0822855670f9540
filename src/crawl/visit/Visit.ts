import type { Lost } from "../fetch/Answer.ts"
import type { HeaderFacts } from "../page/HeaderFacts.ts"
import type { CanonicalLink, HreflangLink } from "../page/LinkFacts.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import type { Attempt, RobotsLine } from "../report/MeasuredPage.ts"
import type { FetchState, HealthReason } from "../report/States.ts"
import type { KeptFacts } from "./KeptFacts.ts"

/** Where a redirect answer points. */
export interface RedirectTarget {
  /** Identity of the target, or the reference as sent when it is no http(s) URL; null when there is none. */
  readonly to: string | null
  readonly internal: boolean
  /** 301, 308 and an immediate refresh are permanent. */
  readonly permanent: boolean
  /** The redirect came back to the same URL with the same cookies, or never settled. */
  readonly loop: boolean
}

/** All that the run keeps of one visited URL; the body is not kept. */
export interface Visit {
  readonly attempts: ReadonlyArray<Attempt>
  /** Why the last of them brought no answer; null when it did. */
  readonly lost: Lost | null
  readonly fetchState: FetchState
  readonly status: number | null
  /** The reason when the exchange alone settles it (unchecked, blocked); null when the answer is to be judged. */
  readonly reason: HealthReason | null
  readonly redirect: RedirectTarget | null
  /** An immediate refresh to another URL, which search engines read as a permanent redirect. */
  readonly refresh: RedirectTarget | null
  /** The line of robots.txt that forbids the request; of a URL that was requested, the one that shuts Googlebot out. */
  readonly robotsLine: RobotsLine | null
  /** The facts of an HTML answer below 300, null for all others. */
  readonly facts: KeptFacts | null
  readonly headerFacts: HeaderFacts | null
  /** The `Content-Type` as sent. */
  readonly contentType: string | null
  readonly millis: number | null
  /** Milliseconds that the server took to begin its answer: from the request to the first byte, the connection left out. */
  readonly firstByteMillis: number | null
  readonly bytes: number | null
  /** A redirect that set cookies was followed with them: what the URLs behind it answer then, this one perhaps among them. */
  readonly withCookies: ReadonlyMap<string, Visit>
  /** Only the first 2 MiB of the page were parsed. */
  readonly cut: boolean
  /** Why the run ended before this URL was requested as often as its verdict needs; null when it did not. */
  readonly cutBy: OutOfTime["reason"] | null
}

const noVisits: ReadonlyMap<string, Visit> = new Map()

/** A visit without a request. */
export const unasked = (fetchState: FetchState, reason: HealthReason, robotsLine: RobotsLine | null = null): Visit => ({
  attempts: [],
  lost: null,
  fetchState,
  status: null,
  reason,
  redirect: null,
  refresh: null,
  robotsLine,
  facts: null,
  headerFacts: null,
  contentType: null,
  millis: null,
  firstByteMillis: null,
  bytes: null,
  withCookies: noVisits,
  cut: false,
  cutBy: null
})

/** The canonicals that an answer names, in its document and in its headers. */
export const canonicalsOf = (visit: Visit): ReadonlyArray<CanonicalLink> => [
  ...(visit.facts?.canonicals ?? []),
  ...(visit.headerFacts?.canonicals ?? [])
]

/** The language versions that an answer names, in its document and in its headers. */
export const hreflangsOf = (visit: Visit): ReadonlyArray<HreflangLink> => [
  ...(visit.facts?.hreflangs ?? []),
  ...(visit.headerFacts?.hreflangs ?? [])
]

/** Whether Googlebot may not read what this crawler could ask for. */
export const isShutOut = ({ attempts, robotsLine }: Visit): boolean => attempts.length > 0 && robotsLine !== null

/** Whether the page may hold more than the run saw of it. */
export const isReadInPart = ({ cut, facts }: Visit): boolean =>
  facts !== null && (cut || !facts.parsedWholly || !facts.hasAllLinks)

/** Remark on such a page. */
export const inPart = "only a part of the document was read"
