import { expect } from "bun:test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { intercept } from "../../../src/crawl/render/Intercept.ts"
import {
  type Answer,
  type Asked,
  type Fetch,
  type Limits,
  limits,
  Refused
} from "../../../src/crawl/render/Rendering.ts"
import { connect } from "../../../src/foundation/browser/Cdp.ts"
import { it } from "../../harness.ts"

const answerOf = (text: string): Answer => ({
  body: new TextEncoder().encode(text),
  headers: [
    ["content-type", "text/plain"],
    ["content-encoding", "gzip"],
    ["set-cookie", "a=1"]
  ],
  status: 200
})

const page = { ...answerOf("<title>Page</title>"), url: new URL("http://site.test/page"), userAgent: "Test/1.0" }

interface Request {
  readonly url: string
  readonly method?: string
  readonly kind?: string
  readonly frame?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A browser that says what it is told, on a transport like that of the pipes; `answers` has what it was given for each request, in order. */
const scripted = Effect.gen(function* () {
  const answers = yield* Queue.unbounded<string>()
  const transport = {
    close: () => undefined,
    onmessage: (_: string): void => undefined,
    send: (message: string) => {
      const { id, method, params } = JSON.parse(message)
      const body = params.body === undefined ? params.errorReason : atob(params.body)
      const names = (params.responseHeaders ?? []).map(({ name }: { readonly name: string }) => name)
      Effect.runSync(Queue.offer(answers, [method, params.requestId, body, ...names].join(" ")))
      queueMicrotask(() => transport.onmessage(JSON.stringify({ id, result: {} })))
    }
  }
  const session = yield* connect(transport)
  let count = 0
  const ask = ({ frame = "main", headers = {}, kind = "Fetch", method = "GET", url }: Request) => {
    count += 1
    const request = { headers, initialPriority: "High", method, referrerPolicy: "origin", url }
    const params = { frameId: frame, request, requestId: `r${count}`, resourceType: kind }
    transport.onmessage(JSON.stringify({ method: "Fetch.requestPaused", params }))
  }
  return { answers, ask, session }
})

/** Interception of one page on that browser. */
const intercepted = (fetch: Fetch, bounds: Partial<Limits> = {}) =>
  Effect.gen(function* () {
    const { answers, ask, session } = yield* scripted
    const interception = yield* intercept(page, "main", fetch, { ...limits, ...bounds })
    yield* session.listen("Fetch.requestPaused", (paused) => interception.answer(session, paused))
    return { ask, interception, next: Queue.take(answers), session }
  })

const nothing: Fetch = () => new Refused({ why: "unexpected" })

it("answers the document with the page, without the headers of its transfer", function* () {
  const { ask, interception, next } = yield* intercepted(nothing)
  ask({ kind: "Document", url: "http://site.test/page#top" })
  expect(yield* next).toBe("Fetch.fulfillRequest r1 <title>Page</title> content-type")
  expect(yield* interception.seen).toEqual({ refused: [], requests: 0 })
})

it("takes a second document as the redirect, and does not fetch it", function* () {
  const { ask, interception, next } = yield* intercepted(nothing)
  ask({ kind: "Document", url: "http://site.test/page" })
  ask({ kind: "Document", url: "http://site.test/other" })
  ask({ kind: "Document", url: "http://site.test/third" })
  expect([yield* next, yield* next, yield* next].slice(1)).toEqual([
    "Fetch.failRequest r2 Aborted",
    "Fetch.failRequest r3 Aborted"
  ])
  expect(yield* Effect.flatten(interception.redirect)).toBe("http://site.test/other")
})

it("says that a page asks for itself again", function* () {
  const { ask, interception } = yield* intercepted(nothing)
  ask({ kind: "Document", url: "http://site.test/page" })
  ask({ kind: "Document", url: "http://site.test/page" })
  yield* interception.reloaded
})

it("fetches beside one another, and hands answers over in the order in which they were asked for", function* () {
  const asked = yield* Queue.unbounded<Asked>()
  const slow = yield* Deferred.make<Answer>()
  const { ask, next } = yield* intercepted((request) =>
    Effect.zipRight(
      Queue.offer(asked, request),
      request.url.pathname === "/slow" ? Deferred.await(slow) : Effect.succeed(answerOf(request.url.pathname))
    )
  )
  ask({ url: "http://site.test/slow" })
  ask({ url: "http://site.test/a" })
  ask({ url: "http://site.test/b" })
  const paths = [yield* Queue.take(asked), yield* Queue.take(asked), yield* Queue.take(asked)]
  expect(paths.map(({ url }) => url.pathname)).toEqual(["/slow", "/a", "/b"])
  yield* Deferred.succeed(slow, answerOf("/slow"))
  const given = [yield* next, yield* next, yield* next]
  expect(given.map((line) => line.split(" ")[2])).toEqual(["/slow", "/a", "/b"])
})

it("holds six answers behind a slow one, and goes on when it has come", function* () {
  const asked = yield* Queue.unbounded<string>()
  const slow = yield* Deferred.make<Answer>()
  const { ask, next } = yield* intercepted(({ url }) =>
    Effect.zipRight(
      Queue.offer(asked, url.pathname),
      url.pathname === "/0" ? Deferred.await(slow) : Effect.succeed(answerOf(url.pathname))
    )
  )
  for (let at = 0; at < 9; at++) ask({ url: `http://site.test/${at}` })
  expect([...(yield* Queue.takeN(asked, 6))]).toEqual(["/0", "/1", "/2", "/3", "/4", "/5"])
  yield* Effect.repeatN(Effect.yieldNow(), 100)
  expect(yield* Queue.size(asked)).toBe(0)
  yield* Deferred.succeed(slow, answerOf("/0"))
  expect([...(yield* Queue.takeN(asked, 3))]).toEqual(["/6", "/7", "/8"])
  for (let at = 0; at < 9; at++) expect((yield* next).split(" ")[2]).toBe(`/${at}`)
})

it("asks for each address once, whatever its fragment", function* () {
  const { ask, interception, next } = yield* intercepted(({ url }) => Effect.succeed(answerOf(url.pathname)))
  ask({ url: "http://site.test/a#1" })
  ask({ url: "http://site.test/a#2" })
  expect([yield* next, yield* next].map((line) => line.split(" ")[2])).toEqual(["/a", "/a"])
  expect((yield* interception.seen).requests).toBe(1)
})

it("refuses methods that change something, other schemes, and what the crawl refuses", function* () {
  const { ask, interception, next } = yield* intercepted(() => new Refused({ why: "robots" }))
  ask({ method: "POST", url: "http://site.test/post" })
  ask({ url: "file:///etc/passwd" })
  ask({ url: "http://site.test/closed" })
  expect(yield* next).toBe("Fetch.failRequest r1 BlockedByClient")
  yield* next
  yield* next
  expect((yield* interception.seen).refused).toEqual([
    { url: "http://site.test/post", why: "method" },
    { url: "file:///etc/passwd", why: "scheme" },
    { url: "http://site.test/closed", why: "robots" }
  ])
})

it("gives a pixel for pictures, and refuses media and fonts in silence", function* () {
  const { ask, interception, next } = yield* intercepted(nothing)
  ask({ kind: "Image", url: "http://site.test/a.png" })
  ask({ kind: "Font", url: "http://site.test/a.woff2" })
  expect(yield* next).toStartWith("Fetch.fulfillRequest r1 GIF89a")
  expect(yield* next).toBe("Fetch.failRequest r2 BlockedByClient")
  expect(yield* interception.seen).toEqual({ refused: [], requests: 0 })
})

it("bounds requests, one answer, and all answers together", function* () {
  const fetch: Fetch = ({ url }) => Effect.succeed(answerOf("x".repeat(Number(url.searchParams.get("size")))))
  const { ask, interception, next } = yield* intercepted(fetch, { asset: 10, assets: 15, requests: 3 })
  for (const size of [8, 11, 9, 1]) ask({ url: `http://site.test/?size=${size}` })
  for (let left = 4; left > 0; left--) yield* next
  ask({ url: "http://site.test/?size=8" })
  yield* next
  expect((yield* interception.seen).refused).toEqual([
    { url: "http://site.test/?size=11", why: "too_large" },
    { url: "http://site.test/?size=9", why: "bytes" },
    { url: "http://site.test/?size=1", why: "requests" },
    { url: "http://site.test/?size=8", why: "bytes" }
  ])
})

it("ends a page with too long requests, by their addresses and fields together", function* () {
  const { ask, interception, next } = yield* intercepted(nothing, { sent: 100 })
  ask({ kind: "Image", url: `http://site.test/${"x".repeat(30)}` })
  yield* next
  ask({ headers: { "X-Key": "1".repeat(50) }, kind: "Image", url: "http://site.test/" })
  yield* interception.flooded
})

it("goes on without an answer that does not come in time", function* () {
  const { ask, interception, next } = yield* intercepted(() => Effect.never, { request: 1 })
  ask({ url: "http://site.test/never" })
  expect(yield* next).toBe("Fetch.failRequest r1 BlockedByClient")
  expect((yield* interception.seen).refused).toEqual([{ url: "http://site.test/never", why: "time" }])
})

/** The fields that Chromium sends, for a script that adds one. */
const sent = {
  Accept: "*/*",
  Origin: "http://site.test",
  Referer: "http://site.test/page",
  "User-Agent": "Chrome",
  "sec-ch-ua": "Chrome",
  "X-Key": "1"
}

/** The requests that are passed on for a page. */
const passedOn = (...requests: ReadonlyArray<Request>) =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const { ask, next } = yield* intercepted((request) => {
      asked.push(request)
      return Effect.succeed(answerOf("ok"))
    })
    for (const request of requests) {
      ask(request)
      yield* next
    }
    return asked.map(({ headers, method, url }) => ({ headers, method, url: url.href }))
  })

it("passes on Origin to another origin, and the fields of scripts, but not the browser's name", function* () {
  expect(
    yield* passedOn(
      { headers: sent, url: "http://api.test/data" },
      { headers: sent, url: "http://site.test/data" },
      { frame: "child", headers: sent, kind: "Document", url: "http://site.test/frame" }
    )
  ).toEqual([
    {
      headers: { accept: "*/*", origin: "http://site.test", "x-key": "1" },
      method: "GET",
      url: "http://api.test/data"
    },
    { headers: { accept: "*/*", "x-key": "1" }, method: "GET", url: "http://site.test/data" },
    { headers: {}, method: "GET", url: "http://site.test/frame" }
  ])
})

it("asks for a URL once with equal fields, and once more with others", function* () {
  const url = "http://api.test/data"
  const { Origin: _, ...without } = sent
  const asked = yield* passedOn({ headers: sent, url }, { headers: sent, url }, { headers: without, url })
  expect(asked.map(({ headers }) => headers.origin)).toEqual(["http://site.test", undefined])
})

it("passes on the preflight of a GET, and refuses that of a POST and too long fields", function* () {
  const url = "http://api.test/data"
  const preflight = (method: string) => ({
    headers: { ...sent, "Access-Control-Request-Headers": "x-key", "Access-Control-Request-Method": method },
    method: "OPTIONS",
    url
  })
  const long = { headers: { ...sent, "X-Key": "1".repeat(5000) }, url }
  const asked = yield* passedOn(preflight("GET"), preflight("POST"), { method: "OPTIONS", url }, long)
  expect(asked).toMatchObject([
    {
      headers: {
        "access-control-request-headers": "x-key",
        "access-control-request-method": "GET",
        origin: "http://site.test"
      },
      method: "OPTIONS",
      url
    }
  ])
})
