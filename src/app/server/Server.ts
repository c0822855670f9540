import { readFile } from "node:fs/promises"
import { isIPv4 } from "node:net"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
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
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Authorize from "../../features/accounts/Authorize.ts"
import { Connections, PublicBase } from "../../foundation/http/Request.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import * as ApiRoutes from "./ApiRoutes.ts"
import * as ErrorEnvelope from "./ErrorEnvelope.ts"
import { Host, Port, ReusePort } from "./Settings.ts"

/** Platform adapter: the bytes of responses in the kernel's send queue of a connection, from Linux's tables of sockets. */

const tables = ["/proc/net/tcp", "/proc/net/tcp6"]

const hex = (bytes: ReadonlyArray<number>) =>
  bytes
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase()

/** The bytes of an IPv6 address. `URL` normalises its text. */
const bytesOf = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const [before, after] = [groups(head), groups(tail ?? "")]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0")
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}

/** An address in the form of the tables: words of four bytes, each in reverse order. */
const words = (bytes: ReadonlyArray<number>) =>
  Array.from({ length: bytes.length / 4 }, (_, at) => hex(bytes.slice(4 * at, 4 * at + 4).toReversed())).join("")

/** The far end of a connection in the form of the tables: of IPv4, and of IPv6. */
export const farEnds = (address: string, port: number): ReadonlyArray<string> => {
  const suffix = `:${hex([port >> 8, port & 255])}`
  if (!isIPv4(address)) return [` ${words(bytesOf(address))}${suffix} `]
  return [` ${words(address.split(".").map(Number))}${suffix} `, ` ${words(bytesOf(`::ffff:${address}`))}${suffix} `]
}

/** The bytes that are not yet sent or acknowledged on the connection with this far end, from the text of a table. */
export const queued = (table: string, farEnd: string): number | undefined => {
  // State and queue follow the far end, which is also the near end of another row if both ends are on this machine.
  const queue = new RegExp(`${farEnd}[0-9A-F]{2} ([0-9A-F]{8}):`).exec(table)?.[1]
  return queue === undefined ? undefined : Number.parseInt(queue, 16)
}

/** The bytes in the send queue of the connection to an address and port; 0 on systems without such tables. */
export const backlog = ({
  address,
  port
}: {
  readonly address: string
  readonly port: number
}): Effect.Effect<number> =>
  Effect.forEach(tables, (file) => Effect.promise(() => readFile(file, "latin1").catch(() => ""))).pipe(
    Effect.map(
      (texts) =>
        texts
          .flatMap((text) => farEnds(address, port).map((farEnd) => queued(text, farEnd)))
          .find((bytes) => bytes !== undefined) ?? 0
    )
  )

/**
 * Platform adapter: Bun's HTTP server with the platform's handler of web requests. The platform's server would hide Bun's, but the API needs the connections:
 * their idle time, the part of a response that the reader has taken, and the number of unsent responses. Handlers have their services already, so the context
 * of a request holds only the request.
 */

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
          message: `Cannot listen on ${hostname}:${port}. Another program may use the port: stop it, or set FINDABLE_PORT to a free one (${cause})`
        })
    })
)

/** Seconds after which an idle connection is closed. */
const idleSeconds = 120

/** Seconds until the connection of an aborted response is closed: the end of the stream does not close it while the reader takes nothing. */
const brokenSeconds = 1

/** The response, with its stream sent without a time-out: the stream's maker bounds the wait for a slow reader. */
const unhurried = (server: Bun.Server<undefined>, app: HttpApp.Default<unknown>) =>
  Effect.flatMap(app, (response) => {
    const { body } = response
    if (body._tag !== "Stream") return Effect.succeed(response)
    return Effect.map(HttpServerRequest.HttpServerRequest, ({ method, source }) => {
      if (!(source instanceof Request)) return response
      if (method === "HEAD") return HttpServerResponse.setBody(response, HttpBody.empty)
      server.timeout(source, 0)
      const stream = Stream.ensuringWith(body.stream, (exit) =>
        Effect.sync(() => server.timeout(source, Exit.isSuccess(exit) ? idleSeconds : brokenSeconds))
      )
      return HttpServerResponse.setBody(response, HttpBody.stream(stream, body.contentType, body.contentLength))
    })
  })

const serveRequests = ({ begin, server }: Effect.Effect.Success<typeof listen>) =>
  Effect.fnUntraced(function* (app: HttpApp.Default<unknown>, middleware?: HttpMiddleware.HttpMiddleware) {
    const runtime = yield* Effect.runtime<never>()
    const fetch = HttpApp.toWebHandlerRuntime({ ...runtime, context: Context.empty() })(
      unhurried(server, app),
      middleware
    )
    // Requests on kept connections still arrive during shutdown; the envelope responds with 503.
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
      return Context.make(HttpServer.HttpServer, HttpServer.make({ address, serve: serveRequests(listening) })).pipe(
        Context.add(Connections, connections)
      )
    }
  )
).pipe(Layer.merge(BunHttpServer.layerContext))

const isLoopback = (host: string) => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host)

/** Without a public URL, links have the `Host` of each request, which is safe only on the loopback. */
const warned = Layer.effectDiscard(
  Effect.flatMap(Effect.all({ base: PublicBase, host: Host }), ({ base, host }) =>
    Effect.when(
      Effect.logWarning(
        `The server listens on ${host} without FINDABLE_PUBLIC_URL. Links in responses use the Host header of each request, which a client can forge. Set FINDABLE_PUBLIC_URL`
      ),
      () => Option.isNone(base) && !isLoopback(host)
    )
  )
)

const serving = Layer.unwrapEffect(Effect.map(ErrorEnvelope.make, (app) => HttpServer.serve(app))).pipe(
  Layer.provide([HttpApiBuilder.Router.Live, Entropy.layer])
)

/** Serves the API and further routes on `FINDABLE_HOST:FINDABLE_PORT`; requests in flight finish before its scope ends. */
export const layerWith = <E, R>(routes: Layer.Layer<never, E, R>) =>
  ErrorEnvelope.closeFirst.pipe(
    Layer.provideMerge(serving),
    Layer.provide(warned),
    Layer.provide([ApiRoutes.layer, routes]),
    Layer.provide([Authorize.layer, Entropy.layer]),
    Layer.provide(ApiRoutes.shared),
    Layer.provideMerge(layer)
  )
