import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Cryptographic randomness, as a service that tests can replace. */
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

/** Crockford's base 32, lower case: no two digits look alike. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const timeDigits = 10
const randomDigits = 16

/** One digit of Crockford's base 32 per byte, from the byte's low five bits. All digits are equally likely, because 32 divides 256. */
export const digits = (bytes: Iterable<number>): string => Array.from(bytes, (byte) => alphabet[byte & 31]).join("")

/** 26 digits: 50 bits of the time in milliseconds, then 80 random bits. Later ids sort later. */
export const sortableId: Effect.Effect<string, never, Entropy> = Effect.gen(function* () {
  const entropy = yield* Entropy
  const now = yield* Clock.currentTimeMillis
  const time = Array.from({ length: timeDigits }, (_, index) => Math.floor(now / 32 ** (timeDigits - 1 - index)) % 32)
  return digits(time) + digits(yield* entropy.bytes(randomDigits))
})
