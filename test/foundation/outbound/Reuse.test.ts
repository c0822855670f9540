import { describe, expect, jest } from "bun:test"
import { createServer as createTcp, type Socket } from "node:net"
import { createServer } from "node:tls"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { authority } from "./certificates.ts"
import { client, eventually, get, text } from "./client.ts"
import { listening, track } from "./server.ts"

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

/** A server that answers each request of each connection; it counts connections and keeps the sockets. */
const serveMany = (answer: (socket: Socket, index: number) => void) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let index = 0
    const server = createTcp((socket) => socket.on("data", () => answer(socket, index++)))
    const accepted = track(server, sockets)
    const port = yield* listening(server, sockets)
    return { accepted, open: () => sockets.size, sockets, url: `http://site.test:${port}/` }
  })

const reused = { reuse: true } as const

describe("a connection", () => {
  it("carries the next exchange with the same host, and the timings say so", function* () {
    const server = yield* serveMany((socket) => socket.write(ok))
    const { exchange } = client()
    const first = yield* exchange(get(server.url, reused))
    const second = yield* exchange(get(server.url, reused))
    expect([text(first.body), text(second.body)]).toEqual(["hello", "hello"])
    expect(server.accepted()).toBe(1)
    expect(first.timings).toMatchObject({ connectMs: expect.any(Number), reused: false })
    expect(second.timings).toMatchObject({
      bodyMs: expect.any(Number),
      connectMs: null,
      dnsMs: expect.any(Number),
      reused: true
    })
  })

  it("carries nothing else for who did not ask for that, nor for another host at the same address", function* () {
    const server = yield* serveMany((socket) => socket.write(ok))
    const { exchange } = client()
    yield* exchange(get(server.url, reused))
    yield* exchange(get(server.url))
    yield* exchange(get(server.url.replace("site.test", "127.0.0.1"), reused))
    expect(server.accepted()).toBe(3)
  })

  it("is judged again before it is used: a name that has moved is dialled at its new address, or refused", function* () {
    const server = yield* serveMany((socket) => socket.write(ok))
    let addresses: ReadonlyArray<string> = ["127.0.0.1"]
    const { exchange } = client({
      allowed: ["127.0.0.1/32", "127.0.0.2/32"],
      resolver: { addresses: () => Effect.sync(() => addresses) }
    })
    yield* exchange(get(server.url, reused))
    addresses = ["10.0.0.1"]
    expect((yield* Effect.flip(exchange(get(server.url, reused)))).reason).toBe("blocked_address")
    addresses = ["127.0.0.2"]
    expect((yield* Effect.flip(exchange(get(server.url, reused)))).reason).toBe("connect")
    addresses = ["127.0.0.2", "127.0.0.1"]
    expect((yield* exchange(get(server.url, reused))).timings.reused).toBe(true)
    expect(server.accepted()).toBe(1)
  })

  it("is closed after 30 s in which it carried nothing, which every exchange counts anew", function* () {
    const server = yield* serveMany((socket) => socket.write(ok))
    const { exchange } = client()
    yield* Effect.acquireRelease(
      Effect.sync(() => jest.useFakeTimers()),
      () => Effect.sync(() => jest.useRealTimers())
    )
    const isReusedAfter = (milliseconds: number) =>
      Effect.suspend(() => {
        jest.advanceTimersByTime(milliseconds)
        return Effect.map(exchange(get(server.url, reused)), ({ timings }) => timings.reused)
      })
    const silences = [0, 29_999, 29_999, 30_000, 29_999]
    expect(yield* Effect.forEach(silences, isReusedAfter)).toEqual([false, true, true, false, true])
    expect(server.accepted()).toBe(2)
  })

  const closing: ReadonlyArray<readonly [string, string]> = [
    ["says Connection: close", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"],
    ["speaks HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"],
    ["sends more than its answer", `${ok}surplus`],
    [
      "sends more than its chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK"
    ]
  ]
  for (const [what, answer] of closing) {
    it(`of a server that ${what} is closed`, function* () {
      const server = yield* serveMany((socket) => socket.write(answer))
      const { exchange } = client()
      for (let index = 1; index <= 2; index++) {
        const { body, timings } = yield* exchange(get(server.url, reused))
        expect([text(body), timings.reused, server.accepted()]).toEqual(["hello", false, index])
      }
      yield* eventually(() => server.open() === 0)
    })
  }

  it("is kept after chunks and after an empty answer, and closed after a body that was not read to its end", function* () {
    const answers = [
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n",
      ok
    ]
    const server = yield* serveMany((socket, index) => socket.write(answers[index] ?? ok))
    const { exchange } = client()
    for (const _ of answers) yield* exchange(get(server.url, reused))
    expect(server.accepted()).toBe(1)
    expect((yield* exchange(get(server.url, { ...reused, maxBytes: 2 }))).truncated).toBe(true)
    yield* exchange(get(server.url, reused))
    expect(server.accepted()).toBe(2)
  })

  it("that its server closed while nobody used it is made anew, and the exchange succeeds", function* () {
    // The second request is answered by the end of the connection: it was closed before that came.
    const server = yield* serveMany((socket, index) => (index === 1 ? socket.destroy() : socket.write(ok)))
    const { exchange } = client()
    yield* exchange(get(server.url, reused))
    const { body, timings } = yield* exchange(get(server.url, reused))
    expect([text(body), timings.reused, server.accepted()]).toEqual(["hello", false, 2])
    for (const socket of server.sockets) socket.destroy()
    yield* eventually(() => server.open() === 0)
    expect((yield* exchange(get(server.url, reused))).timings.reused).toBe(false)
  })

  it("is not used for a second try once an answer has begun", function* () {
    const server = yield* serveMany((socket, index) => {
      socket.write(index === 1 ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe" : ok)
      if (index === 1) socket.end()
    })
    const { exchange } = client()
    yield* exchange(get(server.url, reused))
    expect((yield* Effect.flip(exchange(get(server.url, reused)))).reason).toBe("protocol")
    expect(server.accepted()).toBe(1)
  })

  it("that is in the middle of an exchange carries no other", function* () {
    const server = yield* serveMany((socket) => setTimeout(() => socket.write(ok), 30))
    const { exchange } = client()
    yield* Effect.replicateEffect(exchange(get(server.url, reused)), 5, { concurrency: "unbounded" })
    expect(server.accepted()).toBe(5)
    yield* Effect.replicateEffect(exchange(get(server.url, reused)), 5, { concurrency: "unbounded" })
    expect(server.accepted()).toBe(5)
  })
})

it("TLS: the next handshake with a host resumes the session of the one before", function* () {
  const trusted = authority("Findable test authority")
  const sockets = new Set<Socket>()
  const resumed: Array<boolean> = []
  const server = createServer({ ...trusted.issue(["site.test"]) }, (socket) => {
    resumed.push(socket.isSessionReused())
    socket.once("data", () => socket.end(ok))
  })
  track(server, sockets)
  const port = yield* listening(server, sockets)
  const { exchange } = client({ authorities: [trusted.cert] })
  for (let index = 0; index < 2; index++) yield* exchange(get(`https://site.test:${port}/`))
  expect(resumed).toEqual([false, true])
})
