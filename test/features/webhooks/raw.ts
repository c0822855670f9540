import { createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"

/** A receiver that speaks bytes: it gets the request's socket once the head has come, and counts how many connections it had. */
export const rawReceiver = (respond: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.async<{ readonly close: () => void; readonly connections: () => number; readonly url: string }>((resume) => {
      let connections = 0
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        connections++
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
        socket.once("data", () => respond(socket))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ close, connections: () => connections, url: `http://127.0.0.1:${port}/` }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
