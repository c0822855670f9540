import * as Effect from "effect/Effect"
import { Location } from "../../../src/foundation/database/Location.ts"

/** The message that names process and secret of a session (PostgreSQL manual, "Message Formats"): its type and its length. */
const keyData = Buffer.from([0x4b, 0, 0, 0, 12])

/** What a pooler does to a handshake: the session that it names is one of its own, and no server knows it. */
const renamed = (bytes: Buffer) => {
  const at = bytes.indexOf(keyData)
  if (at !== -1) bytes.writeInt32BE(bytes.readInt32BE(at + keyData.length) + 1_000_000, at + keyData.length)
  return bytes
}

/** The place at hand, reached through a proxy that names its sessions as a connection pooler does. */
export const pooled = Effect.gen(function* () {
  const place = yield* Location
  const { host = "localhost", port = 5432 } = place.connection
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.listen<{ upstream: ReturnType<typeof Bun.connect> }>({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          close: (client) => void client.data.upstream.then((upstream) => upstream.end()),
          data: (client, bytes) => {
            const sent = Buffer.from(bytes)
            void client.data.upstream.then((upstream) => upstream.write(sent))
          },
          open: (client) => {
            const socket = {
              close: () => void client.end(),
              data: (_: unknown, bytes: Buffer) => void client.write(renamed(Buffer.from(bytes)))
            }
            client.data = {
              upstream: host.startsWith("/")
                ? Bun.connect({ socket, unix: `${host}/.s.PGSQL.${port}` })
                : Bun.connect({ hostname: host, port, socket })
            }
          }
        }
      })
    ),
    (server) => Effect.sync(() => server.stop(true))
  )
  return { ...place, connection: { ...place.connection, host: "127.0.0.1", port: server.port } }
})
