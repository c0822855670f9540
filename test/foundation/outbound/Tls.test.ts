import { describe, expect } from "bun:test"
import type { Socket } from "node:net"
import { createServer } from "node:tls"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { authority, type Identity, selfSigned } from "./certificates.ts"
import { client, get, names, text } from "./client.ts"
import { listening, serve, track } from "./server.ts"

const trusted = authority("Findable test authority")
const stranger = authority("Some other authority")

/** An HTTPS server that answers `hello` and notes the server names it was asked for. */
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

/** A server that does this as soon as the first bytes of a handshake come. */
const serveHandshake = (respond: (socket: Socket) => void) => serve(respond, () => true)

const refused = (identity: Identity, host: string, asker = outbound) =>
  Effect.gen(function* () {
    const { port, serverNames } = yield* serveTls(identity)
    const error = yield* Effect.flip(asker.exchange(get(`https://${host}:${port}/`)))
    return { error, served: serverNames.length }
  })

describe("TLS", () => {
  it("a certificate for the host, from a trusted authority, is accepted; the server name is the host", function* () {
    const { port, serverNames } = yield* serveTls(trusted.issue(["good.test"]))
    const response = yield* outbound.exchange(get(`https://good.test:${port}/`))
    expect([text(response.body), response.remoteAddress, serverNames]).toEqual(["hello", "127.0.0.1", ["good.test"]])
    expect(response.timings.tlsMs).toBeGreaterThan(0)
  })

  it("a trailing dot of the host is no part of the name that is proved", function* () {
    const { port, serverNames } = yield* serveTls(trusted.issue(["good.test"]))
    yield* outbound.exchange(get(`https://good.test.:${port}/`))
    expect(serverNames).toEqual(["good.test"])
  })

  it("an address literal is proved by the address in the certificate, and no server name is sent", function* () {
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
    it(`${name} is tls, and no byte of the request is sent`, function* () {
      const { error, served } = yield* refused(identity(), host)
      expect(served).toBe(0)
      expect(error.reason).toBe("tls")
      expect(error.message).toContain(said)
      expect(error.timings.connectMs).not.toBeNull()
      expect(error.timings.tlsMs).toBeNull()
    })
  }

  it("the test's authority is trusted only when it is named", function* () {
    const { error } = yield* refused(trusted.issue(["site.test"]), "site.test", client())
    expect(error.reason).toBe("tls")
  })

  it("a server that speaks no TLS, ends, or resets within the handshake is tls", function* () {
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

  it("a connection that ends within a counted body is protocol", function* () {
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"
    const ending = yield* serveTls(trusted.issue(["good.test"]), (socket) => socket.end(head))
    const short = yield* Effect.flip(outbound.exchange(get(`https://good.test:${ending.port}/`)))
    expect(short.reason).toBe("protocol")
  })

  it("plain HTTP to a TLS port is no response", function* () {
    const { port } = yield* serveTls(trusted.issue(["good.test"]))
    const error = yield* Effect.flip(outbound.exchange(get(`http://good.test:${port}/`)))
    expect(["reset", "protocol"]).toContain(error.reason)
  })
})
