import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type HeaderLines, headerOf } from "../page/Headers.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import type { Attempt, HealthReason } from "../report/MeasuredPage.ts"
import { type Answer, attemptOf, type Fetcher, type Get, isThrottled } from "./Fetcher.ts"

const latin1 = new TextDecoder("latin1")

/** Marks of a bot challenge in an error response. */
const refusalMarks = [
  "/cdn-cgi/challenge-platform/",
  "_cf_chl_opt",
  "cf-browser-verification",
  "_incapsula_resource",
  "captcha-delivery.com",
  "px-captcha",
  "awswafintegration",
  "sucuri_cloudproxy_js",
  "ddos-guard",
  "/_sec/cp_challenge/"
]

/** Marks of a bot challenge in scripts and tags of a success response: only marks that no ordinary page has. */
const interstitialMarks = [
  "_cf_chl_opt",
  "captcha-delivery.com/c.js",
  "sucuri_cloudproxy_js",
  "window.gokuprops",
  "/_sec/cp_challenge/",
  "sec-if-cpt-container",
  "/.within.website/x/"
]

/** Marks that bot protection puts on every page: without any text beside them the response has only the protection's code. */
const guardMarks = ["_incapsula_resource", "/tspd/", "bobcmn"]

/** Texts of bot protection in place of the page. */
const rejections = ["the requested url was rejected", "incapsula incident id"]

const refusals = new Set([401, 403, 405, 429, 503])

const saysSo = (status: number, headers: HeaderLines): boolean =>
  headerOf(headers, "cf-mitigated")?.toLowerCase() === "challenge" ||
  headerOf(headers, "x-vercel-mitigated")?.toLowerCase() === "challenge" ||
  /^(?:challenge|captcha)$/i.test(headerOf(headers, "x-amzn-waf-action") ?? "") ||
  (status === 429 && headerOf(headers, "x-kpsdk-ct") !== null)

/** Longest text, in characters, of a bot-protection notice. */
const maxNotice = 500

const isInterstitial = (text: string): boolean => {
  const isMarked = [...interstitialMarks, ...guardMarks, ...rejections].some((mark) => text.includes(mark))
  if (!isMarked) return false
  // An article about bot protection may have the marks in its text, where they do nothing.
  const code = (text.match(/<(?:script\b[^>]*>[\s\S]*?(?:<\/script|$)|(?!meta\b)[a-z][^>]*>)/g) ?? []).join("\n")
  if (interstitialMarks.some((mark) => code.includes(mark))) return true
  const shown = text
    .replace(/<(script|style|noscript|title)\b[\s\S]*?(?:<\/\1\s*>|$)/g, " ")
    .replace(/<[^>]*>/g, " ")
    .trim()
  if (shown === "" && guardMarks.some((mark) => code.includes(mark))) return true
  return shown.length <= maxNotice && rejections.some((words) => shown.includes(words))
}

/** Whether the response is a bot challenge and so says nothing about the page. */
export const isChallenge = (status: number, headers: HeaderLines, body: Uint8Array): boolean => {
  if (saysSo(status, headers)) return true
  if (!refusals.has(status)) {
    // Interstitials are small; a long page with a mark is a page.
    if ((status !== 200 && status !== 202) || body.length > 32_768) return false
    return isInterstitial(latin1.decode(body).toLowerCase())
  }
  const text = latin1.decode(body.subarray(0, 65_536)).toLowerCase()
  return refusalMarks.some((mark) => text.includes(mark))
}

/** The deciding response to one URL with all attempts, and the reason when it gives no verdict on the page. */
export interface Confirmed {
  readonly answer: Answer
  readonly attempts: ReadonlyArray<Attempt>
  /** Set when the response decides nothing; null when it is final. */
  readonly unverified: HealthReason | null
  /** Why no further GET could start before the crawl's end; null when none was needed. */
  readonly cutBy: OutOfTime["reason"] | null
}

/** Kinds of a response, by the next step. */
type Class = "sound" | "gone" | "faulty" | "throttled" | "challenge" | "late" | "dropped"

const neverAgain = new Set(["timeout", "tls", "blocked_address", "blocked_url"])

/** Treats no further status as a challenge. */
const noWall = () => false

const classOf = (answer: Answer, isWall: (status: number) => boolean): Class => {
  if (answer._tag === "Lost") return neverAgain.has(answer.cause) ? "late" : "dropped"
  const { body, headers, status } = answer
  if (isWall(status) || isChallenge(status, headers, body)) return "challenge"
  if (isThrottled(status)) return "throttled"
  if (status < 400) return "sound"
  return status === 404 || status === 410 ? "gone" : status < 600 ? "faulty" : "challenge"
}

const lostReason = (answer: Answer): HealthReason =>
  answer._tag === "Lost" && answer.cause === "timeout" ? "timed_out" : "connection_failed"

/** Maximum requests to a throttled URL before it stays unverified. */
const throttledAttempts = 3

interface Asked {
  readonly answer: Answer
  readonly kind: Class
  readonly attempts: ReadonlyArray<Attempt>
}

/** The step after a response: end with a reason (null: the response is final), or retry after a wait. */
type Next =
  | { readonly _tag: "End"; readonly unverified: HealthReason | null }
  | { readonly _tag: "Again"; readonly wait: number }

const end = (unverified: HealthReason | null): Next => ({ _tag: "End", unverified })
const again = (wait: number): Next => ({ _tag: "Again", wait })

const next = ({ answer, attempts, kind }: Asked, previous: Asked | null, pause: number): Next => {
  const wasRefused = previous?.kind === "gone" || previous?.kind === "faulty"
  // Two different refusals confirm neither; the third attempt decides.
  const isProof = wasRefused && (previous.kind === kind || attempts.length > 2)
  switch (kind) {
    case "sound":
      return end(null)
    case "challenge":
      return end("bot_challenge")
    case "late":
      return end(lostReason(answer))
    case "dropped":
      return previous?.kind === "dropped" || attempts.length > 2 ? end(lostReason(answer)) : again(pause)
    case "throttled":
      return attempts.length >= throttledAttempts ? end("rate_limited") : again(0)
    case "gone":
      return isProof ? end(null) : again(0)
    case "faulty":
      return isProof ? end(null) : again(pause)
  }
}

/** Keeps the response to a request that could not be confirmed in time, without a verdict. */
const unconfirmed = ({ answer, attempts, kind }: Asked, { reason }: OutOfTime): Confirmed => ({
  answer,
  attempts,
  unverified: kind === "throttled" || reason === "paused" ? "rate_limited" : "limit_reached",
  cutBy: reason
})

/**
 * Requests a URL until the response is reliable. Below 400, one response suffices; 404 and 410 need one confirming GET; other 4xx and 5xx need a second GET
 * at least `pause` later, and a good second response is the page. Two different refusals need a third GET. A throttled URL is retried after its host's pause,
 * a lost connection once, a time-out or a challenge never. `isWall` adds statuses that challenge crawlers.
 */
export const confirm = (
  ask: Effect.Effect<Answer, OutOfTime>,
  pause: number,
  isWall: (status: number) => boolean = noWall
): Effect.Effect<Confirmed, OutOfTime> => {
  const step = (previous: Asked | null): Effect.Effect<Confirmed, OutOfTime> =>
    Effect.gen(function* () {
      const answered = yield* Effect.either(ask)
      if (Either.isLeft(answered)) {
        return previous === null ? yield* answered.left : unconfirmed(previous, answered.left)
      }
      const answer = answered.right
      const attempts = [...(previous?.attempts ?? []), attemptOf(answer)]
      const asked: Asked = { answer, attempts, kind: classOf(answer, isWall) }
      const todo = next(asked, previous, pause)
      if (todo._tag === "End") return { answer, attempts, unverified: todo.unverified, cutBy: null }
      yield* Effect.sleep(todo.wait)
      return yield* step(asked)
    })
  return step(null)
}

/** Whether a response may differ a moment later; a time-out has waited long enough already. */
const isTransient = (answer: Answer): boolean =>
  answer._tag === "Lost"
    ? answer.connected && answer.cause !== "timeout"
    : answer.status >= 500 || isThrottled(answer.status)

/**
 * Requests a file for crawlers, and retries once after `pause` ms when the first response may be an accident. Without time for a retry the first response
 * counts.
 */
export const askAgain = (fetcher: Fetcher, request: Get, pause: number): Effect.Effect<Answer, OutOfTime> =>
  Effect.filterOrElse(
    fetcher.get(request),
    (answer) => !isTransient(answer),
    (answer) => Effect.orElseSucceed(Effect.delay(fetcher.get(request), pause), () => answer)
  )
