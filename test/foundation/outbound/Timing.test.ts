import { describe, expect, test } from "bun:test"
import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import type { OutboundRequest } from "../../../src/foundation/outbound/Outbound.ts"
import * as Timing from "../../../src/foundation/outbound/Timing.ts"
import { parseHttpDate, waitOf } from "../../../src/foundation/outbound/Timing.ts"
import { effectWithTestClock, it } from "../../harness.ts"
import { client, eventually, get, text } from "./client.ts"
import { serve, serveBytes } from "./server.ts"

const ok = "HTTP/1.1 200 OK\r\n"

/** Writes a piece again and again, as long as the other side reads. */
const drip = (socket: Socket, piece: string, milliseconds: number) => {
  const timer = setInterval(() => socket.write(piece), milliseconds)
  socket.on("close", () => clearInterval(timer))
}

const failure = (url: string, more: Partial<OutboundRequest>) => Effect.flip(client().exchange(get(url, more)))

describe("the deadline", () => {
  const loris: ReadonlyArray<readonly [name: string, respond: (socket: Socket) => void]> = [
    ["silence", () => {}],
    [
      "a status line that drips",
      (socket) => {
        socket.write("HTTP/1.1 200 ")
        drip(socket, "X", 10)
      }
    ],
    ["fields that drip", (socket) => drip(socket, `${ok}X-A: 1\r\n`, 10)],
    [
      "a body that drips",
      (socket) => {
        socket.write(`${ok}\r\n`)
        drip(socket, "x", 10)
      }
    ],
    [
      "chunks that drip",
      (socket) => {
        socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n`)
        drip(socket, "1\r\nx\r\n", 10)
      }
    ],
    [
      "an encoded body that stalls",
      (socket) => {
        socket.write(`${ok}Content-Encoding: gzip\r\n\r\n`)
        socket.write(gzipSync("hello").subarray(0, 12))
      }
    ]
  ]
  for (const [name, respond] of loris) {
    it(`ends ${name}, and closes the connection`, function* () {
      const server = yield* serve(respond)
      expect((yield* failure(server.url, { deadline: "250 millis" })).reason).toBe("timeout")
      yield* eventually(() => server.open() === 0)
    })
  }

  it("ends a DNS lookup that takes too long", function* () {
    const outbound = client({ resolver: { addresses: () => Effect.never } })
    const error = yield* Effect.flip(outbound.exchange(get("http://slow.test/", { deadline: "100 millis" })))
    expect([error.reason, error.timings.dnsMs]).toEqual(["timeout", null])
  })
})

describe("the idle timeout", () => {
  it("ends a request without progress long before its deadline", function* () {
    const server = yield* serveBytes(`${ok}Content-Length: 50\r\n\r\nhello`)
    const error = yield* failure(server.url, { deadline: "1 hour", idleTimeout: "100 millis" })
    expect(error.reason).toBe("timeout")
    yield* eventually(() => server.open() === 0)
  })

  it("allows a slow body with steady progress", function* () {
    const server = yield* serve((socket) => {
      socket.write(`${ok}Content-Length: 20\r\n\r\n`)
      drip(socket, "x", 20)
    })
    const response = yield* client().exchange(get(server.url, { idleTimeout: "300 millis" }))
    expect(response.bytesRead).toBe(20)
  })
})

describe("interruption", () => {
  it("closes the connection in every phase, and leaves no connection behind", function* () {
    const gzip = gzipSync("hello").subarray(0, 12)
    let turn = 0
    const server = yield* serve((socket) => {
      const phase = turn++ % 4
      if (phase === 1) socket.write(`${ok}X-A`)
      if (phase === 2) socket.write(`${ok}Content-Length: 50\r\n\r\nhello`)
      if (phase === 3) socket.write(Buffer.concat([Buffer.from(`${ok}Content-Encoding: gzip\r\n\r\n`), gzip]))
    })
    const fibers = yield* Effect.replicateEffect(
      Effect.fork(client().exchange(get(server.url, { deadline: "1 minute" }))),
      200
    )
    yield* eventually(() => server.requests.filter((request) => request.length > 0).length === 200)
    yield* Fiber.interruptAll(fibers)
    yield* eventually(() => server.open() === 0)
    expect(server.accepted()).toBe(200)
  })

  it("leaves no connection behind when a request has just begun", function* () {
    const server = yield* serveBytes(`${ok}Content-Length: 5\r\n\r\nhello`)
    yield* Effect.forEach(
      Array.from({ length: 200 }, (_, index) => index),
      (index) =>
        client()
          .exchange(get(server.url))
          .pipe(Effect.timeoutOption(Duration.micros(BigInt(index * 20)))),
      { concurrency: 20, discard: true }
    )
    yield* eventually(() => server.open() === 0)
  })
})

describe("concurrent requests", () => {
  it("run in parallel, fifty of them", function* () {
    const all = yield* Deferred.make<void>()
    const waiting: Array<Socket> = []
    const server = yield* serve((socket) => {
      // No request is answered before all have arrived: sequential requests would never end.
      if (waiting.push(socket) < 50) return
      for (const each of waiting) each.end(`${ok}Content-Length: 5\r\n\r\nhello`)
      Deferred.unsafeDone(all, Effect.void)
    })
    const responses = yield* Effect.replicateEffect(client().exchange(get(server.url)), 50, { concurrency: 50 })
    expect(responses.map(({ body }) => text(body))).toEqual(Array.from({ length: 50 }, () => "hello"))
    yield* Deferred.await(all)
  })
})

describe("timings", () => {
  effectWithTestClock("are in milliseconds, each phase from the end of the previous one", function* () {
    const clock = yield* TestClock.testClock()
    const watch = Timing.start(clock)
    yield* clock.adjust(40)
    watch.lap("dnsMs")
    yield* clock.adjust(60)
    watch.lap("connectMs")
    watch.lap("dnsMs")
    yield* clock.adjust(5)
    expect(watch.timings()).toMatchObject({ connectMs: 60, dnsMs: 40, firstByteMs: null, totalMs: 105 })
    expect(watch.elapsed()).toBe(105)
  })

  it("cover DNS lookup, connection, first byte and body", function* () {
    const server = yield* serve((socket) => {
      setTimeout(() => socket.write(`${ok}Content-Length: 5\r\n\r\nhe`), 60)
      setTimeout(() => socket.write("llo"), 120)
    })
    const slow = { addresses: () => Effect.delay(Effect.succeed(["127.0.0.1"]), "40 millis") }
    const { timings } = yield* client({ resolver: slow }).exchange(get(`http://slow.test:${server.port}/`))
    const { reused, tlsMs, ...others } = timings
    expect([reused, tlsMs]).toEqual([false, null])
    const number = expect.any(Number)
    expect(others).toEqual({ bodyMs: number, connectMs: number, dnsMs: number, firstByteMs: number, totalMs: number })
  })

  it("have no DNS lookup for a literal IP address", function* () {
    const server = yield* serveBytes(`${ok}Content-Length: 5\r\n\r\nhello`)
    const { timings } = yield* client().exchange(get(server.url))
    expect(timings.dnsMs).toBeNull()
    expect(timings.connectMs).not.toBeNull()
  })
})

effectWithTestClock(
  "deadlines added long after a request began fire in time, and so do deadlines added at that moment",
  function* () {
    const deadlines = Timing.make()
    const ended = Effect.async<void>((resume) => {
      const timed = {
        end: () => {
          deadlines.remove(timed)
          resume(Effect.void)
        },
        left: () => 0
      }
      deadlines.add(timed)
    })
    // A connection may take time before there is anything to end.
    const slow = deadlines.during(Effect.zipRight(Effect.sleep("100 millis"), ended))
    const first = yield* Effect.fork(slow)
    yield* TestClock.adjust("120 millis")
    expect(yield* Fiber.poll(first)).toMatchObject({ _tag: "Some" })
    yield* TestClock.adjust("100 millis")
    const others = yield* Effect.fork(Effect.all([slow, slow], { concurrency: 2 }))
    yield* TestClock.adjust("120 millis")
    expect(yield* Fiber.poll(others)).toMatchObject({ _tag: "Some" })
  }
)

const now = Date.UTC(2026, 10, 21, 9, 30)

const moment = Date.UTC(2026, 10, 6, 8, 49, 37)

const preferred = "Fri, 06 Nov 2026 08:49:37 GMT"

const forms = [
  ["the preferred form", preferred],
  ["the obsolete RFC 850 form", "Friday, 06-Nov-26 08:49:37 GMT"],
  ["the form of C's asctime", "Fri Nov  6 08:49:37 2026"]
] as const

describe("an HTTP-date", () => {
  test.each(forms)("is parsed in %s", (_, text) => {
    expect(parseHttpDate(text, now)).toEqual(Option.some(moment))
  })

  test("with a two-digit year more than 50 years ahead belongs to the previous century", () => {
    expect(parseHttpDate("Friday, 06-Nov-76 08:49:37 GMT", now)).toEqual(Option.some(Date.UTC(2076, 10, 6, 8, 49, 37)))
    expect(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", now)).toEqual(Option.some(Date.UTC(1994, 10, 6, 8, 49, 37)))
  })

  test("with a leap second means the second after it", () => {
    expect(parseHttpDate("Sat, 31 Dec 2016 23:59:60 GMT", now)).toEqual(Option.some(Date.UTC(2017, 0, 1)))
  })

  test.each(["Sat, 31 Feb 2026 08:49:37 GMT", "Sun, 29 Feb 2026 08:49:37 GMT", "Fri, 00 Nov 2026 08:49:37 GMT"])(
    "of a day that its month does not have is none: %s",
    (text) => {
      expect(parseHttpDate(text, now)).toEqual(Option.none())
    }
  )

  test("formatted by the platform is parsed to the same second, at every moment", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(4_102_444_800_000), noInvalidDate: true }), (date) => {
        const parsed = Option.getOrThrow(parseHttpDate(date.toUTCString(), now))
        expect(parsed).toBe(Math.floor(date.getTime() / 1000) * 1000)
      })
    )
  })
})

describe("a Retry-After", () => {
  test.each([
    ["120", 120_000],
    [" 120 ", 120_000],
    ["0", 0]
  ])("means a wait of %p seconds, with or without white space", (text, wait) => {
    expect(waitOf(text, preferred, now)).toEqual(Option.some(wait))
  })

  test.each(forms)("with a date in %s counts from the response's Date", (_, text) => {
    expect(waitOf(text, "Fri, 06 Nov 2026 08:48:37 GMT", now)).toEqual(Option.some(60_000))
  })

  test("with a date counts from this machine's clock when the response has no valid Date", () => {
    expect(waitOf(preferred, null, moment - 5000)).toEqual(Option.some(5000))
    expect(waitOf(preferred, "yesterday", moment - 5000)).toEqual(Option.some(5000))
  })

  test("with a date in the past means no wait", () => {
    expect(waitOf(preferred, null, moment + 5000)).toEqual(Option.some(0))
  })

  test.each([
    ["nothing", null],
    ["white space", "  "],
    ["a negative number", "-5"],
    ["a fraction", "1.5"],
    ["a unit", "5s"],
    ["an exponent", "1e3"],
    ["hexadecimal", "0x10"],
    ["words", "soon"],
    ["an ISO date", "2026-11-21T10:00:00Z"],
    ["another zone", "Fri, 06 Nov 2026 08:49:37 CET"],
    ["no zone", "Fri, 06 Nov 2026 08:49:37"],
    ["the 25th hour", "Fri, 06 Nov 2026 25:49:37 GMT"],
    ["lower case", "fri, 06 nov 2026 08:49:37 gmt"],
    ["a number and words", "5 apples"]
  ])("is ignored if it is %s", (_, text) => {
    expect(waitOf(text, null, now)).toEqual(Option.none())
  })
})
