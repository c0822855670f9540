import * as net from "node:net"
import * as tls from "node:tls"
import * as Effect from "effect/Effect"

/** For localhost, until 2126. It protects nothing but these tests. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIQnQPcHE7xLzN9W+
0/O8TqHycOuKb4xUhT/DGK07M3ihRANCAASTAqfYD07Q5xCMUQr2jswecCaiyje+
Nb7Em4cRz49NuIET9AzfxuqV9yFqWFPhpQA/8iy0Hgcbxv29jS8yXs0/
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUXBTZJl5ktXInG24tA9fyRsNh3+kwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzA0NTQ1N1oYDzIxMjYxMDMw
MDQ1NDU3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASTAqfYD07Q5xCMUQr2jswecCaiyje+Nb7Em4cRz49NuIET9AzfxuqV
9yFqWFPhpQA/8iy0Hgcbxv29jS8yXs0/o1MwUTAdBgNVHQ4EFgQUizqpBrfw2CpQ
Nwp7q2Fbi2Eq1icwHwYDVR0jBBgwFoAUizqpBrfw2CpQNwp7q2Fbi2Eq1icwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiByXuWM+ICwRZ1sPKv4yiGH
3UmqjG6hcd69QDdPvEQw+wIgHxk6RqtrnalgiSzbCyw/HL0VlDNrm0p71ctaKsNS
OmU=
-----END CERTIFICATE-----`

const listening = (server: net.Server) =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () => Effect.sync(() => server.close())
  )

const joined = (one: net.Socket, other: net.Socket) => {
  for (const [from, to] of [[one, other] as const, [other, one] as const]) {
    from.pipe(to)
    from.on("error", () => to.destroy())
    from.on("close", () => to.destroy())
  }
}

/** A server that takes connections with TLS alone, as hosted databases do, and passes them on to the socket at `path`; answers its port. */
export const tlsInFrontOf = (path: string) =>
  Effect.gen(function* () {
    const inner = yield* listening(tls.createServer({ cert, key }, (socket) => joined(socket, net.connect(path))))
    return yield* listening(
      net.createServer((socket) => {
        // The client's first message asks for TLS, in eight bytes.
        socket.once("data", () => {
          socket.write("S")
          joined(socket, net.connect(inner, "127.0.0.1"))
        })
      })
    )
  })
