import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** One request as the server saw it, in milliseconds of its clock. */
export interface Seen {
  readonly path: string
  readonly cookie: string
  readonly arrived: number
  /** Concurrent requests when it arrived, including itself. */
  readonly inFlight: number
}

export type Handler = (request: IncomingMessage, response: ServerResponse, asked: number) => void

export interface TestServer {
  readonly origin: string
  readonly seen: ReadonlyArray<Seen>
}

const close = (server: ReturnType<typeof createServer>) =>
  Effect.async<void>((resume) => {
    server.closeAllConnections()
    server.close(() => resume(Effect.void))
  })

/** A server on 127.0.0.1 that records every request; it ends with its scope. */
export const serve = (handler: (origin: string) => Handler) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const asked = new Map<string, number>()
    let inFlight = 0
    let handle: Handler = (_, response) => response.end()
    const server = createServer((request, response) => {
      const path = request.url ?? "/"
      inFlight += 1
      let over = false
      const end = () => {
        if (!over) inFlight -= 1
        over = true
      }
      // The response ends when it is handed to the network, or when its connection breaks.
      response.on("finish", end)
      response.on("close", end)
      seen.push({ path, cookie: request.headers.cookie ?? "", arrived: performance.now(), inFlight })
      const count = asked.get(path) ?? 0
      asked.set(path, count + 1)
      handle(request, response, count)
    })
    const port = yield* Effect.acquireRelease(
      Effect.async<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed(isBound(address) ? address.port : 0))
        })
      }),
      () => close(server)
    )
    const origin = `http://127.0.0.1:${port}`
    handle = handler(origin)
    const site: TestServer = { origin, seen }
    return site
  })

const isBound = (address: AddressInfo | string | null): address is AddressInfo =>
  address !== null && typeof address !== "string"
