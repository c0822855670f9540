/**
 * Platform adapter: the system's name service through `Bun.dns`.
 *
 * It names the c-ares backend, which reads the hosts file and the search domains as well, but waits on the event loop; the default of `node:dns` blocks
 * the worker threads, of which there are as many as cores, and which `node:zlib` needs too. Measured with a silent name server on two cores: two such
 * look-ups delayed all others and every decompression by 10 to 30 s, with c-ares neither was delayed.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The name has no address, or the look-up failed; `message` is one sentence. */
export class ResolveFailed extends Data.TaggedError("ResolveFailed")<{ readonly message: string }> {}

/** Looks names up; a port, so that tests can change the answers between look-ups. */
export class Resolver extends Context.Tag("outbound/Resolver")<
  Resolver,
  {
    /** All addresses (A and AAAA) of a name, in the order of preference. */
    readonly addresses: (name: string) => Effect.Effect<ReadonlyArray<string>, ResolveFailed>
  }
>() {}

/** The resolver of this machine. */
export const layer = Layer.succeed(Resolver, {
  addresses: (name) =>
    Effect.tryPromise({
      try: () => Bun.dns.lookup(name, { backend: "c-ares" }),
      catch: () => new ResolveFailed({ message: `No address was found for ${name}` })
    }).pipe(Effect.map((answers) => answers.map((answer) => answer.address)))
})
