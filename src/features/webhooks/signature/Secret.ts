import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Entropy } from "../../../foundation/secrets/Entropy.ts"

const prefix = "whsec_"
const length = 32

/** A signing secret: `whsec_` and the standard base64 of 32 random bytes, which every Standard Webhooks library accepts. */
export const Secret = Schema.String.pipe(
  Schema.pattern(/^whsec_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/),
  Schema.annotations({
    description: "Signing secret of an endpoint, shown once: after creation or rotation.",
    examples: ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]
  }),
  Schema.brand("webhooks/Secret")
)
export type Secret = typeof Secret.Type

/** Generates a new secret. */
export const generate: Effect.Effect<Redacted.Redacted<Secret>, never, Entropy> = Effect.gen(function* () {
  const entropy = yield* Entropy
  const bytes = yield* entropy.bytes(length)
  return Redacted.make(Secret.make(prefix + Encoding.encodeBase64(bytes)))
})

/** The 32 bytes of a secret: the key of the Standard Webhooks signature. */
export const keyBytes = (secret: Secret): Uint8Array =>
  Either.getOrThrow(Encoding.decodeBase64(secret.slice(prefix.length)))
