import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as CookieJar from "../fetch/CookieJar.ts"
import type { CrawlTiming, Answer as FetchAnswer, Fetcher } from "../fetch/Fetcher.ts"
import { type HeaderLines, headerOf } from "../page/Headers.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { type Answer, type Asked, type Fetch, limits, Refused } from "../render/Rendering.ts"
import { actionOf } from "../site/Site.ts"
import type { RobotsCache, RobotsFile } from "./RobotsCache.ts"
import type { Scope as CrawlScope } from "./Visitor.ts"

/** Why a request of a page is not made: robots.txt closes it to Googlebot, or to this crawler alone. */
const closedToGoogle = "blocked_by_robots"
const closedToUs = "blocked_for_us"

/** A script, style or data file of a page that did not come twice. */
export interface FailedAsset {
  readonly url: string
  /** The status or why there was none, such as `404` or `timeout`. */
  readonly why: string
}

/** What a page's requests came to. */
export interface PageAssets {
  readonly fetch: Fetch
  readonly failed: Effect.Effect<ReadonlyArray<FailedAsset>>
  /** Scripts, styles and data that robots.txt closes to Googlebot, in the order of asking. */
  readonly blocked: Effect.Effect<ReadonlyArray<string>>
}

/** The requests of the pages of one run. */
export interface Assets {
  /** Answers the requests of one page, with the cookies that the run has by then. */
  readonly of: (jar: CookieJar.CookieJar) => PageAssets
  /** What an address answered that pages have loaded: its `Content-Length`, null without one. Undefined for one that was not loaded, or that failed. */
  readonly loaded: (url: string) => number | null | undefined
  /** Requests that were made. */
  readonly requests: Effect.Effect<number>
}

interface Settings {
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  readonly timing: CrawlTiming
  readonly scope: CrawlScope
}

/** Characters times rules of a robots.txt that are compared for one address; one that takes more is taken to forbid it. */
const maxSteps = 10_000_000

/** Bytes of answers that are kept for later pages, and how many answers; an answer beyond them is asked for again when a later page needs it. */
const room = 24_000_000
const maxKept = 5000

/** Requests that the pages of one run make together: scripts can write new addresses without end. */
const maxRequests = 3000
const tooMany = new Refused({ why: "requests" })

/** Kinds that change what a page says: scripts, styles and data. */
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

/** One answer to a request of a page: what it gets, and whether it is a failure that the report tells. */
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

/** Asks for what the pages of a run load while they render, each address once, through the run's own client. */
export const make = ({ fetcher, robots, scope, timing }: Settings): Effect.Effect<Assets, never, Scope.Scope> =>
  Effect.gen(function* () {
    const runScope = yield* Effect.scope
    const known = new Map<string, Deferred.Deferred<Got>>()
    const lengths = new Map<string, number | null>()
    let kept = 0
    let requests = 0

    const ask = (jar: CookieJar.CookieJar, { method, url }: Asked): Effect.Effect<FetchAnswer, OutOfTime> => {
      const request = {
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
      // A failure is asked for once more: at once where the server refuses, and later where it may recover.
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
        if (answer._tag === "Answered" && answer.status >= 200 && answer.status < 300)
          lengths.set(asked.url.href, lengthOf(answer.headers))
        return gotOf(answer)
      }).pipe(Effect.orElseSucceed((): Got => ({ answer: late, failure: null })))

    /** The answer to an address, which the first page that needs it asks for; no page's deadline ends it for the others. */
    const shared = (jar: CookieJar.CookieJar, asked: Asked): Effect.Effect<Got> =>
      Effect.gen(function* () {
        const key = `${asked.method} ${asked.url.href.replace(/#.*$/s, "")}`
        const before = known.get(key)
        if (before !== undefined) return yield* Deferred.await(before)
        const coming = yield* Deferred.make<Got>()
        known.set(key, coming)
        yield* load(jar, asked).pipe(
          Effect.tap((got) => {
            kept += sizeOf(got)
            if (kept <= room && known.size <= maxKept) return
            kept -= sizeOf(got)
            known.delete(key)
          }),
          Effect.intoDeferred(coming),
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
          // In the order of asking, whatever comes first.
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
