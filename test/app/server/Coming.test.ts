import { describe, expect } from "bun:test"
import { connect } from "node:net"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Listener from "../../../src/app/server/Server.ts"
import { it } from "../../harness.ts"
import { eventually } from "../../waiting.ts"

/** A server that listens, before it has anything to answer with. */
const listening = Effect.gen(function* () {
  const provider = ConfigProvider.fromMap(new Map([["FINDABLE_PORT", "0"]]))
  const context = yield* Layer.build(Layer.provide(Listener.layer, Layer.setConfigProvider(provider)))
  const server = Context.get(context, HttpServer.HttpServer)
  const port = server.address._tag === "TcpAddress" ? server.address.port : 0
  return { ask: Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/`)), port, server }
})

const app = Effect.succeed(HttpServerResponse.empty({ status: 200 }))

describe("a server", () => {
  it("that listens already and cannot answer yet lets requests wait", function* () {
    const { ask, port, server } = yield* listening
    const socket = connect(port, "127.0.0.1")
    const heard: Array<string> = []
    socket.on("data", (bytes) => heard.push(`${bytes}`))
    yield* Effect.async<void>((resume) => {
      const request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      socket.on("connect", () => socket.write(request, () => resume(Effect.void)))
    })
    expect(heard).toEqual([])
    yield* server.serve(app)
    yield* eventually(() => heard.join("").startsWith("HTTP/1.1 200"))
    expect((yield* ask).status).toBe(200)
  })

  it("whose answers are gone is gone as well", function* () {
    const { ask, server } = yield* listening
    const scope = yield* Scope.make()
    yield* Scope.extend(server.serve(app), scope)
    expect((yield* ask).status).toBe(200)
    yield* Scope.close(scope, Exit.void)
    // The connection that is kept is answered as before or closed; what it must not hear is that the route is not there.
    const kept = yield* Effect.option(ask)
    expect(kept._tag === "None" || kept.value.status === 200).toBe(true)
  })
})
