import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Cryptographic randomness, behind a port so that tests can fix it. */
export class Entropy extends Context.Tag("secrets/Entropy")<
  Entropy,
  {
    /** Draws `n` random bytes. */
    readonly bytes: (n: number) => Effect.Effect<Uint8Array>
  }
>() {}

/** Randomness from the Web Crypto API. */
export const layer = Layer.succeed(Entropy, {
  bytes: (n) => Effect.sync(() => crypto.getRandomValues(new Uint8Array(n)))
})
