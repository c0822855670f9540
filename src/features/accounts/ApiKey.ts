import type * as Headers from "@effect/platform/Headers"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import { sha256 } from "../../foundation/http/Digest.ts"
import { Entropy } from "../../foundation/secrets/Entropy.ts"

/** Live keys are for production, test keys for everything else; both work alike. */
export type Mode = "live" | "test"

const keyPattern = /^fnd_(?:live|test)_[A-Za-z0-9_-]{32}$/

/** Whether the text has the form of a key at all; what has not is refused without a look-up. */
const isWellFormed = (key: string): boolean => keyPattern.test(key)

/** A new key: the prefix of its mode and 24 random bytes in base64url. */
export const generate = (mode: Mode) =>
  Effect.gen(function* () {
    const entropy = yield* Entropy
    return `fnd_${mode}_${Encoding.encodeBase64Url(yield* entropy.bytes(24))}`
  })

/** SHA-256 of a key, all that is stored of it; 192 random bits need no slower hash. */
export const hash = (key: string): Buffer => sha256(key)

/** How a stored key is shown: its prefix and last four characters. */
export const display = (key: string): string => `${key.slice(0, 9)}…${key.slice(-4)}`

/** The credentials of a request. */
type Credentials =
  | { readonly _tag: "None" }
  | { readonly _tag: "Unusable"; readonly reason: string }
  | { readonly _tag: "Key"; readonly key: string }

const bearer = /^bearer +(\S+) *$/i

/**
 * Reads the key from `Authorization: Bearer` or `X-API-Key`. Another scheme is no key (RFC 6750 §3.1 treats it as a request without
 * credentials); two different keys are refused, because it is unclear which one was meant.
 */
export const credentials = (headers: Headers.Headers): Credentials => {
  const fromBearer = bearer.exec(headers.authorization ?? "")?.[1]
  const fromHeader = headers["x-api-key"]?.trim() || undefined
  const key = fromBearer ?? fromHeader
  if (key === undefined) return { _tag: "None" }
  if (fromBearer !== undefined && fromHeader !== undefined && fromBearer !== fromHeader) {
    return { _tag: "Unusable", reason: "Authorization and X-API-Key carry different keys" }
  }
  return isWellFormed(key) ? { _tag: "Key", key } : { _tag: "Unusable", reason: "The key is malformed" }
}
