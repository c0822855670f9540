import type * as Headers from "@effect/platform/Headers"
import { isWellFormed } from "./ApiKey.ts"

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
