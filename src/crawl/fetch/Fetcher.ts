import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type { OutboundError, OutboundRequest, OutboundResponse } from "../../foundation/outbound/Outbound.ts"
import { Outbound } from "../../foundation/outbound/Outbound.ts"
import { waitOf } from "../../foundation/outbound/RetryAfter.ts"
import { headerOf } from "../page/HeaderFacts.ts"
import * as HostLimiter from "../politeness/HostLimiter.ts"
import { sameSite } from "../site/Site.ts"
import { type Answer, isThrottled, type Lost } from "./Answer.ts"
import { headLimit, lengthOf, pageLimit } from "./PageLimit.ts"
import type { CrawlTiming } from "./Timing.ts"

/** Bytes of one page that are parsed. */
export const pageBytes = 2 * 1024 * 1024
/** Bytes of one page that are read at most. */
const maxBytes = 10 * 1024 * 1024

/** One GET of the run, or a HEAD. */
export interface Get {
  readonly method?: "GET" | "HEAD"
  readonly url: URL
  /** What the run's jar holds for this URL, null for nothing. */
  readonly cookies: string | null
  /** Milliseconds from DNS to the last byte. */
  readonly deadline: number
  /** Bytes of the body that are kept, those of a page by default. */
  readonly keepBytes?: number
  readonly maxBytes?: number
  /** Addresses that the guarded client found for its host: the request goes to one of them, without another look-up. */
  readonly addresses?: ReadonlyArray<string>
  /** Whether only a page is wanted: the body of anything else is not read, except what tells a challenge from an error. */
  readonly pageOnly?: boolean
  /** Whether only the head is wanted: no body is read, except what tells a challenge from an error. */
  readonly headOnly?: boolean
}

/** Every request of the run goes through here, so every request is guarded, bounded and polite. */
export interface Fetcher {
  readonly get: (request: Get) => Effect.Effect<Answer, HostLimiter.OutOfTime>
  /** Starts requests to this origin's host at least `millis` apart. */
  readonly space: (url: URL, millis: number) => Effect.Effect<void>
}

interface Settings {
  /** Requests at once to the site; other hosts get one. */
  readonly perHost: number
  /** Epoch ms. */
  readonly deadlineAt: number
  /** Milliseconds between the starts of two requests to one host, whatever its robots.txt says; 0 for none. */
  readonly gap: number
  readonly timing: CrawlTiming
  readonly userAgent: string
  readonly site: Site
}

/** Fields of requests to the site itself. */
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

/** An exchange without an answer. */
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

/** The site's own fields, where they may go: to its own host alone, and from an https start never over http. */
const ownFields = ({ headers, start }: Site, url: URL): Pick<OutboundRequest, "authorization" | "headers"> => {
  if (!sameSite(start, url) || (start.protocol === "https:" && url.protocol === "http:")) return {}
  const isAuthorization = (name: string) => name.toLowerCase() === "authorization"
  const authorization = Object.entries(headers).find(([name]) => isAuthorization(name))?.[1]
  return {
    headers: Record.filter(headers, (_, name) => !isAuthorization(name)),
    ...(authorization === undefined ? {} : { authorization })
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
      const own = ownFields(site, request.url)
      const bodyLimit = limitOf(request)
      const response = yield* outbound.exchange({
        ...own,
        url: request.url,
        method: request.method ?? "GET",
        headers: { ...own.headers, "user-agent": userAgent, accept },
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
