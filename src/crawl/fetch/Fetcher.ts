import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import {
  Outbound,
  type OutboundError,
  type OutboundRequest,
  type OutboundResponse,
  type Trailing
} from "../../foundation/outbound/Outbound.ts"
import { waitOf } from "../../foundation/outbound/Timing.ts"
import { hasCredentials } from "../page/Credentials.ts"
import { contentType, type HeaderLines, headerOf, headerReference } from "../page/Headers.ts"
import { fragmentOf, parseUrl } from "../page/UrlIdentity.ts"
import * as HostLimiter from "../politeness/HostLimiter.ts"
import type { Attempt, NoAnswerCause } from "../report/MeasuredPage.ts"
import { resolve, sameSite } from "../site/Site.ts"

/** A complete HTTP response, its body decoded and capped. */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  readonly headers: HeaderLines
  readonly body: Uint8Array
  /** Decoded bytes read, kept or not. */
  readonly bytesRead: number
  /** Decoded bytes; for an unread body its `Content-Length`, null when that is missing. */
  readonly bytes: number | null
  /** The body was longer than the limit for one page. */
  readonly overlong: boolean
  /** Bytes behind the gzip stream of an encoded body; absent when there are none. */
  readonly trailing?: Trailing
  readonly millis: number
  /** Milliseconds from the request to the first byte, without look-up and connection; null when unknown. */
  readonly firstByteMillis: number | null
}

/** No HTTP response, and why: never a verdict on the page. */
export interface Lost {
  readonly _tag: "Lost"
  readonly cause: NoAnswerCause
  /** The cause in one sentence with its details. */
  readonly message: string
  /** Whether a connection to the server existed before. */
  readonly connected: boolean
}

export type Answer = Answered | Lost

/** Whether a status only means "later": 429 (RFC 6585 §4), and 430 on some platforms. */
export const isThrottled = (status: number): boolean => status === 429 || status === 430

export const attemptOf = (answer: Answer): Attempt =>
  answer._tag === "Answered" ? { http_status: answer.status, cause: null } : { http_status: null, cause: answer.cause }

/** Redirect statuses (Fetch standard, redirect status); 304 to a request without a condition is not one. */
const redirects = new Set([301, 302, 303, 307, 308])

/** Whether a status is a redirect status, with or without a Location. */
export const isRedirect = (status: number): boolean => redirects.has(status)

/** The raw Location of a redirect; null without a redirect or a Location. */
const locationOf = ({ headers, status }: Answered): string | null => {
  const location = isRedirect(status) ? headerOf(headers, "location") : null
  return location === null ? null : headerReference(location)
}

/** A redirect's target without a fragment; null without a redirect or a URL, or when the URL has a user name or password. */
export const redirectTarget = (answer: Answered, url: URL): URL | null => {
  const location = locationOf(answer)
  return location === null ? null : resolve(location, url)
}

/** The fragment of a Location, null when there is none, and whether the Location has a user name or password. */
export const locationFacts = (answer: Answered, url: URL) => {
  const target = parseUrl(locationOf(answer) ?? "", url.href)
  return target === null
    ? { fragment: null, hasCredentials: false }
    : { fragment: fragmentOf(target), hasCredentials: hasCredentials(target) }
}

/** Bytes to read of a non-HTML error, to detect a challenge. */
const errorBytes = 65_536

const nothing = new Uint8Array()

/**
 * Bytes to read of a response where a page is expected. Other bodies stay unread: a video costs the site only its head. Without a readable Content-Type the
 * bytes decide, so they are read.
 */
const pageLimit: NonNullable<OutboundRequest["bodyLimit"]> = ({ fields, status }) => {
  const { isHtml, sniffed } = contentType(fields, nothing)
  if (isHtml || sniffed) return Number.POSITIVE_INFINITY
  return status >= 400 ? errorBytes : 0
}

/** Bytes to read of a response when only the head is wanted. */
const headLimit: NonNullable<OutboundRequest["bodyLimit"]> = ({ status }) => (status >= 400 ? errorBytes : 0)

/** The length of a body by its head; null without a valid length (RFC 9112 §6.3), or when the length counts encoded bytes. */
const lengthOf = (headers: HeaderLines): number | null => {
  const coding = headerOf(headers, "content-encoding") ?? ""
  const length = headerOf(headers, "content-length") ?? ""
  if (headerOf(headers, "transfer-encoding") !== null) return null
  return /^(?:identity)?$/i.test(coding) && /^\d{1,15}$/.test(length) ? Number(length) : null
}

/** The waits of a crawl in milliseconds. */
export interface CrawlTiming {
  /** From DNS to the last byte of one page. */
  readonly pageDeadline: number
  /** Longest silence inside an exchange. */
  readonly idleTimeout: number
  /** From DNS to the last byte of robots.txt; each redirect starts the time again. */
  readonly robotsDeadline: number
  /** Wait before retrying a 5xx or a lost connection; the contract says at least a second. */
  readonly confirmAfter: number
  /** First pause of a throttled host that names no time; doubles twice. */
  readonly backoff: number
}

/** Waits of a real crawl. */
export const defaultTiming: CrawlTiming = {
  pageDeadline: 12_000,
  idleTimeout: 8_000,
  robotsDeadline: 8_000,
  confirmAfter: 1_000,
  backoff: 1_000
}

/** Maximum bytes to parse of one page. */
export const pageBytes = 2 * 1024 * 1024
/** Maximum bytes to read of one page. */
const maxBytes = 10 * 1024 * 1024

/** One GET or HEAD of the crawl, or the CORS preflight of a page that renders. */
export interface Get {
  readonly method?: "GET" | "HEAD" | "OPTIONS"
  readonly url: URL
  /** Fields of a page's request, names in lower case; the site's own fields replace them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Cookies of the crawl's jar for this URL, null for none. */
  readonly cookies: string | null
  /** Milliseconds from DNS to the last byte. */
  readonly deadline: number
  /** Maximum bytes of the body to keep; default is the limit for a page. */
  readonly keepBytes?: number
  readonly maxBytes?: number
  /** Addresses that the guarded client found for the host: the request connects to one of them without another look-up. */
  readonly addresses?: ReadonlyArray<string>
  /** Whether only a page is wanted: other bodies are read only to tell a challenge from an error. */
  readonly pageOnly?: boolean
  /** Whether only the head is wanted: a body is read only to tell a challenge from an error. */
  readonly headOnly?: boolean
}

/** Sends every request of the crawl, with private-network protection, bounds and politeness. */
export interface Fetcher {
  readonly get: (request: Get) => Effect.Effect<Answer, HostLimiter.OutOfTime>
  /** Starts requests to this origin's host at least `millis` apart. */
  readonly space: (url: URL, millis: number) => Effect.Effect<void>
}

interface Settings {
  /** Concurrent requests to the site; other hosts get one. */
  readonly perHost: number
  /** Epoch ms. */
  readonly deadlineAt: number
  /** Minimum milliseconds between the starts of two requests to one host; a longer Crawl-delay wins; 0 for none. */
  readonly gap: number
  readonly timing: CrawlTiming
  readonly userAgent: string
  readonly site: Site
}

/** Header fields for requests to the site itself. */
interface Site {
  readonly headers: Readonly<Record<string, string>>
  readonly start: URL
}

const signOf = (answer: Answer, now: number): HostLimiter.Sign => {
  if (answer._tag === "Lost") return { _tag: "Troubled" }
  if (!isThrottled(answer.status) && answer.status !== 503) return { _tag: "Good" }
  const wait = waitOf(headerOf(answer.headers, "retry-after"), headerOf(answer.headers, "date"), now)
  return { _tag: "Throttled", wait: Option.getOrNull(wait) }
}

/** An exchange without a response. */
export const lost = (error: OutboundError): Lost => ({
  _tag: "Lost",
  cause: error.reason,
  message: error.message,
  connected: error.timings.connectMs !== null || error.timings.reused
})

const limitOf = ({ headOnly, pageOnly }: Get): OutboundRequest["bodyLimit"] =>
  headOnly === true ? headLimit : pageOnly === true ? pageLimit : undefined

const isUnread = (request: Get, { headers, status }: OutboundResponse): boolean =>
  limitOf(request)?.({ fields: headers, status }) === 0

/** The site's header fields, only for its own host, and from an https start never over http. */
const ownFields = ({ headers, start }: Site, url: URL): Pick<OutboundRequest, "authorization" | "headers"> => {
  if (!sameSite(start, url) || (start.protocol === "https:" && url.protocol === "http:")) return {}
  const isAuthorization = (name: string) => name.toLowerCase() === "authorization"
  const authorization = Object.entries(headers).find(([name]) => isAuthorization(name))?.[1]
  return {
    headers: Record.filter(headers, (_, name) => !isAuthorization(name)),
    ...(authorization === undefined ? {} : { authorization })
  }
}

/** The fields of a request: the page's, and the site's in their place. */
const fieldsOf = (site: Site, { headers = {}, url }: Get): Pick<OutboundRequest, "authorization" | "headers"> => {
  const own = ownFields(site, url)
  const { authorization, ...others } = headers
  const taken = new Set(Object.keys(own.headers ?? {}).map((name) => name.toLowerCase()))
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...own,
    headers: { ...Record.filter(others, (_, name) => !taken.has(name)), ...own.headers }
  }
}

const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

export const make = Effect.fnUntraced(function* ({ deadlineAt, gap, perHost, site, timing, userAgent }: Settings) {
  const outbound = yield* Outbound
  const limiters = new Map<string, HostLimiter.HostLimiter>()

  const limiterOf = (url: URL): Effect.Effect<HostLimiter.HostLimiter> =>
    Effect.gen(function* () {
      const known = limiters.get(url.host)
      if (known !== undefined) return known
      const ceiling = sameSite(site.start, url) ? perHost : 1
      const limiter = yield* HostLimiter.make({ ceiling, deadlineAt, gap, backoff: timing.backoff })
      limiters.set(url.host, limiter)
      return limiter
    })

  const exchange = (request: Get) =>
    Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const own = fieldsOf(site, request)
      const bodyLimit = limitOf(request)
      const response = yield* outbound.exchange({
        ...own,
        url: request.url,
        method: request.method ?? "GET",
        headers: { ...own.headers, "user-agent": userAgent, accept: request.headers?.accept ?? accept },
        ...(request.addresses === undefined ? {} : { addresses: request.addresses }),
        ...(request.cookies === null ? {} : { cookies: request.cookies }),
        deadline: request.deadline,
        idleTimeout: timing.idleTimeout,
        keepBytes: request.keepBytes ?? pageBytes,
        maxBytes: request.maxBytes ?? maxBytes,
        ...(bodyLimit === undefined ? {} : { bodyLimit }),
        decode: true,
        reuse: true
      })
      const now = yield* Clock.currentTimeMillis
      const answer: Answer = {
        _tag: "Answered",
        status: response.status,
        headers: response.headers,
        body: response.body,
        bytesRead: response.bytesRead,
        bytes: isUnread(request, response) ? lengthOf(response.headers) : response.bytesRead,
        overlong: response.truncated,
        ...(response.trailing === undefined ? {} : { trailing: response.trailing }),
        millis: now - startedAt,
        firstByteMillis: response.timings.firstByteMs
      }
      return { answer, now }
    }).pipe(
      Effect.catchAll((error) => Effect.map(Clock.currentTimeMillis, (now) => ({ answer: lost(error), now }))),
      Effect.map(({ answer, now }): { readonly answer: Answer; readonly sign: HostLimiter.Sign } => ({
        answer,
        sign: signOf(answer, now)
      }))
    )

  return {
    get: (request) =>
      Effect.flatMap(limiterOf(request.url), (limiter) =>
        Effect.map(
          limiter.through(exchange(request), ({ sign }) => sign),
          ({ answer }) => answer
        )
      ),
    space: (url, millis) => Effect.flatMap(limiterOf(url), (limiter) => limiter.space(millis))
  } satisfies Fetcher
})
