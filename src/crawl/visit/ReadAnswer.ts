import * as Effect from "effect/Effect"
import { type Answered, isRedirect, redirectTarget } from "../fetch/Answer.ts"
import type { Confirmed } from "../fetch/Confirm.ts"
import { contentType } from "../page/ContentType.ts"
import { headersOf, readHeaders } from "../page/HeaderFacts.ts"
import type { Refresh } from "../page/Refresh.ts"
import { identity } from "../page/UrlIdentity.ts"
import { resolve, sameSite } from "../site/Site.ts"
import { keptFacts, keptHeaderFacts } from "./KeptFacts.ts"
import { readPage } from "./ReadPage.ts"
import { type RedirectTarget, unasked, type Visit } from "./Visit.ts"

const redirectOf = (start: URL, url: URL, answer: Answered, loop: boolean): RedirectTarget | null => {
  if (!isRedirect(answer.status)) return null
  const target = redirectTarget(answer, url)
  return {
    to: target === null ? null : target.href,
    internal: target !== null && sameSite(start, target),
    permanent: answer.status === 301 || answer.status === 308,
    loop: loop || (target !== null && identity(target) === identity(url))
  }
}

const refreshOf = (start: URL, url: URL, refresh: Refresh | null): RedirectTarget | null => {
  if (refresh === null || refresh.url === null || refresh.delay > 0) return null
  const target = resolve(refresh.url, url)
  if (target === null || identity(target) === identity(url)) return null
  return { to: target.href, internal: sameSite(start, target), permanent: true, loop: false }
}

/** What the exchange alone says, without looking into the body. */
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
  // 300, 304 to a request without a condition and their like bring no page and name no other.
  if (answer.status >= 300) return { ...answered, fetchState: "not_html", reason: "not_html" }
  // 204 claims success without content, as an empty page does, and is judged like one.
  if (answer.status !== 204 && !contentType(answer.headers, answer.body).isHtml)
    return { ...answered, fetchState: "not_html", reason: "not_html" }
  return answer.overlong ? { ...answered, fetchState: "too_large", reason: "too_large" } : answered
}

/** Turns the deciding answer into what the run keeps; after this the body is garbage. */
export const readAnswer = (start: URL, url: URL, confirmed: Confirmed, loop: boolean): Effect.Effect<Visit> => {
  const { answer } = confirmed
  const visit = withoutBody(start, url, confirmed, loop)
  if (answer._tag === "Lost" || visit.fetchState !== "fetched" || visit.reason !== null) return Effect.succeed(visit)
  return Effect.map(readPage(url, answer.headers, answer.body), (facts) => ({
    ...visit,
    facts: keptFacts(facts),
    refresh: refreshOf(start, url, visit.headerFacts?.refresh ?? facts.refresh)
  }))
}
