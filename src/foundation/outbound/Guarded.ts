import { createServer, type Socket } from "node:net"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Cidr } from "./Address.ts"
import { Fault, type OutboundError } from "./Outbound.ts"
import * as OutboundLive from "./OutboundLive.ts"

/** Platform adapter: a listener on 127.0.0.1 (`node:net`) that sends every connection the same response, for the self-test. */

/** A port, and the requests that arrived there. */
export interface LoopbackListener {
  readonly port: number
  /** Each connection's first bytes as text, in their order. */
  readonly heard: ReadonlyArray<string>
}

const begin = (answer: string) => {
  const heard: Array<string> = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("data", (bytes) => {
      heard.push(bytes.toString())
      socket.end(answer)
    })
  })
  const close = () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return { server, heard, close }
}

/** Listens on a free port until the scope closes. */
export const listenOnLoopback = (answer: string): Effect.Effect<LoopbackListener, Fault, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(
      Effect.sync(() => begin(answer)),
      ({ close }) => Effect.sync(close)
    ),
    ({ server, heard }) =>
      Effect.async<LoopbackListener, Fault>((resume) => {
        server.once("error", ({ message }) => resume(new Fault({ reason: "connect", message })))
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed({ port: typeof address === "object" ? (address?.port ?? 0) : 0, heard }))
        })
      })
  )

/** Private-network protection does not work on this machine or runtime, so no request may be sent. `message` is one sentence for the administrator. */
export class OutboundUnfit extends Data.TaggedError("OutboundUnfit")<{
  readonly message: string
  /** Whether the machine was too busy to finish the test, without a found fault. */
  readonly late: boolean
}> {}

const unfit = (what: string) =>
  new OutboundUnfit({ late: false, message: `Private-network protection does not work on this machine: ${what}` })

const late = new OutboundUnfit({
  late: true,
  message: "Private-network protection could not be tested in time: this machine is too busy. Try again later."
})

/** A name that never resolves (RFC 6761 §6.4). */
const name = "findable-self-test.invalid"

const loopback: Cidr = { network: [127, 0, 0, 0], prefix: 8 }

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Line: 1\r\nX-Line: 2\r\n\r\nproof"

/** The time for the self-test: generous, because a machine that starts many programs is slow. */
const patience = "10 seconds"
const retries = 2

const ask = (port: number, allowed: ReadonlyArray<Cidr>, deadline: Duration.DurationInput) =>
  OutboundLive.make({
    resolver: { addresses: () => Effect.succeed(["127.0.0.1"]) },
    allowed,
    authorities: []
  }).exchange({
    url: new URL(`http://${name}:${port}/self-test`),
    method: "GET",
    deadline,
    keepBytes: 16,
    maxBytes: 16,
    decode: false
  })

const isDirect = (heard: string, port: number) =>
  heard.startsWith("GET /self-test HTTP/1.1\r\n") && heard.includes(`\r\nHost: ${name}:${port}\r\n`)

const unanswered = (error: OutboundError) =>
  error.reason === "timeout" ? late : unfit(`a checked IP address could not be reached (${error.message})`)

const unheard = ({ message }: Fault) => unfit(`cannot listen on 127.0.0.1 (${message})`)

type Listen = typeof listen
const listen = listenOnLoopback(answer)

/** One test with a listener; a time-out is reported as such, and retried. */
export const prove = (listen: Listen, deadline: Duration.DurationInput): Effect.Effect<void, OutboundUnfit> =>
  Effect.gen(function* () {
    const { port, heard } = yield* Effect.mapError(listen, unheard)

    const reached = yield* Effect.mapError(ask(port, [loopback], deadline), unanswered)
    const [request = ""] = heard
    if (!isDirect(request, port)) return yield* unfit("the checked IP address did not get the request unchanged")
    if (reached.remoteAddress !== "127.0.0.1" || new TextDecoder().decode(reached.body) !== "proof") {
      return yield* unfit("the response did not come from the checked IP address")
    }

    const refused = yield* Effect.flip(ask(port, [], deadline)).pipe(
      Effect.mapError(() => unfit("a request reached a private address"))
    )
    if (refused.reason === "timeout") return yield* late
    if (refused.reason !== "blocked_address" || heard.length !== 1)
      return yield* unfit("it connected to a private address")
  }).pipe(Effect.scoped, Effect.retry({ times: retries, while: ({ late }) => late }))

/**
 * Proves, over a real socket and without a network, that an exchange goes to the checked address and to no other. A name that never resolves gets a loopback
 * address: the request must arrive there directly, past any proxy of the environment. Without permission the request must be refused and never arrive.
 */
export const selfTest: Effect.Effect<void, OutboundUnfit> = prove(listen, patience).pipe(
  Effect.withSpan("Outbound.selfTest")
)

/** The guarded client after its self-test on this machine. A program that fails the test must not start. */
export const layer = OutboundLive.layer.pipe(Layer.tap(() => selfTest))

/** The guarded client of a command with a typed URL: only the URL's host and port may be private. */
export const layerFor = (typed: URL) => OutboundLive.layerFor(typed).pipe(Layer.tap(() => selfTest))
