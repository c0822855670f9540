/**
 * Platform adapter: Bun's HTTP server with the platform's handler of web requests. The platform's own server hides Bun's, whose connections the API
 * needs: how long they may idle, how much of an answer their reader has taken, and how many answers are not sent yet. Handlers have their services
 * already, so the context of a request holds only the request.
 */
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Connections } from "../../foundation/http/ServerContext.ts"
import { Host, Port, ReusePort } from "./Settings.ts"
import { backlog } from "./SocketBacklog.ts"

/** The server cannot listen on the configured address. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly message: string }> {}

type Fetch = (source: Request) => Promise<Response>

/** A listening server. Requests wait until `begin` gives it a handler. */
const listen = Effect.flatMap(
  Effect.all({ hostname: Host, port: Port, reusePort: ReusePort }),
  ({ hostname, port, reusePort }) =>
    Effect.try({
      try: () => {
        const { promise: ready, resolve: begin } = Promise.withResolvers<Fetch>()
        const server = Bun.serve({
          fetch: (source) => ready.then((fetch) => fetch(source)),
          hostname,
          idleTimeout: idleSeconds,
          // The contract bounds bodies.
          maxRequestBodySize: Number.MAX_SAFE_INTEGER,
          port,
          reusePort
        })
        return {
          begin: (fetch: Fetch) => {
            server.reload({ fetch })
            begin(fetch)
          },
          server
        }
      },
      catch: (cause) =>
        new ListenFailed({
          message: `Cannot listen on ${hostname}:${port}; another program may have the port: set FINDABLE_PORT (${cause})`
        })
    })
)

/** Seconds after which an idle connection is closed. */
const idleSeconds = 120

/** Seconds after which a connection is closed whose answer broke off: the end of the stream does not close it while the reader takes nothing. */
const brokenSeconds = 1

/** The response with a stream that is sent without a time-out: its maker bounds the wait for a slow reader. */
const unhurried = (server: Bun.Server<undefined>, app: HttpApp.Default<unknown>) =>
  Effect.map(Effect.zip(HttpServerRequest.HttpServerRequest, app), ([{ method, source }, response]) => {
    const { body } = response
    if (body._tag !== "Stream" || !(source instanceof Request)) return response
    if (method === "HEAD") return HttpServerResponse.setBody(response, HttpBody.empty)
    server.timeout(source, 0)
    const stream = Stream.ensuringWith(body.stream, (exit) =>
      Effect.sync(() => server.timeout(source, Exit.isSuccess(exit) ? idleSeconds : brokenSeconds))
    )
    return HttpServerResponse.setBody(response, HttpBody.stream(stream, body.contentType, body.contentLength))
  })

const serving = ({ begin, server }: Effect.Effect.Success<typeof listen>) =>
  Effect.fnUntraced(function* (app: HttpApp.Default<unknown>, middleware?: HttpMiddleware.HttpMiddleware) {
    const runtime = yield* Effect.runtime<never>()
    const fetch = HttpApp.toWebHandlerRuntime({ ...runtime, context: Context.empty() })(
      unhurried(server, app),
      middleware
    )
    // Requests on kept connections still arrive during shutdown: the envelope answers them with 503.
    yield* Effect.acquireRelease(
      Effect.sync(() => begin(fetch)),
      () => Effect.promise(() => server.stop(true))
    )
  })

/** Listens on `FINDABLE_HOST:FINDABLE_PORT`. */
export const layer = Layer.scopedContext(
  Effect.map(
    Effect.acquireRelease(listen, ({ server }) => Effect.sync(() => void server.stop())),
    (listening) => {
      const { server } = listening
      const address = { _tag: "TcpAddress", hostname: server.hostname ?? "", port: server.port ?? 0 } as const
      const endOf = (source: unknown) => (source instanceof Request ? server.requestIP(source) : null)
      const backlogOf = (source: unknown) => {
        const end = endOf(source)
        return end === null ? Effect.succeed(0) : backlog(end)
      }
      const connections = {
        addressOf: (source: unknown) => endOf(source)?.address,
        backlogOf,
        pending: () => server.pendingRequests
      }
      return Context.make(HttpServer.HttpServer, HttpServer.make({ address, serve: serving(listening) })).pipe(
        Context.add(Connections, connections)
      )
    }
  )
).pipe(Layer.merge(BunHttpServer.layerContext))
