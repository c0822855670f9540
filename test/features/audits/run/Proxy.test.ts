import { describe, expect, test } from "bun:test"
import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { guardProxy } from "../../../../src/features/audits/run/Proxy.ts"
import { type Reading, readGreeting, readRequest, refusals, reply } from "../../../../src/foundation/browser/Socks.ts"
import { Outbound } from "../../../../src/foundation/outbound/Outbound.ts"
import { client, names } from "../../../foundation/outbound/client.ts"
import { type RawServer, serve, serveBytes } from "../../../foundation/outbound/server.ts"
import { it } from "../../../harness.ts"
import { eventually } from "../../../waiting.ts"

const known = names({
  "inside.test": ["127.0.0.1"],
  "mixed.test": ["127.0.0.2", "127.0.0.1"],
  "site.test": ["127.0.0.1"]
})

const guardedBy = (...allowed: ReadonlyArray<string>) =>
  Effect.provideService(guardProxy, Outbound, client({ allowed, resolver: known }))

const guarded = Effect.map(guardedBy("127.0.0.1/32"), ({ port }) => port)

/** A client of the proxy: the bytes received so far, and a wait for more. */
const dialled = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect({ host: "127.0.0.1", port })
      const state = { closed: false, received: Buffer.alloc(0) }
      socket.on("data", (data: Buffer) => {
        state.received = Buffer.concat([state.received, data])
      })
      socket.on("error", () => {})
      socket.on("close", () => {
        state.closed = true
      })
      return { socket, state }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

const requestFor = (host: string, port: number) =>
  Buffer.from([5, 1, 0, 3, host.length, ...Buffer.from(host), port >> 8, port & 255])

/** Requests a host and port from the proxy; returns the code of its reply, and the connection. */
const ask = (proxy: number, host: string, port: number, write = (socket: Socket, data: Buffer) => socket.write(data)) =>
  Effect.gen(function* () {
    const { socket, state } = yield* dialled(proxy)
    write(socket, Buffer.from([5, 1, 0]))
    yield* eventually(() => state.received.length >= 2)
    write(socket, requestFor(host, port))
    yield* eventually(() => state.received.length >= 12)
    return { code: state.received[3], socket, state }
  })

const get = "GET / HTTP/1.1\r\n\r\n"

describe("the proxy of private-network protection", () => {
  it("carries bytes both ways to an allowed address", function* () {
    const server = yield* serveBytes("hello", "end")
    const { code, socket, state } = yield* ask(yield* guarded, "site.test", server.port)
    expect(code).toBe(0)
    socket.write(get)
    yield* eventually(() => state.closed)
    expect(state.received.subarray(12).toString()).toBe("hello")
    expect(server.requests.map(String)).toEqual([get])
  })

  const forbidden = [
    ["a private IP address", "127.0.0.1", 2],
    ["another spelling of it", "0x7f.1", 2],
    ["a private IPv6 address", "::1", 2],
    ["the metadata service", "169.254.169.254", 2],
    ["a name for a private IP address", "inside.test", 2],
    ["a name for a private and a public IP address", "mixed.test", 2],
    ["an unknown name", "unknown.test", 4],
    ["an invalid host", "a/b", 8]
  ] as const
  for (const [what, host, code] of forbidden)
    it(`refuses ${what}: ${host}`, function* () {
      const server = yield* serveBytes("secret")
      const answer = yield* ask((yield* guardedBy("127.0.0.2/32")).port, host, server.port)
      expect(answer.code).toBe(code)
      yield* eventually(() => answer.state.closed)
      expect(answer.state.received).toHaveLength(12)
      expect(server.accepted()).toBe(0)
    })

  it("reports and remembers an address where nothing listens", function* () {
    const { port, refused } = yield* guardedBy("127.0.0.1/32")
    const server = yield* serveBytes("hello", "end")
    expect((yield* ask(port, "site.test", 2)).code).toBe(5)
    expect((yield* ask(port, "site.test", server.port)).code).toBe(0)
    expect([...refused]).toEqual(["site.test:2"])
  })

  it("closes on other protocols than SOCKS5", function* () {
    const { socket, state } = yield* dialled(yield* guarded)
    socket.write("CONNECT 127.0.0.2:80 HTTP/1.1\r\n\r\n")
    yield* eventually(() => state.closed)
    expect([...state.received].slice(0, 2)).toEqual([5, 1])
  })

  it("accepts a handshake byte by byte", function* () {
    const server = yield* serveBytes("hello", "end")
    const dribble = (socket: Socket, data: Buffer) => {
      socket.setNoDelay(true)
      for (const byte of data) socket.write(Buffer.of(byte))
      return true
    }
    expect((yield* ask(yield* guarded, "site.test", server.port, dribble)).code).toBe(0)
  })

  it("keeps bytes that follow the request, and all bytes of a large response", function* () {
    const large = Buffer.alloc(3_000_000, "x")
    const server: RawServer = yield* serve((socket) => socket.end(large))
    const { socket, state } = yield* dialled(yield* guarded)
    socket.write(Buffer.concat([Buffer.from([5, 1, 0]), requestFor("site.test", server.port), Buffer.from(get)]))
    yield* eventually(() => state.closed)
    expect(server.requests.map(String)).toEqual([get])
    expect(state.received.length - 12).toBe(large.length)
  })

  it("resets the client's connection when the server resets its own", function* () {
    const server = yield* serveBytes("half", "reset")
    const { socket, state } = yield* ask(yield* guarded, "site.test", server.port)
    socket.write(get)
    yield* eventually(() => state.closed)
    expect(state.received.subarray(12).toString()).toBe("half")
  })

  it("closes the server's connection when the client disconnects", function* () {
    const server = yield* serveBytes("hello")
    const { socket } = yield* ask(yield* guarded, "site.test", server.port)
    yield* eventually(() => server.open() === 1)
    socket.destroy()
    yield* eventually(() => server.open() === 0)
  })

  it("closes every connection, and its port, with its scope", function* () {
    const server = yield* serveBytes("hello")
    const scope = yield* Scope.make()
    const port = yield* Scope.extend(guarded, scope)
    const { state } = yield* ask(port, "site.test", server.port)
    const silent = yield* dialled(port)
    yield* Scope.close(scope, Exit.void)
    yield* eventually(() => state.closed && silent.state.closed && server.open() === 0)
    const late = yield* dialled(port)
    yield* eventually(() => late.state.closed)
    expect(late.state.received).toHaveLength(0)
  })
})

/** The parsed message, "more" if it is incomplete, or the refusal. */
const outcome = <A>(reading: Reading<A>) =>
  Either.match(reading, {
    onLeft: (refusal) => refusal,
    onRight: Option.match({
      onNone: () => "more" as const,
      onSome: ({ length, value }) => ({ length, value: value instanceof URL ? value.href : value })
    })
  })

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

const toName = (name: string, port = [0x1f, 0x90]) => bytes(5, 1, 0, 3, name.length, ...Buffer.from(name), ...port)

describe("a SOCKS5 greeting", () => {
  test("must offer no authentication", () => {
    expect(outcome(readGreeting(bytes(5, 1, 0)))).toEqual({ length: 3, value: undefined })
    expect(outcome(readGreeting(bytes(5, 3, 2, 1, 0, 9)))).toEqual({ length: 5, value: undefined })
    expect(outcome(readGreeting(bytes(5, 1, 2)))).toBe(refusals.failed)
    expect(outcome(readGreeting(bytes(5, 0)))).toBe(refusals.failed)
  })

  test("must have version 5, and SOCKS4 and HTTP are refused", () => {
    expect(outcome(readGreeting(bytes(4, 1, 0)))).toBe(refusals.failed)
    expect(outcome(readGreeting(Buffer.from("CONNECT a:1 HTTP/1.1\r\n\r\n")))).toBe(refusals.failed)
  })
})

describe("a SOCKS5 request", () => {
  test("may name a host", () => {
    expect(outcome(readRequest(toName("shop.example")))).toEqual({ length: 19, value: "http://shop.example:8080/" })
  })

  test("may name an IP address, as bytes or as text", () => {
    expect(outcome(readRequest(bytes(5, 1, 0, 1, 127, 0, 0, 1, 0, 81)))).toEqual({
      length: 10,
      value: "http://127.0.0.1:81/"
    })
    const loopback = bytes(5, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 81)
    expect(outcome(readRequest(loopback))).toEqual({ length: 22, value: "http://[::1]:81/" })
    expect(outcome(readRequest(toName("::1", [0, 81])))).toEqual({ length: 10, value: "http://[::1]:81/" })
    expect(outcome(readRequest(toName("0x7f.1", [0, 81])))).toEqual({ length: 13, value: "http://127.0.0.1:81/" })
  })

  test("is refused unless it is a plain host and port", () => {
    for (const name of ["", "a/b", "a@b", "a b", "a?b", "a#b", "a%2eb", "[::1]:1", "1:2:3", "a:1", "ä"])
      expect([name, outcome(readRequest(toName(name)))]).toEqual([name, refusals.addressNotSupported])
    expect(outcome(readRequest(toName("a.example", [0, 0])))).toBe(refusals.addressNotSupported)
    expect(outcome(readRequest(bytes(5, 1, 0, 9, 1, 1)))).toBe(refusals.addressNotSupported)
  })

  test("is refused for other commands than CONNECT, above all UDP", () => {
    for (const command of [0, 2, 3]) {
      expect(outcome(readRequest(bytes(5, command, 0, 1, 8, 8, 8, 8, 0, 53)))).toBe(refusals.commandNotSupported)
    }
  })

  test("is parsed in any chunks, and the bytes after it are kept", () => {
    fc.assert(
      fc.property(
        fc.domain().filter((name) => name.length < 256),
        fc.integer({ max: 65_535, min: 1 }),
        fc.uint8Array({ maxLength: 20 }),
        (name, port, rest) => {
          const whole = toName(name, [port >> 8, port & 255])
          for (let cut = 0; cut < whole.length; cut++) expect(outcome(readRequest(whole.subarray(0, cut)))).toBe("more")
          expect(outcome(readRequest(Uint8Array.of(...whole, ...rest)))).toEqual({
            length: whole.length,
            value: new URL(`http://${name}:${port}/`).href
          })
        }
      ),
      { numRuns: 50 }
    )
  })

  test("never throws, for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (any) => {
        expect(() => [readGreeting(any), readRequest(any), readRequest(Uint8Array.of(5, 1, 0, ...any))]).not.toThrow()
      })
    )
  })

  test("is answered without the proxy's own address", () => {
    expect([...reply(0)]).toEqual([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    expect([...reply(refusals.notAllowed)].slice(0, 2)).toEqual([5, 2])
  })
})
