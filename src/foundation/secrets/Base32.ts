import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Entropy } from "./Entropy.ts"

/** Crockford's base 32, lower case: no letter that is read as another. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const timeDigits = 10
const randomDigits = 16

/** One digit of Crockford's base 32 a byte, from its low five bits: a power of two divides 256, so no digit is likelier than another. */
export const digits = (bytes: Iterable<number>): string => Array.from(bytes, (byte) => alphabet[byte & 31]).join("")

/** 26 digits: 50 bits of the time in milliseconds, then 80 random bits, so that ids made later sort later. */
export const sortableId: Effect.Effect<string, never, Entropy> = Effect.gen(function* () {
  const entropy = yield* Entropy
  const now = yield* Clock.currentTimeMillis
  const time = Array.from({ length: timeDigits }, (_, index) => Math.floor(now / 32 ** (timeDigits - 1 - index)) % 32)
  return digits(time) + digits(yield* entropy.bytes(randomDigits))
})
