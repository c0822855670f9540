import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { confirm } from "../fetch/Confirm.ts"
import * as CookieJar from "../fetch/CookieJar.ts"
import {
  type Answer,
  type Answered,
  type CrawlTiming,
  type Fetcher,
  isRedirect,
  redirectTarget
} from "../fetch/Fetcher.ts"
import { headersOf } from "../page/Headers.ts"
import { identity, normalEscapes } from "../page/UrlIdentity.ts"
import { OutOfTime } from "../politeness/HostLimiter.ts"
import type { Turn } from "../render/Choice.ts"
import type { RobotsLine } from "../report/MeasuredPage.ts"
import { compile } from "../robots/Parse.ts"
import { actionOf, sameSite } from "../site/Site.ts"
import { type AfterReading, asSent, type BodyBudget, readAnswer } from "./ReadAnswer.ts"
import type { RobotsCache, RobotsFile } from "./RobotsCache.ts"
import { unasked, type Visit } from "./Visit.ts"

const isGlob = /^[/*][^#\s\p{Cc}]{0,2047}$/u

/** A glob for the whole path and query of a URL; `*` matches any characters, including none, `/` and `?`: `/admin/*`, `*?sort=*`, `*.pdf`. */
export const AddressGlob = Schema.String.pipe(
  Schema.pattern(isGlob, {
    message: () =>
      "must be a glob for path and query that begins with / or * and has no spaces or #, such as /admin/* or *.pdf"
  })
)

/** Globs for URLs of the site; exclusion wins. */
export interface Globs {
  /** URLs that are never requested, except the start, its redirects and robots.txt. */
  readonly exclude?: ReadonlyArray<string>
  /** If given, only matching pages and the start are read; sitemaps and page resources are requested anyway. Default: all pages. */
  readonly include?: ReadonlyArray<string>
}

/** The lists that are not empty. */
export const writtenGlobs = ({ exclude = [], include = [] }: Globs): Globs => ({
  ...(exclude.length === 0 ? {} : { exclude }),
  ...(include.length === 0 ? {} : { include })
})

/** Why the options leave a URL out: the glob that excludes it, or all include globs when none matches. */
interface LeftOut {
  readonly reason: "excluded" | "not_included"
  readonly pattern: string
}

/** The URLs that the options allow. */
export interface Scope {
  /** The glob that excludes a URL from every request; null when none does. */
  readonly excludedBy: (url: URL) => string | null
  /** Why a URL may not be read as a page; null when it may. */
  readonly leftOut: (url: URL) => LeftOut | null
}

const beyondAscii = /[^\x20-\x7e]+/g

/** A glob with normalized escapes (RFC 3986 §6.2.2). */
const spelt = (glob: string): string => normalEscapes(glob.toWellFormed().replace(beyondAscii, encodeURIComponent))

/** The scope of the globs; without globs it has every URL. */
export const scopeOf = ({ exclude = [], include = [] }: Globs): Scope => {
  const compiled = (glob: string) => ({ glob, matches: compile(`${spelt(glob)}$`) })
  const [out, within] = [exclude.map(compiled), include.map(compiled)]
  const pathOf = ({ pathname, search }: URL): string => normalEscapes(pathname + search)
  const excluding = (path: string) => out.find(({ matches }) => matches(path))?.glob ?? null
  return {
    excludedBy: (url) => (out.length === 0 ? null : excluding(pathOf(url))),
    leftOut: (url) => {
      if (out.length === 0 && within.length === 0) return null
      const path = pathOf(url)
      const glob = excluding(path)
      if (glob !== null) return { reason: "excluded", pattern: glob }
      return within.length === 0 || within.some(({ matches }) => matches(path))
        ? null
        : { reason: "not_included", pattern: include.join(" ") }
    }
  }
}

/** Maximum hops of a redirect before it counts as endless. */
export const maxHops = 10

/** A URL and its response to the cookies of that moment. */
interface Hop {
  readonly url: URL
  readonly answer: Answered
}

/** The end of a redirect that sets cookies. */
type CookieRedirect =
  | { readonly _tag: "Loop" }
  /** A page answered: `hops` are the URLs after the first redirect, ending with the page. */
  | { readonly _tag: "Settled"; readonly hops: ReadonlyArray<Hop> }

interface Opening {
  readonly start: URL
  readonly url: URL
  readonly answer: Answered
  readonly jar: CookieJar.CookieJar
  /** The jar after the response's `Set-Cookie` lines. */
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
 * Follows a redirect that changes the cookies with a private copy of the jar, like a browser, to tell a cookie redirect from a loop: a loop repeats a URL
 * with equal cookies. Null for a plain redirect.
 */
const settle = ({ answer, ask, cookies, jar, robots, scope, start, url }: Opening) => {
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

/** The parts of a crawl that a visit needs. */
export interface Visitor {
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  readonly timing: CrawlTiming
  readonly bodies: BodyBudget
  readonly scope: Scope
}

interface Visited {
  readonly visit: Visit
  /** The jar with the cookies of this response. */
  readonly jar: CookieJar.CookieJar
}

/**
 * The visit that robots.txt alone decides; null when it allows the request. The named line decides for Googlebot, because verdicts are about Googlebot; if
 * only this crawler is blocked, the line blocks this crawler.
 */
export const barred = (file: RobotsFile, url: URL): Visit | null => {
  if (file.state === "unreachable") return unasked("not_fetched", "robots_unreachable")
  const own = file.verdict(url.href)
  if (own.allowed) return null
  const google = file.google === file.verdict ? own : file.google(url.href)
  return google.allowed
    ? unasked("blocked_by_robots", "blocked_for_us", own.rule)
    : unasked("blocked_by_robots", "blocked_by_robots", google.rule)
}

/** The line that shuts Googlebot out of a URL that this crawler may request; null when none does. */
export const shutOut = (file: RobotsFile, url: URL): RobotsLine | null => {
  if (file.google === file.verdict) return null
  const google = file.google(url.href)
  return google.allowed ? null : google.rule
}

/** The responses of a cookie redirect's URLs to its cookies, the last one of each URL. */
const behind = (
  robots: RobotsCache,
  start: URL,
  hops: ReadonlyArray<Hop>,
  afterOf: (url: URL) => AfterReading
): Effect.Effect<ReadonlyMap<string, Visit>> =>
  Effect.map(
    Effect.forEach(hops, ({ answer, url }) =>
      Effect.map(
        readAnswer(start, url, { answer, attempts: [], unverified: null, cutBy: null }, false, afterOf(url)),
        (visit) => {
          const file = robots.known(url)
          const robotsLine = file === null ? null : shutOut(file, url)
          return [identity(url), { ...visit, robotsLine }] as const
        }
      )
    ),
    (visits) => new Map(visits)
  )

const ask = (
  { fetcher, robots, scope, timing }: Visitor,
  start: URL,
  url: URL,
  jar: CookieJar.CookieJar,
  took: (body: Uint8Array) => Effect.Effect<void>,
  after: AfterReading
) =>
  Effect.gen(function* () {
    const get = (target: URL, held: CookieJar.CookieJar) =>
      fetcher.get({
        url: target,
        cookies: CookieJar.header(held, target),
        deadline: timing.pageDeadline,
        pageOnly: true
      })
    const confirmed = yield* confirm(get(url, jar), timing.confirmAfter)
    const { answer, attempts } = confirmed
    if (answer._tag === "Lost") return { visit: yield* readAnswer(start, url, confirmed, false), jar }

    const cookies = CookieJar.store(jar, headersOf(answer.headers, "set-cookie"), url)
    const cookieRedirect = yield* settle({ start, url, answer, jar, cookies, ask: get, robots, scope })
    if (cookieRedirect?._tag !== "Settled") {
      yield* took(answer.body)
      return { visit: yield* readAnswer(start, url, confirmed, cookieRedirect?._tag === "Loop", after), jar: cookies }
    }
    const isOwn = (hop: URL) => identity(hop) === identity(url)
    const last = cookieRedirect.hops.findLast((hop) => isOwn(hop.url))?.url
    const answers = yield* behind(robots, start, cookieRedirect.hops, (hop) => (hop === last ? after : asSent))
    const own = answers.get(identity(url)) ?? (yield* readAnswer(start, url, confirmed, false))
    return { visit: { ...own, attempts, withCookies: answers }, jar: cookies }
  })

/** The place of a visit in the order of turns, and the work on its page, which knows the line of robots.txt that shuts Googlebot out. */
export interface VisitTurn extends Pick<Turn, "end" | "entered" | "entrance"> {
  readonly after: (shutOut: RobotsLine | null) => AfterReading
}

/** A visit that waits for no other and runs no scripts. */
const alone: VisitTurn = { after: () => asSent, end: Effect.void, entered: Effect.void, entrance: Effect.void }

/** Visits one URL of the site: robots.txt first, then the GETs that its verdict needs; the body is read and dropped. */
export const visit = (
  visitor: Visitor,
  start: URL,
  url: URL,
  jar: CookieJar.CookieJar,
  turn: VisitTurn = alone
): Effect.Effect<Visited, OutOfTime> =>
  Effect.gen(function* () {
    const file = yield* visitor.robots.of(url)
    if (file.state === "unknown") return yield* new OutOfTime({ reason: "deadline" })
    const closed = barred(file, url)
    if (closed !== null) return { visit: closed, jar }
    const robotsLine = shutOut(file, url)
    // In the order of turns: a page that holds room waits for the decisions on all earlier pages.
    yield* turn.entrance
    const seen = yield* visitor.bodies.holding((took) =>
      Effect.zipRight(turn.entered, ask(visitor, start, url, jar, took, turn.after(robotsLine)))
    )
    return { ...seen, visit: { ...seen.visit, robotsLine } }
  }).pipe(Effect.ensuring(turn.end))
