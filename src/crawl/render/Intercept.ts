import type { Protocol } from "devtools-protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Session } from "../../foundation/browser/Cdp.ts"
import { type Answer, type Asked, type Fetch, type Limits, type Page, Refused } from "./Rendering.ts"

type Paused = Protocol.Fetch.RequestPausedEvent

/** A transparent pixel, for pages that wait for their pictures. */
const pixel: Answer = {
  status: 200,
  headers: [["content-type", "image/gif"]],
  body: Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
}

/** Kinds that change no text. They are not requested, and no report counts them. */
const unseen = new Set(["Media", "Font", "TextTrack", "Ping", "CSPViolationReport", "Manifest"])

/** Headers of the finished transfer, cookies, which belong to the crawl, and headers for saving a file. */
const spent = new Set([
  "content-encoding",
  "content-length",
  "transfer-encoding",
  "connection",
  "set-cookie",
  "content-disposition"
])

const headersOf = (headers: Answer["headers"]) =>
  headers.filter(([name]) => !spent.has(name.toLowerCase())).map(([name, value]) => ({ name, value }))

const withoutHash = (url: URL | string): string => {
  const copy = new URL(url)
  copy.hash = ""
  return copy.href
}

/** Fields of the browser, its connection and its user; the crawl sends its own. */
const withheld =
  /^(?:accept-(?:encoding|language)|connection|content-length|cookie|host|referer|upgrade-insecure-requests|user-agent|(?:proxy|sec)-.*)$/

/** Most characters of a request's fields. */
const longestFields = 4096

/** The fields to send for a page. A frame's own document is requested like a page of the crawl, and `Origin` matters to other origins alone. */
const fieldsOf = ({ request, resourceType }: Paused, url: URL): Readonly<Record<string, string>> => {
  if (resourceType === "Document") return {}
  const fields = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(
    fields
      .filter(([name, value]) => !withheld.test(name) && !(name === "origin" && value === url.origin))
      .toSorted(([one], [two]) => (one < two ? -1 : 1))
  )
}

/** Characters of a request, which a page decides: a request that waits for its turn is in memory. */
const charactersOf = ({ request: { headers, postData = "", url } }: Paused) =>
  Object.values(headers).reduce((sum, { length }) => sum + length, url.length + postData.length)

/** The method if it may be sent: a preflight only for a GET or HEAD, because the request behind any other is refused. */
const methodOf = (method: string, fields: Readonly<Record<string, string>>): Asked["method"] | null => {
  if (method === "GET" || method === "HEAD") return method
  const wanted = fields["access-control-request-method"]
  return method === "OPTIONS" && (wanted === "GET" || wanted === "HEAD") ? method : null
}

/** The result of a request: an answer, or a refusal, silent or with a reason for the report. */
type Verdict = Answer | Refused | "silent"

const tooMany = new Refused({ why: "bytes" })
const tooOften = new Refused({ why: "requests" })
const otherScheme = new Refused({ why: "scheme" })
const otherMethod = new Refused({ why: "method" })
const tooLong = new Refused({ why: "headers" })

/** Verdicts without a request. */
const settled = new Set<Verdict>(["silent", pixel, tooOften, otherScheme, otherMethod, tooLong])

/** Concurrent requests, with those whose answers wait in memory for their turn. */
const abreast = 6

const isGiven = (verdict: Verdict): verdict is Answer => typeof verdict === "object" && "status" in verdict

/**
 * Answers all requests of one page, its frames and its workers. Requests run concurrently, and the page gets their answers in the order of its requests. Each
 * URL is requested once with the same fields, after the turn of the sixth request before it.
 */
export const intercept = (page: Page, frame: string, fetch: Fetch, limits: Limits) =>
  Effect.gen(function* () {
    const left = yield* Deferred.make<string>()
    const reloaded = yield* Deferred.make<void>()
    const answers = new Map<string, Deferred.Deferred<Verdict>>()
    const refused: Array<{ readonly url: string; readonly why: string }> = []
    const flooded = yield* Deferred.make<void>()
    /** The turns of the newest requests: each makes room for another one. */
    const turns: Array<Effect.Effect<void>> = []
    const exhausted = yield* Deferred.make<Verdict>()
    yield* Deferred.succeed(exhausted, tooMany)
    const counted = new Set<Answer>()
    let isServed = false
    let isExhausted = false
    let count = 0
    let bytes = 0
    let characters = 0
    let turn: Effect.Effect<void> = Effect.void

    const ask = (asked: Asked): Effect.Effect<Verdict> =>
      Effect.suspend(() => (isExhausted ? tooMany : fetch(asked))).pipe(
        Effect.timeoutFail({ duration: limits.request, onTimeout: () => new Refused({ why: "time" }) }),
        Effect.filterOrFail(
          ({ body }) => body.length <= limits.asset,
          () => new Refused({ why: "too_large" })
        ),
        Effect.catchTag("Refused", Effect.succeed)
      )

    /** The verdict on a request with the end of its turn. */
    const judge = Effect.fnUntraced(function* (paused: Paused, over: Effect.Effect<void>): Effect.fn.Return<Verdict> {
      const { request, resourceType } = paused
      const url = URL.parse(request.url)
      if (url === null || !/^https?:$/.test(url.protocol)) return otherScheme
      if (resourceType === "Image") return pixel
      if (unseen.has(resourceType)) return "silent"
      const headers = fieldsOf(paused, url)
      const method = methodOf(request.method, headers)
      if (method === null) return otherMethod
      const fields = JSON.stringify(headers)
      if (fields.length > longestFields) return tooLong
      const key = `${method} ${withoutHash(url)} ${fields}`
      const known = answers.get(key)
      if (known !== undefined) return yield* Deferred.await(known)
      if (answers.size >= limits.requests) return tooOften
      const verdict = yield* Deferred.make<Verdict>()
      answers.set(key, verdict)
      const room = turns.length < abreast ? Effect.void : turns.shift()
      turns.push(over)
      yield* room ?? Effect.void
      yield* Effect.intoDeferred(ask({ headers, kind: resourceType, method, url }), verdict)
      return yield* Deferred.await(verdict)
    })

    /**
     * The verdict in its turn: each answer counts once, and after the first one beyond the bound the page gets nothing. Turns decide, not arrivals, so verdicts
     * are the same each time.
     */
    const bounded = (verdict: Verdict): Verdict => {
      if (settled.has(verdict)) return verdict
      if (isExhausted) return tooMany
      if (!isGiven(verdict) || counted.has(verdict)) return verdict
      if (bytes + verdict.body.length <= limits.assets) {
        bytes += verdict.body.length
        counted.add(verdict)
        return verdict
      }
      isExhausted = true
      counted.clear()
      for (const key of answers.keys()) answers.set(key, exhausted)
      return tooMany
    }

    const give = (session: Session, requestId: string, { body, headers, status }: Answer) =>
      session.send("Fetch.fulfillRequest", {
        body: body.toBase64(),
        requestId,
        responseCode: status,
        responseHeaders: headersOf(headers)
      })

    const refuse = (session: Session, requestId: string, errorReason: Protocol.Network.ErrorReason) =>
      session.send("Fetch.failRequest", { errorReason, requestId })

    const deliver = (session: Session, { request, requestId }: Paused, verdict: Verdict) => {
      if (isGiven(verdict)) return give(session, requestId, verdict)
      if (verdict !== "silent") refused.push({ url: request.url, why: verdict.why })
      return refuse(session, requestId, "BlockedByClient")
    }

    const inTurn = (session: Session, paused: Paused) =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<void>()
        const before = turn
        const over = Deferred.await(done)
        turn = over
        yield* Effect.ensuring(
          Effect.gen(function* () {
            const verdict = yield* judge(paused, over)
            yield* before
            yield* Effect.ignore(deliver(session, paused, bounded(verdict)))
          }),
          Deferred.succeed(done, undefined)
        )
      })

    /** Answers the first document with the page that the crawl fetched. A second document is the target of a script, and is not fetched. */
    const document = (session: Session, paused: Paused) => {
      const { request, requestId } = paused
      if (!isServed && withoutHash(request.url) === withoutHash(page.url)) {
        isServed = true
        return Effect.ignore(give(session, requestId, page))
      }
      const told =
        withoutHash(request.url) === withoutHash(page.url)
          ? Deferred.succeed(reloaded, undefined)
          : Deferred.succeed(left, request.url)
      return Effect.zipRight(told, Effect.ignore(refuse(session, requestId, "Aborted")))
    }

    const answer = (session: Session, paused: Paused): Effect.Effect<void> => {
      count += 1
      characters += charactersOf(paused)
      if (count > limits.asked || characters > limits.sent) return Deferred.succeed(flooded, undefined)
      return paused.resourceType === "Document" && paused.frameId === frame && paused.request.method === "GET"
        ? document(session, paused)
        : inTurn(session, paused)
    }

    return {
      answer,
      /** Waits until the page requests itself again. */
      reloaded: Deferred.await(reloaded),
      /** Waits until the page has sent too many requests. */
      flooded: Deferred.await(flooded),
      /** The target of a script so far. */
      redirect: Effect.flatMap(Deferred.poll(left), (found) => Effect.transposeOption(found)),
      seen: Effect.sync(() => ({ refused: [...refused], requests: answers.size }))
    }
  })
