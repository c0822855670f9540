import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** Reply codes of refused requests (RFC 1928 §6). */
export const refusals = {
  failed: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  connectionRefused: 5,
  commandNotSupported: 7,
  addressNotSupported: 8
} as const
export type Refusal = (typeof refusals)[keyof typeof refusals]

/** A message with its length in bytes, or none while it is incomplete; left: the reply code that ends the connection. */
export type Reading<A> = Either.Either<Option.Option<{ readonly value: A; readonly length: number }>, Refusal>

const version = 5
const connectCommand = 1

const incomplete = Either.right(Option.none())
const complete = <A>(value: A, length: number): Reading<A> => Either.right(Option.some({ value, length }))

/** The answer to a greeting: no authentication. */
export const welcome = Uint8Array.of(version, 0)

/** The reply to a request: 0 grants it. The proxy's own address stays 0.0.0.0:0. */
export const reply = (code: 0 | Refusal): Uint8Array => Uint8Array.of(version, code, 0, 1, 0, 0, 0, 0, 0, 0)

/** Reads the greeting (§3): methods of authentication, of which "none" must be one. */
export const readGreeting = (bytes: Uint8Array): Reading<void> => {
  const [first, count] = bytes
  if (first !== undefined && first !== version) return Either.left(refusals.failed)
  if (count === undefined || bytes.length < 2 + count) return incomplete
  return bytes.subarray(2, 2 + count).includes(0) ? complete(undefined, 2 + count) : Either.left(refusals.failed)
}

const dotted = (bytes: Uint8Array) => bytes.join(".")

const grouped = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return `[${Array.from({ length: 8 }, (_, group) => view.getUint16(2 * group).toString(16)).join(":")}]`
}

/** A name as a URL writes it; browsers send literal addresses as names too. */
const named = (bytes: Uint8Array) => {
  const name = String.fromCharCode(...bytes)
  return /^[\da-f:.]*:[\da-f:.]*$/i.test(name) ? `[${name}]` : name
}

const isHost = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i

/** Reads the request (§4): the host and port to connect to, as a URL without anything else. */
export const readRequest = (bytes: Uint8Array): Reading<URL> => {
  const [first, command, , kind, size] = bytes
  if (first !== undefined && first !== version) return Either.left(refusals.failed)
  if (kind === undefined || size === undefined) return incomplete
  if (command !== connectCommand) return Either.left(refusals.commandNotSupported)
  const form = { 1: [4, 4, dotted], 3: [5, size, named], 4: [4, 16, grouped] } as const
  if (kind !== 1 && kind !== 3 && kind !== 4) return Either.left(refusals.addressNotSupported)
  const [start, length, text] = form[kind]
  const end = start + length
  if (bytes.length < end + 2) return incomplete
  const host = text(bytes.subarray(start, end))
  const port = ((bytes[end] ?? 0) << 8) | (bytes[end + 1] ?? 0)
  const url = isHost.test(host) && port > 0 ? URL.parse(`http://${host}:${port}/`) : null
  return url === null ? Either.left(refusals.addressNotSupported) : complete(url, end + 2)
}
