import * as Effect from "effect/Effect"
import { type Answer, type Answered, isRedirect, redirectTarget } from "../fetch/Answer.ts"
import * as CookieJar from "../fetch/CookieJar.ts"
import { headersOf } from "../page/HeaderFacts.ts"
import { identity } from "../page/UrlIdentity.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { actionOf } from "../site/ActionLinks.ts"
import { sameSite } from "../site/Site.ts"
import type { RobotsCache } from "./RobotsCache.ts"
import type { Scope } from "./Scope.ts"

/** Hops a redirect may take before it counts as one that never settles. */
export const maxHops = 10

/** A URL and what it answered to the cookies of that moment. */
export interface Hop {
  readonly url: URL
  readonly answer: Answered
}

/** Where a redirect that sets cookies leads. */
type CookieRedirect =
  | { readonly _tag: "Loop" }
  /** A page answered: the hops that led to it, itself the last, the redirect that was followed left out. */
  | { readonly _tag: "Settled"; readonly hops: ReadonlyArray<Hop> }

interface Opening {
  readonly start: URL
  readonly url: URL
  readonly answer: Answered
  readonly jar: CookieJar.CookieJar
  /** The jar after the answer's `Set-Cookie` lines. */
  readonly cookies: CookieJar.CookieJar
  readonly ask: (url: URL, jar: CookieJar.CookieJar) => Effect.Effect<Answer, OutOfTime>
  readonly robots: RobotsCache
  readonly scope: Scope
}

interface Step extends Hop {
  readonly cookies: CookieJar.CookieJar
  readonly seen: ReadonlySet<string>
  readonly hops: ReadonlyArray<Hop>
}

const keyOf = (url: URL, cookies: CookieJar.CookieJar): string =>
  `${identity(url)}\n${CookieJar.header(cookies, url) ?? ""}`

/**
 * Follows a redirect that changes the cookies with a private copy of the jar, as a browser would, to tell a cookie redirect
 * from a loop: a loop is the same URL with the same cookies. Null when it is a plain redirect.
 */
export const settle = ({ answer, ask, cookies, jar, robots, scope, start, url }: Opening) => {
  const isClosed = (target: URL) =>
    !sameSite(start, target) || actionOf(target) !== null || scope.leftOut(target) !== null
  const follow = (from: Step): Effect.Effect<CookieRedirect | null, OutOfTime> =>
    Effect.gen(function* () {
      const target = redirectTarget(from.answer, from.url)
      if (target === null || isClosed(target)) return null
      const key = keyOf(target, from.cookies)
      if (from.seen.has(key) || from.seen.size > maxHops) return { _tag: "Loop" }
      const file = yield* robots.of(target)
      if (!file.verdict(target.href).allowed) return null
      const next = yield* ask(target, from.cookies)
      if (next._tag === "Lost") return null
      const hops = [...from.hops, { url: target, answer: next }]
      if (!isRedirect(next.status)) return next.status < 300 ? { _tag: "Settled", hops } : null
      return yield* follow({
        url: target,
        answer: next,
        cookies: CookieJar.store(from.cookies, headersOf(next.headers, "set-cookie"), target),
        seen: new Set([...from.seen, key]),
        hops
      })
    })
  const target = redirectTarget(answer, url)
  const changed = CookieJar.header(cookies, url) !== CookieJar.header(jar, url)
  if (target !== null && identity(target) === identity(url) && !changed)
    return Effect.succeed<CookieRedirect>({ _tag: "Loop" })
  if (target === null || !changed) return Effect.succeed(null)
  return follow({ url, answer, cookies, seen: new Set([keyOf(url, jar)]), hops: [] })
}
