/**
 * Platform adapter: Bun's HTTP server, one fiber per request. The platform's server gives each request a copy of the context with every service of the
 * process, which costs more than some answers. Handlers have their services already, so here the context of a request holds only the request.
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Backlog } from "../../foundation/http/Backlog.ts"
import { PendingResponses } from "./PendingResponses.ts"
import * as RequestSpan from "./RequestSpan.ts"
import { setContext } from "./SetContext.ts"
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

/** Closes the scope of a request: at once, or when a streamed answer has ended. A stream has no time-out here; its maker bounds the wait for a slow reader. */
const closing = (
  scope: Scope.CloseableScope,
  request: HttpServerRequest.HttpServerRequest,
  answer: HttpServerResponse.HttpServerResponse,
  wait: (seconds: number) => void
) => {
  const { body } = answer
  const close = Scope.close(scope, Exit.void)
  if (body._tag !== "Stream" || request.method === "HEAD") return Effect.as(close, answer)
  wait(0)
  const stream = Stream.ensuringWith(body.stream, (exit) =>
    Effect.zipRight(
      close,
      Effect.sync(() => wait(Exit.isSuccess(exit) ? idleSeconds : brokenSeconds))
    )
  )
  return Effect.succeed(
    HttpServerResponse.setBody(answer, HttpBody.stream(stream, body.contentType, body.contentLength))
  )
}

/** The app's answer to a request. The envelope answers failures; failures outside of it get the platform's answer. */
const answered = (
  app: HttpApp.Default<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  wait: (seconds: number) => void
) =>
  Effect.flatMap(Scope.make(), (scope) =>
    setContext(
      Context.make(HttpServerRequest.HttpServerRequest, request).pipe(Context.add(Scope.Scope, scope)),
      Effect.matchCauseEffect(app, {
        onFailure: (cause) =>
          Effect.flatMap(HttpServerError.causeResponse(cause), ([answer]) => closing(scope, request, answer, wait)),
        onSuccess: (answer) => closing(scope, request, answer, wait)
      })
    )
  )

const serving = ({ begin, server }: Effect.Effect.Success<typeof listen>) =>
  Effect.fnUntraced(function* (bare: HttpApp.Default<unknown>, middleware?: HttpMiddleware.HttpMiddleware) {
    const runtime = yield* Effect.runtime<never>()
    // The context starts empty, and only the handler is interruptible.
    const uninterrupted = {
      ...runtime,
      context: Context.empty(),
      runtimeFlags: RuntimeFlags.disable(runtime.runtimeFlags, RuntimeFlags.Interruption)
    }
    const fibers = yield* FiberSet.make<void>()
    const app = RequestSpan.spanned(middleware === undefined ? bare : middleware(bare))
    const fetch: Fetch = (source) => {
      const { promise, resolve } = Promise.withResolvers<Response>()
      const remoteAddress = server.requestIP(source)?.address ?? ""
      const request = HttpServerRequest.fromWeb(source).modify({ remoteAddress })
      const wait = (seconds: number) => server.timeout(source, seconds)
      const options = { runtime, withoutBody: source.method === "HEAD" }
      const fiber = Runtime.runFork(
        uninterrupted,
        Effect.map(answered(app, request, wait), (answer) => resolve(HttpServerResponse.toWeb(answer, options)))
      )
      FiberSet.unsafeAdd(fibers, fiber)
      const leave = () => fiber.unsafeInterruptAsFork(HttpServerError.clientAbortFiberId)
      source.signal.addEventListener("abort", leave, { once: true })
      return promise
    }
    // Requests on kept connections still arrive during shutdown: the envelope answers them with 503.
    yield* Effect.acquireRelease(
      Effect.sync(() => begin(fetch)),
      () => Effect.sync(() => void server.stop())
    )
  })

/** Listens on `FINDABLE_HOST:FINDABLE_PORT`. */
export const layer = Layer.scopedContext(
  Effect.map(
    Effect.acquireRelease(listen, ({ server }) => Effect.sync(() => void server.stop())),
    (listening) => {
      const { server } = listening
      const address = { _tag: "TcpAddress", hostname: server.hostname ?? "", port: server.port ?? 0 } as const
      const of = (source: unknown) => {
        const from = source instanceof Request ? server.requestIP(source) : null
        return from === null ? Effect.succeed(0) : backlog(from)
      }
      return Context.make(HttpServer.HttpServer, HttpServer.make({ address, serve: serving(listening) })).pipe(
        Context.add(Backlog, { of }),
        Context.add(PendingResponses, { count: () => server.pendingRequests })
      )
    }
  )
).pipe(Layer.merge(BunHttpServer.layerContext))
