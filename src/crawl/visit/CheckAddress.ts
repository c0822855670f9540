import * as Effect from "effect/Effect"
import { isWeb } from "../../foundation/schema/Scalars.ts"
import { type Confirmed, confirm, isChallenge } from "../fetch/Confirm.ts"
import * as CookieJar from "../fetch/CookieJar.ts"
import {
  type Answer,
  type Answered,
  type CrawlTiming,
  type Fetcher,
  isThrottled,
  redirectTarget
} from "../fetch/Fetcher.ts"
import { contentType, headerOf } from "../page/Headers.ts"
import type { TextFacts } from "../page/Texts.ts"
import { identity } from "../page/UrlIdentity.ts"
import { OutOfTime } from "../politeness/HostLimiter.ts"
import type { Attempt } from "../report/MeasuredPage.ts"
import { readPage } from "./ReadAnswer.ts"
import type { RobotsFile } from "./RobotsCache.ts"
import { maxHops, type Visitor } from "./Visitor.ts"

/** The result of a request for a URL's status. */
export interface AddressCheck {
  /** `broken` is a confirmed 4xx or 5xx; `closed` means that robots.txt or bot protection blocks crawlers; `unverified` had no deciding response. */
  readonly verdict: "sound" | "broken" | "closed" | "unverified"
  /** The deciding status, after redirects; null without a response. */
  readonly status: number | null
  /** `Content-Length` of a 2xx response; null without one. */
  readonly length: number | null
  /** The GETs that confirm a failure. */
  readonly attempts: ReadonlyArray<Attempt>
}

/** How to request one kind of URLs. */
export interface Asking {
  readonly fetcher: Fetcher
  readonly timing: CrawlTiming
  readonly robotsOf: (url: URL) => Effect.Effect<RobotsFile>
  /** Cookies of the crawl's jar for a URL, null for none. */
  readonly cookiesOf: (url: URL) => string | null
  /** Whether to follow a redirect to the target. */
  readonly follows: (target: URL) => boolean
  /** Statuses of a host that refuses crawlers. */
  readonly isWall: (status: number) => boolean
}

/** Maximum comparisons (characters times rules of a robots.txt) for one URL; a URL with more counts as blocked. */
const maxSteps = 10_000_000

const nothing = new Uint8Array()

const without = (verdict: "closed" | "unverified", status: number | null = null): AddressCheck => ({
  verdict,
  status,
  length: null,
  attempts: []
})

/** `Content-Length` of a 2xx response (RFC 9110 §8.6). */
const lengthOf = ({ headers, status }: Answered): number | null => {
  const length = headerOf(headers, "content-length") ?? ""
  return status < 300 && /^\d{1,15}$/.test(length) ? Number(length) : null
}

/** Whether a lost HEAD may succeed as a GET: the server accepted the connection, and ended it or broke the protocol. */
const mayRefuseHead = (answer: Answer): boolean =>
  answer._tag === "Lost" && answer.connected && answer.cause !== "timeout" && answer.cause !== "tls"

const judged = ({ answer, attempts, unverified }: Confirmed): AddressCheck | Answered => {
  if (answer._tag === "Lost") return without("unverified")
  if (unverified !== null) return without(unverified === "bot_challenge" ? "closed" : "unverified", answer.status)
  return answer.status < 400 ? answer : { verdict: "broken", status: answer.status, length: null, attempts }
}

/**
 * HEAD, and after a failure GET without reading its body: servers refuse HEAD (405, 501), and some answer it differently than GET. So only GETs prove a
 * failure, confirmed like a page's.
 */
const ask = ({ cookiesOf, fetcher, isWall, timing }: Asking, url: URL) =>
  Effect.gen(function* () {
    const request = { url, cookies: cookiesOf(url), deadline: timing.pageDeadline, headOnly: true }
    const head = yield* fetcher.get({ ...request, method: "HEAD" })
    if (head._tag === "Lost") {
      if (!mayRefuseHead(head)) return without("unverified")
    } else {
      if (isThrottled(head.status)) return without(isWall(head.status) ? "closed" : "unverified", head.status)
      if (isChallenge(head.status, head.headers, nothing)) return without("closed", head.status)
      if (head.status < 400) return head
    }
    return judged(yield* confirm(fetcher.get(request), timing.confirmAfter, isWall))
  })

/** Checks a URL's status, or the status at the end of its redirects; reads robots.txt of each origin first. */
export const checkAddress = (
  asking: Asking,
  url: URL,
  seen: ReadonlySet<string> = new Set()
): Effect.Effect<AddressCheck, OutOfTime> =>
  Effect.gen(function* () {
    const file = yield* asking.robotsOf(url)
    if (file.state === "unknown") return yield* new OutOfTime({ reason: "deadline" })
    if (file.state === "unreachable") return without("unverified")
    const isOpen = file.cost(url.href) <= maxSteps && file.verdict(url.href).allowed
    if (!isOpen) return without("closed")
    const answer = yield* ask(asking, url)
    if (!("_tag" in answer)) return answer
    const target = redirectTarget(answer, url)
    if (target === null || !isWeb(target) || !asking.follows(target))
      return { verdict: "sound", status: answer.status, length: lengthOf(answer), attempts: [] }
    const met = new Set([...seen, identity(url)])
    if (met.has(identity(target)) || met.size > maxHops) return without("unverified", answer.status)
    return yield* checkAddress(asking, target, met)
  })

/** The site's response to an impossible path; its text is read for any status. */
export interface SoftProbe {
  readonly url: string
  readonly status: number
  readonly text: TextFacts | null
}

/** FNV-1a of the host: a site always gets the same impossible path, so runs can be compared. */
const nonce = (host: string): string => {
  let hash = 0x811c9dc5
  for (const char of host) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash.toString(36)
}

export const probeUrl = (start: URL): URL => new URL(`/findable-probe-${nonce(start.host)}`, start)

/** Requests an impossible path once; null when robots.txt or the options forbid it, or no response came. */
export const probe = (
  { fetcher, robots, scope, timing }: Visitor,
  start: URL,
  jar: CookieJar.CookieJar
): Effect.Effect<SoftProbe | null, OutOfTime> =>
  Effect.gen(function* () {
    const url = probeUrl(start)
    if (scope.excludedBy(url) !== null) return null
    const file = yield* robots.of(url)
    if (!file.verdict(url.href).allowed) return null
    const cookies = CookieJar.header(jar, url)
    const answer = yield* fetcher.get({ url, cookies, deadline: timing.pageDeadline, pageOnly: true })
    if (answer._tag === "Lost" || isThrottled(answer.status)) return null
    const { body, headers, status } = answer
    const facts = contentType(headers, body).isHtml ? yield* readPage(url, headers, body) : null
    return {
      url: url.href,
      status,
      text: facts?.text ?? null
    }
  })
