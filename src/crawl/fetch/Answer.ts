import { type HeaderLines, headerOf, headerReference } from "../page/HeaderFacts.ts"
import type { Attempt, NoAnswerCause } from "../report/MeasuredPage.ts"
import { resolve } from "../site/Site.ts"

/** A complete HTTP answer, its body decoded and capped. */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  readonly headers: HeaderLines
  readonly body: Uint8Array
  /** Decoded bytes read, kept or not. */
  readonly bytesRead: number
  /** The same; for an unread body its `Content-Length`, null when that is missing. */
  readonly bytes: number | null
  /** The body was longer than what may be read of one page. */
  readonly overlong: boolean
  readonly millis: number
  /** Milliseconds from the request to the first byte, look-up and connection left out; null when they are not known. */
  readonly firstByteMillis: number | null
}

/** No HTTP answer, and why: never a verdict on the page. */
export interface Lost {
  readonly _tag: "Lost"
  readonly cause: NoAnswerCause
  /** The same in one sentence, with what is known about it. */
  readonly message: string
  /** Whether a connection to the server stood before it was lost. */
  readonly connected: boolean
}

export type Answer = Answered | Lost

/** Whether a status says no more than "later": 429 (RFC 6585 §4), and 430 as some platforms send it. */
export const isThrottled = (status: number): boolean => status === 429 || status === 430

export const attemptOf = (answer: Answer): Attempt =>
  answer._tag === "Answered" ? { http_status: answer.status, cause: null } : { http_status: null, cause: answer.cause }

/** Statuses that send the visitor elsewhere (Fetch standard, redirect status); 304 to a request without a condition does not. */
const redirects = new Set([301, 302, 303, 307, 308])

/** Whether a status is that of a redirect, whatever else the answer says. */
export const isRedirect = (status: number): boolean => redirects.has(status)

/** Where a redirect leads; null when the answer is none, or names no URL. */
export const redirectTarget = ({ headers, status }: Answered, url: URL): URL | null => {
  const location = isRedirect(status) ? headerOf(headers, "location") : null
  return location === null ? null : resolve(headerReference(location), url)
}
