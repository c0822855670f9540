import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as CookieJar from "../fetch/CookieJar.ts"
import type { CrawlTiming, Answer as FetchAnswer, Fetcher } from "../fetch/Fetcher.ts"
import { type HeaderLines, headerOf } from "../page/Headers.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { type Answer, type Asked, type Fetch, limits, Refused, type Renderer } from "../render/Rendering.ts"
import { actionOf } from "../site/Site.ts"
import type { RobotsCache, RobotsFile } from "./RobotsCache.ts"
import type { Scope as CrawlScope } from "./Visitor.ts"

/** Why a request of a page is not made: robots.txt blocks the URL for Googlebot, or for this crawler alone. */
const closedToGoogle = "blocked_by_robots"
const closedToUs = "blocked_for_us"

/** A script, style or data file of a page that failed twice. */
export interface FailedAsset {
  readonly url: string
  /** The status, or the cause of a missing response, such as `404` or `timeout`. */
  readonly why: string
}

/** The requests of one page. */
export interface PageAssets {
  readonly fetch: Fetch
  readonly failed: Effect.Effect<ReadonlyArray<FailedAsset>>
  /** Scripts, styles and data that robots.txt blocks for Googlebot, in the order of the requests. */
  readonly blocked: Effect.Effect<ReadonlyArray<string>>
}

/** The requests of all pages of a crawl. */
export interface Assets {
  /** Answers the requests of one page, with the cookies that the crawl has by then. */
  readonly of: (jar: CookieJar.CookieJar) => PageAssets
  /** The `Content-Length` of a URL that pages loaded, null without one; undefined for a URL that was not loaded, or that failed. */
  readonly loaded: (url: string) => number | null | undefined
  /** Number of requests. */
  readonly requests: Effect.Effect<number>
}

interface Settings {
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  readonly timing: CrawlTiming
  readonly scope: CrawlScope
  readonly store: (typeof Renderer.Service)["store"]
}

/** Most comparisons (characters times rules of a robots.txt) for one URL; a URL that takes more counts as blocked. */
const maxSteps = 10_000_000

/** Most bytes of responses in memory for later pages; further ones are stored. */
const room = 24_000_000
/** Most responses and refusals that are remembered. */
const maxKept = 5000

/** Most requests of all pages of a crawl: scripts can write new URLs without end. */
const maxRequests = 3000
const tooMany = new Refused({ why: "requests" })

/** Kinds that change the content of a page: scripts, styles and data. */
const telling = new Set(["Script", "Stylesheet", "XHR", "Fetch"])

const late = new Refused({ why: "time" })

const closed = (file: RobotsFile, url: URL): Refused | null => {
  if (file.state === "unknown") return late
  if (file.state === "unreachable") return new Refused({ why: "robots_unreachable" })
  const isCostly = file.cost(url.href) > maxSteps
  if (isCostly || !file.google(url.href).allowed) return new Refused({ why: closedToGoogle })
  return file.verdict(url.href).allowed ? null : new Refused({ why: closedToUs })
}

const isFailure = (answer: FetchAnswer): boolean => answer._tag === "Lost" || answer.status >= 400

/** The response to a request of a page, and the failure for the report, null without one. */
interface Got {
  readonly answer: Answer | Refused
  readonly failure: string | null
}

const gotOf = (answer: FetchAnswer): Got => {
  if (answer._tag === "Lost") {
    const why = answer.cause === "timeout" ? "time" : answer.cause
    return { answer: new Refused({ why }), failure: answer.cause }
  }
  if (answer.overlong) return { answer: new Refused({ why: "too_large" }), failure: null }
  const { body, headers, status } = answer
  return { answer: { body, headers, status }, failure: status >= 400 ? String(status) : null }
}

const lengthOf = (headers: HeaderLines): number | null => {
  const length = headerOf(headers, "content-length") ?? ""
  return /^\d{1,15}$/.test(length) ? Number(length) : null
}

const sizeOf = ({ answer }: Got): number => (answer instanceof Refused ? 0 : answer.body.length)

/** Requests the scripts, styles and data of the pages of a crawl, each URL once, through the crawl's client. */
export const make = ({ fetcher, robots, scope, store, timing }: Settings): Effect.Effect<Assets, never, Scope.Scope> =>
  Effect.gen(function* () {
    const runScope = yield* Effect.scope
    const known = new Map<string, Effect.Effect<Got>>()
    const lengths = new Map<string, number | null>()
    let kept = 0
    let requests = 0

    const ask = (jar: CookieJar.CookieJar, { headers, method, url }: Asked): Effect.Effect<FetchAnswer, OutOfTime> => {
      const request = {
        headers,
        method,
        url,
        cookies: CookieJar.header(jar, url),
        deadline: timing.pageDeadline,
        keepBytes: limits.asset,
        maxBytes: limits.asset
      }
      const get = Effect.suspend(() => {
        requests += 1
        return fetcher.get(request)
      })
      // Each failure gets a second request: immediately after a 4xx, later where the server may recover.
      return Effect.flatMap(get, (answer) => {
        if (!isFailure(answer)) return Effect.succeed(answer)
        const isRefusal = answer._tag === "Answered" && answer.status < 500
        return Effect.orElseSucceed(Effect.delay(get, isRefusal ? 0 : timing.confirmAfter), () => answer)
      })
    }

    const load = (jar: CookieJar.CookieJar, asked: Asked): Effect.Effect<Got> =>
      Effect.gen(function* () {
        const refusal = closed(yield* robots.of(asked.url), asked.url) ?? (requests < maxRequests ? null : tooMany)
        if (refusal !== null) return { answer: refusal, failure: null }
        const answer = yield* ask(jar, asked)
        if (asked.method !== "OPTIONS" && answer._tag === "Answered" && answer.status >= 200 && answer.status < 300)
          lengths.set(asked.url.href, lengthOf(answer.headers))
        return gotOf(answer)
      }).pipe(Effect.orElseSucceed((): Got => ({ answer: late, failure: null })))

    /**
     * Remembers a response for later pages. Beyond the room in memory a failure loses its body, and another body is stored. Without room on the disk either,
     * later pages request the URL again.
     */
    const remember = (key: string, got: Got): Effect.Effect<unknown> => {
      const { answer, failure } = got
      if (kept + sizeOf(got) + key.length <= room && known.size <= maxKept) {
        kept += sizeOf(got) + key.length
        return Effect.void
      }
      if (known.size > maxKept) return Effect.sync(() => known.delete(key))
      if (answer instanceof Refused) return Effect.void
      if (failure !== null) {
        const short = { ...answer, body: new Uint8Array() }
        return Effect.sync(() => known.set(key, Effect.succeed({ answer: short, failure })))
      }
      return Effect.map(
        store(answer.body),
        Option.match({
          onNone: () => known.delete(key),
          onSome: (read) => {
            const again = Effect.map(read, (body): Got => ({ answer: { ...answer, body }, failure }))
            known.set(
              key,
              Effect.orElseSucceed(again, (): Got => ({ answer: late, failure: null }))
            )
          }
        })
      )
    }

    /** The response to a URL, which the first page that needs it requests; no page's deadline ends it for the others. */
    const shared = (jar: CookieJar.CookieJar, asked: Asked): Effect.Effect<Got> =>
      Effect.gen(function* () {
        const key = `${asked.method} ${asked.url.href.replace(/#.*$/s, "")} ${JSON.stringify(asked.headers)}`
        const before = known.get(key)
        if (before !== undefined) return yield* before
        const coming = yield* Deferred.make<Got>()
        known.set(key, Deferred.await(coming))
        yield* load(jar, asked).pipe(
          Effect.tap((got) => Deferred.succeed(coming, got)),
          Effect.flatMap((got) => remember(key, got)),
          Effect.forkIn(runScope)
        )
        return yield* Deferred.await(coming)
      })

    const refusalOf = (url: URL): Refused | null => {
      if (scope.excludedBy(url) !== null) return new Refused({ why: "excluded" })
      return actionOf(url) === null ? null : new Refused({ why: "action" })
    }

    const of = (jar: CookieJar.CookieJar): PageAssets => {
      const failures = new Map<string, string | null>()
      const fetch: Fetch = (asked) =>
        Effect.suspend(() => {
          const refusal = refusalOf(asked.url)
          if (refusal !== null) return refusal
          const { href } = asked.url
          // The order of requests, not of responses.
          if (telling.has(asked.kind)) failures.set(href, failures.get(href) ?? null)
          return Effect.flatMap(shared(jar, asked), ({ answer, failure }) => {
            const isClosed = answer instanceof Refused && answer.why === closedToGoogle
            if (failures.has(href)) failures.set(href, isClosed ? closedToGoogle : failure)
            return answer instanceof Refused ? answer : Effect.succeed(answer)
          })
        })
      const all = Effect.sync(() => [...failures].flatMap(([url, why]) => (why === null ? [] : [{ url, why }])))
      return {
        blocked: Effect.map(all, (each) => each.flatMap(({ url, why }) => (why === closedToGoogle ? [url] : []))),
        failed: Effect.map(all, (each) => each.filter(({ why }) => why !== closedToGoogle)),
        fetch
      }
    }

    return { loaded: (url) => lengths.get(url), of, requests: Effect.sync(() => requests) }
  })
