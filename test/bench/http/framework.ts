// The framework alone: an HttpApi with one endpoint per path, without our code, without a tracer.
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { respond } from "./plain.mjs"

const ofPath = <const Name extends string>(name: Name, path: `/${string}`) =>
  HttpApiEndpoint.get(name, path).addSuccess(Schema.Unknown)

const api = HttpApi.make("bench").add(
  HttpApiGroup.make("all")
    .add(ofPath("keywords", "/api/v1/keywords"))
    .add(ofPath("projects", "/api/v1/projects"))
    .add(ofPath("run", "/api/v1/runs/:id"))
    .add(ofPath("audit", "/api/v1/audits/:id"))
)

const answer = Effect.gen(function* () {
  const { headers, url } = yield* HttpServerRequest.HttpServerRequest
  const [status, body] = yield* Effect.promise(() => respond(url, headers["x-api-key"] ?? ""))
  return HttpServerResponse.text(body, { contentType: "application/json", status })
})

const group = HttpApiBuilder.group(api, "all", (handlers) =>
  handlers
    .handle("keywords", () => answer)
    .handle("projects", () => answer)
    .handle("run", () => answer)
    .handle("audit", () => answer)
)

const told = Layer.effectDiscard(
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Console.log(`answers on http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : ""} (framework)`)
  )
)

told.pipe(
  Layer.provide(HttpApiBuilder.serve()),
  Layer.provide(HttpApiBuilder.api(api).pipe(Layer.provide(group))),
  Layer.provide(BunHttpServer.layer({ hostname: "127.0.0.1", port: 0 })),
  // The platform's span of a request costs half of what the platform does for it, also where no tracer is enabled.
  Layer.provide([
    Layer.setTracerEnabled(false),
    Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, () => true)
  ]),
  Layer.launch,
  BunRuntime.runMain
)
