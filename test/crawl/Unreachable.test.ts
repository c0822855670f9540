import { describe, expect } from "bun:test"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Outbound } from "../../src/foundation/outbound/Outbound.ts"
import { client, names } from "../foundation/outbound/client.ts"
import { serve } from "../foundation/outbound/server.ts"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"

/** What a crawl says that finds no start page, through the real client with nothing but 127.0.0.0/8 opened. */
const said = (url: string) =>
  Effect.map(
    Effect.flip(
      Effect.provide(
        report(url),
        Layer.succeed(
          Outbound,
          client({ resolver: names({ "intranet.test": ["10.1.2.3"], "site.test": ["127.0.0.1"] }) })
        )
      )
    ),
    ({ code, message }) => ({ code, message })
  )

const unreachable = (url: string, why: string) => ({
  code: "start_unreachable" as const,
  message: `${url} cannot be reached: ${why}`
})

/** A site with robots.txt whose start page goes wrong in this way. */
const breaking = (respond: (socket: Socket) => void) =>
  serve((socket, request) => {
    if (request.startsWith("GET /robots.txt")) socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    else respond(socket)
  })

describe("a start that is refused by the guard", () => {
  const opens = (networks: string) => `FINDABLE_ALLOW_PRIVATE_NETWORKS=${networks} allows it`

  it("is named with the kind of its address and with what opens it", function* () {
    expect(yield* said("http://10.0.0.1/")).toEqual(
      unreachable("http://10.0.0.1/", `10.0.0.1 is not a public address (private); ${opens("10.0.0.0/8")}`)
    )
    expect(yield* said("http://[::1]:8080/")).toEqual(
      unreachable("http://[::1]:8080/", `::1 is not a public address (loopback); ${opens("::1/128")}`)
    )
  })

  it("behind a name is not told which address the name has", function* () {
    expect(yield* said("http://intranet.test/")).toEqual(
      unreachable(
        "http://intranet.test/",
        `intranet.test leads to an address that is not public (private); ${opens("10.0.0.0/8,172.16.0.0/12,192.168.0.0/16")}`
      )
    )
  })

  it("for its form gets no advice on networks", function* () {
    expect(yield* said("http://me:secret@site.test/")).toEqual(
      unreachable("http://me:secret@site.test/", "The URL contains credentials")
    )
  })
})

describe("a start that cannot be reached says what went wrong:", () => {
  it("no address", function* () {
    const url = "http://nowhere.test/"
    expect(yield* said(url)).toEqual(unreachable(url, "nowhere.test has no address"))
  })

  it("a refused connection", function* () {
    const url = "http://site.test:2/"
    expect(yield* said(url)).toEqual(
      unreachable(url, "Nothing accepts the connection (connect ECONNREFUSED 127.0.0.1:2)")
    )
  })

  it("a TLS handshake with a server that has none", function* () {
    const { port } = yield* serve(
      (socket) => socket.end("no TLS here"),
      (bytes) => bytes.length > 0
    )
    const { code, message } = yield* said(`https://site.test:${port}/`)
    expect(code).toBe("start_unreachable")
    expect(message).toStartWith(`https://site.test:${port}/ cannot be reached: No secure connection can be made (`)
  })

  it("an answer that never comes", function* () {
    const { url } = yield* breaking(() => {})
    const { message } = yield* said(url)
    expect([
      unreachable(url, "The server sent nothing for too long").message,
      unreachable(url, "The exchange took longer than its deadline").message
    ]).toContain(message)
  })

  it("a connection that ends before the answer", function* () {
    const { url } = yield* breaking((socket) => socket.end())
    expect(yield* said(url)).toEqual(unreachable(url, "The connection ended before the response"))
  })

  it("an answer in another protocol", function* () {
    const { url } = yield* breaking((socket) => socket.end("SSH-2.0-server\r\n\r\n"))
    expect(yield* said(url)).toEqual(unreachable(url, "The answer is not an HTTP/1.1 response"))
  })
})
