import * as Effect from "effect/Effect"
import { unhurried } from "../../foundation/schema/Steps.ts"
import { processSemaphore } from "../../foundation/schema/unsafe.ts"
import type { Confirmed } from "../fetch/Confirm.ts"
import { type Answered, isRedirect, locationFacts, pageBytes, redirectTarget } from "../fetch/Fetcher.ts"
import { maskedReference } from "../page/Credentials.ts"
import { contentType, type HeaderLines, headersOf, readHeaders } from "../page/Headers.ts"
import type { Refresh } from "../page/Links.ts"
import { type PageFacts, readingDocument, readingPage } from "../page/Page.ts"
import { identity } from "../page/UrlIdentity.ts"
import { resolve, sameSite } from "../site/Site.ts"
import { type KeptFacts, keptFacts, keptHeaderFacts, type RedirectTarget, unasked, type Visit } from "./Visit.ts"

/** Number of full-length bodies in memory: one for each concurrent request to a host, and one for bodies that wait to be read. */
const maxBodies = 7

/** Maximum bytes of a crawl's bodies together, in transfer or waiting to be read. */
export interface BodyBudget {
  /**
   * Runs work that may hold one body. The work reserves the room of the longest page until `took` returns the unused rest: then another page can be requested
   * while this one waits to be read.
   */
  readonly holding: <A, E, R>(
    work: (took: (body: Uint8Array) => Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

export const make: Effect.Effect<BodyBudget> = Effect.map(Effect.makeSemaphore(maxBodies * pageBytes), (room) => ({
  holding: (work) =>
    Effect.suspend(() => {
      let held = pageBytes
      const took = (body: Uint8Array) =>
        Effect.suspend(() => {
          const spare = Math.max(0, held - body.buffer.byteLength)
          held -= spare
          // A visit that waits for the room sends its request before this page is read: reading cannot be interrupted.
          return Effect.zipRight(room.release(spare), Effect.yieldNow())
        })
      return Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(room.take(pageBytes)),
          Effect.ensuring(
            restore(work(took)),
            Effect.suspend(() => room.release(held))
          )
        )
      )
    })
}))

/** The process reads one page at a time: all pages share one thread anyway, and memory suffices for one large tree. */
const desk = processSemaphore(1)

/** The facts of the document that a browser made of a page. */
export const readRendered = (page: PageFacts, html: string): Effect.Effect<PageFacts> =>
  Effect.suspend(() => unhurried(readingDocument(page, html))).pipe(desk.withPermits(1))

/** The facts of an HTML response, for any bytes. */
export const readPage = (url: URL, headers: HeaderLines, bytes: Uint8Array): Effect.Effect<PageFacts> =>
  Effect.suspend(() => {
    const { charset, essence } = contentType(headers, bytes)
    return unhurried(readingPage({ url: url.href, bytes, charset, isXml: essence === "application/xhtml+xml" }))
  }).pipe(desk.withPermits(1))

const redirectOf = (start: URL, url: URL, answer: Answered, loop: boolean): RedirectTarget | null => {
  if (!isRedirect(answer.status)) return null
  const target = redirectTarget(answer, url)
  return {
    to: target === null ? null : maskedReference(target.href),
    ...locationFacts(answer, url),
    internal: target !== null && sameSite(start, target),
    permanent: answer.status === 301 || answer.status === 308,
    loop: loop || (target !== null && identity(target) === identity(url))
  }
}

const refreshOf = (start: URL, url: URL, refresh: Refresh | null): RedirectTarget | null => {
  if (refresh === null || refresh.url === null || refresh.delay > 0) return null
  const target = resolve(refresh.url, url)
  if (target === null || identity(target) === identity(url)) return null
  const internal = sameSite(start, target)
  return { to: target.href, hasCredentials: false, fragment: null, internal, permanent: true, loop: false }
}

/** The visit by the exchange alone, without looking into the body. */
const withoutBody = (start: URL, url: URL, confirmed: Confirmed, loop: boolean): Visit => {
  const { answer, attempts, cutBy, unverified } = confirmed
  if (answer._tag === "Lost") {
    const cause = answer.cause === "timeout" ? "timed_out" : "connection_failed"
    return { ...unasked(cause, cause), attempts, lost: answer, cutBy }
  }
  const answered = {
    ...unasked("fetched", "ok"),
    attempts,
    cutBy,
    status: answer.status,
    reason: unverified,
    redirect: redirectOf(start, url, answer, loop),
    headerFacts: keptHeaderFacts(readHeaders(url.href, answer.headers)),
    contentType: headersOf(answer.headers, "content-type")[0]?.slice(0, 1000) ?? null,
    millis: answer.millis,
    firstByteMillis: answer.firstByteMillis,
    bytes: answer.bytes,
    cut: answer.bytesRead > answer.body.length
  }
  if (answer.status >= 400) return { ...answered, fetchState: "http_error" }
  if (answered.redirect !== null) return { ...answered, fetchState: "redirected" }
  if (unverified !== null) return answered
  // 300, 304 to a request without a condition, and similar statuses bring no page and name no other.
  if (answer.status >= 300) return { ...answered, fetchState: "not_html", reason: "not_html" }
  // 204 claims success without content, like an empty page.
  if (answer.status !== 204 && !contentType(answer.headers, answer.body).isHtml)
    return { ...answered, fetchState: "not_html", reason: "not_html" }
  return answer.overlong ? { ...answered, fetchState: "too_large", reason: "too_large" } : answered
}

/** A fetched page before its scripts. */
export interface RawPage {
  readonly url: URL
  readonly answer: Answered
  readonly facts: PageFacts
  readonly visit: Visit & { readonly facts: KeptFacts }
}

/** Turns a fetched page into its visit. */
export type AfterReading = (page: RawPage) => Effect.Effect<Visit>

/** Leaves the page as the server sent it. */
export const asSent: AfterReading = ({ visit }) => Effect.succeed(visit)

/** Turns the deciding response into a visit; the body is garbage afterwards. */
export const readAnswer = (
  start: URL,
  url: URL,
  confirmed: Confirmed,
  loop: boolean,
  after: AfterReading = asSent
): Effect.Effect<Visit> => {
  const { answer } = confirmed
  const visit = withoutBody(start, url, confirmed, loop)
  if (answer._tag === "Lost" || visit.fetchState !== "fetched" || visit.reason !== null) return Effect.succeed(visit)
  return Effect.flatMap(readPage(url, answer.headers, answer.body), (facts) => {
    const refresh = refreshOf(start, url, visit.headerFacts?.refresh ?? facts.refresh)
    return after({ answer, facts, url, visit: { ...visit, facts: keptFacts(facts), refresh } })
  })
}
