/**
 * Platform adapter: the system's name service through `Bun.dns`.
 *
 * It names the c-ares backend, which reads the hosts file and the search domains as well, but waits on the event loop; the default of `node:dns` blocks
 * the worker threads, of which there are as many as cores, and which `node:zlib` needs too. Measured with a silent name server on two cores: two such
 * look-ups delayed all others and every decompression by 10 to 30 s, with c-ares neither was delayed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ResolveFailed, Resolver } from "./Resolver.ts"

/** The resolver of this machine. */
export const layer = Layer.succeed(Resolver, {
  addresses: (name) =>
    Effect.tryPromise({
      try: () => Bun.dns.lookup(name, { backend: "c-ares" }),
      catch: () => new ResolveFailed({ message: `No address was found for ${name}` })
    }).pipe(Effect.map((answers) => answers.map((answer) => answer.address)))
})
