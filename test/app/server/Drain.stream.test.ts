import { expect } from "bun:test"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Drain } from "../../../src/app/server/Drain.ts"
import { effect } from "../../harness.ts"

effect("the gate closes when an answer that is a stream is sent to its end", () =>
  Effect.gen(function* () {
    const drain = yield* Drain
    const told = yield* Deferred.make<string>()
    const text = Stream.concat(Stream.make("first "), Stream.fromEffect(Deferred.await(told)))
    const app = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
      drain.enter(request)
      drain.leave()
      return HttpServerResponse.stream(Stream.encodeText(text))
    })
    yield* HttpServer.serveEffect(app)
    const { address } = yield* HttpServer.HttpServer
    const port = address._tag === "TcpAddress" ? address.port : 0
    const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`))
    const closing = yield* Effect.fork(drain.close)
    yield* Effect.sleep("200 millis")
    expect(Option.isNone(yield* Fiber.poll(closing))).toBe(true)
    yield* Deferred.succeed(told, "last")
    expect(yield* Effect.promise(() => answer.text())).toBe("first last")
    yield* Fiber.join(closing)
  }).pipe(Effect.provide([Drain.Default, BunHttpServer.layer({ port: 0 })]))
)
