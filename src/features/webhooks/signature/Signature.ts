/**
 * Signing and verifying of deliveries, exported to endpoints as `findable/webhooks`. It uses only web standards (`crypto.subtle`, `TextEncoder`) and imports
 * no runtime and no library, so an endpoint can run it on Bun, Node, Deno, browsers and edge workers. Only this file chains promises, because `crypto.subtle`
 * returns them.
 */
import { format, type HeaderRefusal, parse } from "./SignatureHeader.ts"

/** The replay window in seconds, in both directions. */
export const defaultTolerance = 300

/** A request body: its exact bytes, or the exact text if it was read as UTF-8 and never parsed. */
export type Body = string | Uint8Array

/** The data to sign, and the secrets: up to three during a rotation. */
export interface SignOptions {
  readonly body: Body
  readonly secrets: ReadonlyArray<string>
  /** Unix seconds of this attempt. */
  readonly timestamp: number
}

/** The data that an endpoint has when a delivery arrives. */
export interface VerifyOptions {
  readonly body: Body
  /** The value of the `Service-Signature` header. */
  readonly header: string | null | undefined
  /** The current time in unix seconds: `Date.now() / 1000`. */
  readonly now: number
  /** The subscription's secret, or all currently valid ones. */
  readonly secret: string | ReadonlyArray<string>
  /** Maximum seconds between the timestamp and `now`, before or after; 300 by default. */
  readonly tolerance?: number
}

/** Why a delivery is refused. */
export type Refusal = HeaderRefusal | "timestamp_too_old" | "timestamp_too_new" | "signature_mismatch"

/** The result of `verify`: genuine, with the time of the attempt in unix seconds, or refused for a named reason. */
export type Verdict =
  | { readonly valid: true; readonly timestamp: number }
  | { readonly valid: false; readonly reason: Refusal }

const utf8 = new TextEncoder()
const hmacSha256 = { name: "HMAC", hash: "SHA-256" }

/** The HMAC-SHA256 (RFC 2104) of `prefix` followed by `body`; rejects when the key is empty. */
export const authenticate = (key: Uint8Array<ArrayBuffer>, prefix: string, body: Body): Promise<Uint8Array> => {
  const head = utf8.encode(prefix)
  const tail = typeof body === "string" ? utf8.encode(body) : body
  const text = new Uint8Array(head.length + tail.length)
  text.set(head)
  text.set(tail, head.length)
  return crypto.subtle
    .importKey("raw", key, hmacSha256, false, ["sign"])
    .then((imported) => crypto.subtle.sign("HMAC", imported, text))
    .then((code) => new Uint8Array(code))
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const signature = (secret: string, timestamp: number | string, body: Body): Promise<string> =>
  authenticate(utf8.encode(secret), `${timestamp}.`, body).then(hexOf)

const refused = (reason: Refusal): Verdict => ({ valid: false, reason })

/** Compares 64 digits in constant time, so that a forger learns nothing from the duration. */
const equalInConstantTime = (left: string, right: string): boolean => {
  let difference = 0
  for (let index = 0; index < left.length; index++) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}

const agree = (expected: ReadonlyArray<string>, received: ReadonlyArray<string>): boolean =>
  expected.flatMap((ours) => received.map((theirs) => equalInConstantTime(ours, theirs))).some((equal) => equal)

/** The value of `Service-Signature`: `t` and one lowercase hex `v1` per secret over `<t>.<body>`, keyed with the secret's UTF-8 bytes. */
export const sign = ({ body, secrets, timestamp }: SignOptions): Promise<string> =>
  Promise.all(secrets.map((secret) => signature(secret, timestamp, body))).then((signatures) =>
    format(timestamp, signatures)
  )

/** Verifies a delivery like an endpoint should; the promise never rejects. */
export const verify = (options: VerifyOptions): Promise<Verdict> => {
  const header = parse(options.header)
  if (typeof header === "string") return Promise.resolve(refused(header))
  const { tolerance = defaultTolerance } = options
  const age = Math.floor(options.now) - Number(header.timestamp)
  // The negation refuses NaN on either side.
  if (!(age <= tolerance)) return Promise.resolve(refused("timestamp_too_old"))
  if (!(-age <= tolerance)) return Promise.resolve(refused("timestamp_too_new"))
  const secrets = [options.secret].flat().filter((secret) => secret !== "")
  return Promise.all(secrets.map((secret) => signature(secret, header.timestamp, options.body))).then((expected) =>
    agree(expected, header.signatures)
      ? { valid: true, timestamp: Number(header.timestamp) }
      : refused("signature_mismatch")
  )
}
