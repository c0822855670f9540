import { createServer, type Server, type Socket } from "node:net"
import * as Effect from "effect/Effect"

/** A server on the level of bytes: the test decides about its responses. */
export interface RawServer {
  readonly port: number
  readonly url: string
  /** All bytes of each connection, in order of arrival. */
  readonly requests: ReadonlyArray<Buffer>
  /** Connections that are open now. */
  readonly open: () => number
  readonly accepted: () => number
}

/** Tracks the connections of a server, so that a test can count them and the server's end closes them. */
export const track = <S extends Server>(server: S, sockets: Set<Socket>) => {
  let accepted = 0
  server.on("connection", (socket: Socket) => {
    accepted++
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
  })
  return () => accepted
}

/** Listens on a free port of 127.0.0.1 until the scope ends. */
export const listening = (server: Server, sockets: Set<Socket>) =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  )

const headIsThere = (bytes: Buffer) => bytes.includes("\r\n\r\n")

/** Answers each connection by writing to its socket, once its request headers (or other awaited bytes) have arrived. */
export const serve = (respond: (socket: Socket, request: string) => void, when = headIsThere) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const requests: Array<Buffer> = []
    const server = createServer((socket) => {
      const index = requests.push(Buffer.alloc(0)) - 1
      let answered = false
      socket.on("data", (bytes: Buffer) => {
        const all = Buffer.concat([requests[index] ?? Buffer.alloc(0), bytes])
        requests[index] = all
        if (answered || !when(all)) return
        answered = true
        respond(socket, all.toString("latin1"))
      })
    })
    const accepted = track(server, sockets)
    const port = yield* listening(server, sockets)
    const raw: RawServer = {
      port,
      url: `http://127.0.0.1:${port}/`,
      requests,
      open: () => sockets.size,
      accepted
    }
    return raw
  })

/** Sends these bytes and ends the connection as given. */
export const serveBytes = (answer: string | Uint8Array, then: "end" | "reset" | "stay" = "stay") =>
  serve((socket) => {
    socket.write(typeof answer === "string" ? Buffer.from(answer, "latin1") : answer, () => {
      if (then === "end") socket.end()
      // The bytes must be sent before the reset.
      if (then === "reset") setTimeout(() => socket.resetAndDestroy(), 20)
    })
  })
