/** Platform adapter: a listener on 127.0.0.1 (`node:net`) that gives every connection the same answer, for the self-test. */
import { createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Fault } from "../Outbound.ts"

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
export const listen = (answer: string): Effect.Effect<LoopbackListener, Fault, Scope.Scope> =>
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
