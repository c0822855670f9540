import { describe, expect, jest } from "bun:test"
import { createServer as createTcp, type Socket } from "node:net"
import { createServer } from "node:tls"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { staggered } from "../../../src/foundation/outbound/Socket.ts"
import { effectWithTestClock, it } from "../../harness.ts"
import { authority, type Identity, selfSigned } from "./certificates.ts"
import { client, eventually, get, names, text } from "./client.ts"
import { literals } from "./hostile.ts"
import { listening, serve, track } from "./server.ts"

/** An attempt of a duration, which records its start and its interruption. */
const attempts = () => {
  const log: Array<string> = []
  const make = (name: string, outcome: Effect.Effect<string, string>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      log.push(`${name} at ${now}`)
      return Effect.onInterrupt(outcome, () => Effect.sync(() => log.push(`${name} interrupted`)))
    })
  return { log, make }
}

/** The result after a number of milliseconds. */
const after = (milliseconds: number, effect: Effect.Effect<string, string>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.merge(effect))
    yield* TestClock.adjust(milliseconds)
    return yield* Fiber.join(fiber)
  })

describe("staggered connection attempts", () => {
  effectWithTestClock("the second attempt is not made while the first succeeds in time", function* () {
    const { log, make } = attempts()
    const first = make("first", Effect.delay(Effect.succeed("one"), 249))
    expect(yield* after(249, staggered([first, make("second", Effect.succeed("two"))]))).toBe("one")
    expect(log).toEqual(["first at 0"])
  })

  effectWithTestClock("the second attempt is made immediately when the first fails", function* () {
    const { log, make } = attempts()
    expect(yield* after(0, staggered([make("first", Effect.fail("no")), make("second", Effect.succeed("two"))]))).toBe(
      "two"
    )
    expect(log).toEqual(["first at 0", "second at 0"])
  })

  effectWithTestClock(
    "another attempt is made every 250 ms without a response, and all are interrupted when one succeeds",
    function* () {
      const { log, make } = attempts()
      const all = staggered([
        make("first", Effect.never),
        make("second", Effect.never),
        make("third", Effect.succeed("three"))
      ])
      expect(yield* after(500, all)).toBe("three")
      expect(log.slice(0, 3)).toEqual(["first at 0", "second at 250", "third at 500"])
      expect(log.slice(3).toSorted()).toEqual(["first interrupted", "second interrupted"])
    }
  )

  effectWithTestClock("a slow first attempt may still win over a later one that fails", function* () {
    const { make } = attempts()
    const first = make("first", Effect.delay(Effect.succeed("one"), 400))
    expect(yield* after(400, staggered([first, make("second", Effect.fail("no"))]))).toBe("one")
  })

  effectWithTestClock("the connection fails when all attempts fail", function* () {
    const { make } = attempts()
    expect(yield* after(0, staggered([make("first", Effect.fail("no")), make("second", Effect.fail("no"))]))).toBe("no")
  })
})

const trusted = authority("Findable test authority")

const stranger = authority("Some other authority")

/** An HTTPS server that returns `hello` and records the requested server names. */
const serveTls = (
  identity: Identity,
  respond = (socket: Socket): unknown => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const serverNames: Array<string> = []
    const server = createServer({ ...identity }, (socket) => {
      socket.on("error", () => socket.destroy())
      serverNames.push(String(socket.servername))
      socket.once("data", () => respond(socket))
    })
    server.on("tlsClientError", () => {})
    track(server, sockets)
    const port = yield* listening(server, sockets)
    return { port, serverNames }
  })

const outbound = client({
  authorities: [trusted.cert],
  resolver: names({ "good.test": ["127.0.0.1"], "good.test.": ["127.0.0.1"], "other.test": ["127.0.0.1"] })
})

/** A server that reacts to the first bytes of a handshake. */
const serveHandshake = (respond: (socket: Socket) => void) => serve(respond, () => true)

const refused = (identity: Identity, host: string, asker = outbound) =>
  Effect.gen(function* () {
    const { port, serverNames } = yield* serveTls(identity)
    const error = yield* Effect.flip(asker.exchange(get(`https://${host}:${port}/`)))
    return { error, served: serverNames.length }
  })

describe("TLS", () => {
  it("a certificate for the host from a trusted authority is accepted, and the server name is the host", function* () {
    const { port, serverNames } = yield* serveTls(trusted.issue(["good.test"]))
    const response = yield* outbound.exchange(get(`https://good.test:${port}/`))
    expect([text(response.body), response.remoteAddress, serverNames]).toEqual(["hello", "127.0.0.1", ["good.test"]])
    expect(response.timings.tlsMs).toBeGreaterThan(0)
  })

  it("a trailing dot of the host is not part of the verified name", function* () {
    const { port, serverNames } = yield* serveTls(trusted.issue(["good.test"]))
    yield* outbound.exchange(get(`https://good.test.:${port}/`))
    expect(serverNames).toEqual(["good.test"])
  })

  it("a literal IP address is verified in the certificate, and no server name is sent", function* () {
    const { port, serverNames } = yield* serveTls(trusted.issue(["127.0.0.1"]))
    yield* outbound.exchange(get(`https://127.0.0.1:${port}/`))
    expect(serverNames).not.toContain("127.0.0.1")
    const { error } = yield* refused(trusted.issue(["good.test"]), "127.0.0.1")
    expect(error.reason).toBe("tls")
  })

  const faults: ReadonlyArray<readonly [name: string, identity: () => Identity, host: string, said: string]> = [
    ["a certificate for another name", () => trusted.issue(["good.test"]), "other.test", "altnames"],
    ["a certificate that signs itself", () => selfSigned("good.test"), "good.test", "self signed"],
    ["a certificate of an unknown authority", () => stranger.issue(["good.test"]), "good.test", "unable to"],
    ["a certificate that has expired", () => trusted.issue(["good.test"], [-9, -1]), "good.test", "expired"],
    ["a certificate that is not valid yet", () => trusted.issue(["good.test"], [1, 9]), "good.test", "not yet valid"]
  ]
  for (const [name, identity, host, said] of faults) {
    it(`${name} is a tls error, and no byte of the request is sent`, function* () {
      const { error, served } = yield* refused(identity(), host)
      expect(served).toBe(0)
      expect(error.reason).toBe("tls")
      expect(error.message).toContain(said)
      expect(error.timings.connectMs).not.toBeNull()
      expect(error.timings.tlsMs).toBeNull()
    })
  }

  it("the test's authority is trusted only when it is configured", function* () {
    const { error } = yield* refused(trusted.issue(["site.test"]), "site.test", client())
    expect(error.reason).toBe("tls")
  })

  it("a server that speaks no TLS, ends, or resets within the handshake is a tls error", function* () {
    const mute = yield* serveHandshake(() => {})
    const speaking = yield* serveHandshake((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
    const ending = yield* serveHandshake((socket) => socket.end())
    const resetting = yield* serveHandshake((socket) => socket.resetAndDestroy())
    for (const { port } of [speaking, ending, resetting]) {
      const error = yield* Effect.flip(outbound.exchange(get(`https://good.test:${port}/`)))
      expect(error.reason).toBe("tls")
    }
    const silent = yield* Effect.flip(
      outbound.exchange(get(`https://good.test:${mute.port}/`, { deadline: "200 millis" }))
    )
    expect(silent.reason).toBe("timeout")
  })

  it("a connection that ends within a body of known length is a protocol error", function* () {
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"
    const ending = yield* serveTls(trusted.issue(["good.test"]), (socket) => socket.end(head))
    const short = yield* Effect.flip(outbound.exchange(get(`https://good.test:${ending.port}/`)))
    expect(short.reason).toBe("protocol")
  })

  it("plain HTTP to a TLS port gets no response", function* () {
    const { port } = yield* serveTls(trusted.issue(["good.test"]))
    const error = yield* Effect.flip(outbound.exchange(get(`http://good.test:${port}/`)))
    expect(["reset", "protocol"]).toContain(error.reason)
  })
})

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

describe("a kept connection", () => {
  it("carries the next request to the same host, and the timings show it", function* () {
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

  it("is not used without the option, or for another host at the same IP address", function* () {
    const server = yield* serveMany((socket) => socket.write(ok))
    const { exchange } = client()
    yield* exchange(get(server.url, reused))
    yield* exchange(get(server.url))
    yield* exchange(get(server.url.replace("site.test", "127.0.0.1"), reused))
    expect(server.accepted()).toBe(3)
  })

  it("is used only after another check: a name that moved is connected to its new IP address, or blocked", function* () {
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

  it("is closed after 30 s of idle time, which each request restarts", function* () {
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
    it(`is closed if the server ${what}`, function* () {
      const server = yield* serveMany((socket) => socket.write(answer))
      const { exchange } = client()
      for (let index = 1; index <= 2; index++) {
        const { body, timings } = yield* exchange(get(server.url, reused))
        expect([text(body), timings.reused, server.accepted()]).toEqual(["hello", false, index])
      }
      yield* eventually(() => server.open() === 0)
    })
  }

  it("is kept after chunks and after an empty response, and closed after an incompletely read body", function* () {
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

  it("is opened again if the server closed it while idle, and the request succeeds", function* () {
    // The connection ends instead of the second response: it was closed before the request.
    const server = yield* serveMany((socket, index) => (index === 1 ? socket.destroy() : socket.write(ok)))
    const { exchange } = client()
    yield* exchange(get(server.url, reused))
    const { body, timings } = yield* exchange(get(server.url, reused))
    expect([text(body), timings.reused, server.accepted()]).toEqual(["hello", false, 2])
    for (const socket of server.sockets) socket.destroy()
    yield* eventually(() => server.open() === 0)
    expect((yield* exchange(get(server.url, reused))).timings.reused).toBe(false)
  })

  it("does not carry a second attempt once a response has begun", function* () {
    const server = yield* serveMany((socket, index) => {
      socket.write(index === 1 ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe" : ok)
      if (index === 1) socket.end()
    })
    const { exchange } = client()
    yield* exchange(get(server.url, reused))
    expect((yield* Effect.flip(exchange(get(server.url, reused)))).reason).toBe("protocol")
    expect(server.accepted()).toBe(1)
  })

  it("carries no other request while it is in use", function* () {
    const server = yield* serveMany((socket) => setTimeout(() => socket.write(ok), 30))
    const { exchange } = client()
    yield* Effect.replicateEffect(exchange(get(server.url, reused)), 5, { concurrency: "unbounded" })
    expect(server.accepted()).toBe(5)
    yield* Effect.replicateEffect(exchange(get(server.url, reused)), 5, { concurrency: "unbounded" })
    expect(server.accepted()).toBe(5)
  })
})

it("the next TLS handshake with a host resumes the previous session", function* () {
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

const strict = (known: Readonly<Record<string, ReadonlyArray<string>>> = {}) =>
  client({ allowed: [], resolver: names(known) })

describe("a blocked IP address", () => {
  it("stays unknown behind a name: the error is the same for every address of its kind", function* () {
    const told = (address: string) =>
      Effect.map(
        Effect.flip(strict({ intranet: [address] }).vet(new URL("http://intranet/"))),
        (error) => error.message
      )
    const name = "FINDABLE_ALLOW_PRIVATE_NETWORKS"
    const message = `intranet resolves to an IP address that is not public (private); set ${name}=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16 to allow it`
    for (const address of ["10.1.2.3", "172.20.0.1", "192.168.7.7"]) expect(yield* told(address)).toBe(message)
    expect(yield* told("127.0.0.1")).toBe(yield* told("::1"))
    expect(yield* told("::1")).toEndWith(`(loopback); set ${name}=127.0.0.0/8,::1/128 to allow it`)
  })

  it("is reported in a URL with the setting and a value that allows it", () =>
    Effect.forEach(literals, (text) =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(strict().vet(new URL(text)))
        const [, value = ""] = /FINDABLE_ALLOW_PRIVATE_NETWORKS=(\S+) to allow it$/.exec(message) ?? []
        expect([text, value]).not.toEqual([text, ""])
        expect(yield* client({ allowed: value.split(","), resolver: names({}) }).vet(new URL(text))).toHaveLength(1)
      })
    ))

  it("is allowed by the smallest range with a name", function* () {
    const value = (host: string) =>
      Effect.map(Effect.flip(strict().vet(new URL(`http://${host}/`))), ({ message }) => /=(\S+) /.exec(message)?.[1])
    expect(yield* value("127.0.0.1")).toBe("127.0.0.0/8")
    expect(yield* value("[::1]")).toBe("::1/128")
    expect(yield* value("[::ffff:127.0.0.1]")).toBe("127.0.0.0/8")
    expect(yield* value("192.168.1.5")).toBe("192.168.0.0/16")
    expect(yield* value("[fd12::1]")).toBe("fc00::/7")
    expect(yield* value("[64:ff9b::808:808]")).toBe("64:ff9b::808:808/128")
  })
})
