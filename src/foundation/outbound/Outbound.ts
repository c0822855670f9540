import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { portProblem } from "../schema/Scalars.ts"

/** Name, in lower case, and value of a field. */
type Field = readonly [name: string, value: string]

/** A status line and the fields under it, in their order, repeated ones kept. */
export interface Head {
  readonly status: number
  /** Whether the version is HTTP/1.1; an HTTP/1.0 server closes the connection after its response. */
  readonly persistent: boolean
  readonly fields: ReadonlyArray<Field>
}

const newline = 0x0a
const carriageReturn = 0x0d

/** The end of the head at the start of the bytes, −1 while it is incomplete. Lines may end in a bare line feed (RFC 9112 §2.2). */
export const endOf = (bytes: Uint8Array): number => {
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
    const next = bytes[at + 1] === carriageReturn ? at + 2 : at + 1
    if (bytes[next] === newline) return next + 1
  }
  return -1
}

const piece = 8192

/** Bytes as ISO 8859-1, which is lossless. */
const latin1 = (bytes: Uint8Array) => {
  let text = ""
  for (let at = 0; at < bytes.length; at += piece) text += String.fromCharCode(...bytes.subarray(at, at + piece))
  return text
}

const isStatusLine = /^HTTP\/1\.([01]) +([1-9]\d\d)(?: |$)/
const isToken = /^[\w!#$%&'*+.^`|~-]+$/

/** A line that begins with a blank continues the one before (RFC 9112 §5.2); a lone carriage return is a blank (§2.2). */
const unfold = (text: string) => text.replace(/\r?\n[\t ]+/g, " ").split(/\r?\n/)

const readField = (line: string): Either.Either<Field, string> => {
  const colon = line.indexOf(":")
  const name = line.slice(0, Math.max(colon, 0))
  if (!isToken.test(name) || line.includes("\0")) return Either.left("The response has a malformed header")
  const value = line.slice(colon + 1).replaceAll("\r", " ")
  return Either.right([name.toLowerCase(), value.replace(/^[\t ]+|[\t ]+$/g, "")])
}

/** The message for bytes that are not HTTP. */
export const foreign = "The server did not respond with HTTP/1.1"

const headOf = (statusLine: string, fields: ReadonlyArray<Field>): Either.Either<Head, string> => {
  const [, minor, status] = isStatusLine.exec(statusLine) ?? []
  return status === undefined
    ? Either.left(foreign)
    : Either.right({ status: Number(status), persistent: minor === "1", fields })
}

/** Reads a whole head, its last empty line included. */
export const parse = (bytes: Uint8Array): Either.Either<Head, string> => {
  const [statusLine = "", ...lines] = unfold(latin1(bytes))
  return Either.flatMap(Either.all(lines.filter((line) => line !== "").map(readField)), (fields) =>
    headOf(statusLine, fields)
  )
}

const version = "HTTP/1."

/** Whether these bytes can begin a head. A first line that is no status line decides without the rest. */
export const mayBegin = (bytes: Uint8Array): boolean => {
  const end = bytes.indexOf(newline)
  const line = latin1(bytes.subarray(0, end === -1 ? version.length : end))
  return end === -1 ? version.startsWith(line) : isStatusLine.test(line.replace(/\r$/, ""))
}

/** The readable part of a head that ended too soon, or is malformed after its status line; undefined without a complete status line. */
export const begun = (bytes: Uint8Array): Head | undefined => {
  const [statusLine = "", ...lines] = unfold(latin1(bytes)).slice(0, -1)
  const head = Either.getOrUndefined(headOf(statusLine, []))
  return head && { ...head, fields: lines.flatMap((line) => Option.toArray(Either.getRight(readField(line)))) }
}

/** All non-empty members of a comma-separated field, over all its lines (RFC 9110 §5.6.1). */
export const members = (head: Head, name: string): ReadonlyArray<string> =>
  head.fields
    .filter((field) => field[0] === name)
    .flatMap((field) => field[1].split(","))
    .map((member) => member.trim())
    .filter((member) => member !== "")

/** One HTTP request to another party's server, with limits for reading the response. */
export interface OutboundRequest {
  readonly url: URL
  /** Whether the administrator's settings name this URL, which may then have any port. */
  readonly isSetting?: boolean
  /** The host's addresses that `vet` found. They are checked again, and the request goes to one of them without another look-up. */
  readonly addresses?: ReadonlyArray<string>
  readonly method: "GET" | "HEAD" | "OPTIONS" | "POST"
  /** Sent unchanged, without credentials, cookies, Host, and fields that frame the message or manage the connection. */
  readonly headers?: Readonly<Record<string, string>>
  /** The `Authorization` field: the administrator's credentials for this host. Requests without this option never send them. */
  readonly authorization?: string
  /** The `Cookie` field: only cookies that this host set in earlier responses to the same piece of work. */
  readonly cookies?: string
  readonly body?: Uint8Array
  /** Total, from the look-up of the name to the last byte of the body. */
  readonly deadline: Duration.DurationInput
  /** Between any two bytes. */
  readonly idleTimeout?: Duration.DurationInput
  /** Kept bytes of the body (raw ones when `decode` is false); the rest is only counted. */
  readonly keepBytes: number
  /** Bytes of the body after which reading stops and the connection is destroyed (`truncated`). */
  readonly maxBytes: number
  /** A limit below `maxBytes`, chosen by the head of the response. At 0 the exchange ends after the head, without reading the body. */
  readonly bodyLimit?: (head: Pick<Head, "fields" | "status">) => number
  /** Whether to accept and decode gzip, deflate, br and, if the runtime has it, zstd. False accepts identity and keeps the raw bytes. */
  readonly decode: boolean
  /** Whether the status line suffices: a later fault is kept in `incomplete`, and does not fail the exchange. */
  readonly statusDecides?: boolean
  /** Whether exchanges with one host may share a connection to a vetted address; false dials a new one. */
  readonly reuse?: boolean
}

/**
 * Durations of the phases of an exchange in milliseconds: each phase counts from the end of the previous one, `totalMs` from the start. A phase that was not
 * reached, or not needed (no look-up for an address literal, no TLS for http), is null.
 */
export interface Timings {
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly firstByteMs: number | null
  readonly bodyMs: number | null
  readonly totalMs: number
  /** Whether the connection was kept alive from an earlier exchange, without dialling and TLS handshake. */
  readonly reused: boolean
}

/** Bytes after the last member of a gzip stream. Zeros are padding and count only if other bytes follow. */
export interface Trailing {
  readonly bytes: number
  /** The first of these bytes. */
  readonly start: Uint8Array
}

/** A response as it arrived: never redirected, never from a cache. */
export interface OutboundResponse {
  readonly status: number
  /** Lower-case names and values in their order, with repeated ones. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** At most `keepBytes` of the body. */
  readonly body: Uint8Array
  /** Bytes of the body that were read, after decoding when the request has `decode`. */
  readonly bytesRead: number
  /** Whether the body was longer than its limit; false when the limit was 0. */
  readonly truncated: boolean
  /** Bytes after the gzip stream of a decoded body, outside the content; absent without such bytes. */
  readonly trailing?: Trailing
  /** With `statusDecides`: why the rest of the response did not arrive; absent for a complete response. */
  readonly incomplete?: Fault
  /** The vetted address that responded. */
  readonly remoteAddress: string
  readonly timings: Timings
}

/**
 * Why an exchange failed.
 *
 * - `blocked_url`: the URL is never requested (scheme, credentials, no host, a port of another protocol)
 * - `blocked_address`: at least one address of the host is not global
 * - `dns`: the name has no address, or the look-up took too long
 * - `connect`: no vetted address accepted the connection
 * - `tls`: the handshake failed, or the certificate does not prove the host
 * - `reset`: the connection ended before the response was complete
 * - `timeout`: the deadline or the idle time-out passed
 * - `protocol`: no HTTP at all, malformed or oversized headers, bad framing, bad encoding, a body shorter than its Content-Length
 */
export type OutboundReason =
  | "blocked_url"
  | "blocked_address"
  | "dns"
  | "connect"
  | "tls"
  | "reset"
  | "timeout"
  | "protocol"

/** An exchange without a complete response; `timings` has the phases before the failure. */
export class OutboundError extends Data.TaggedError("OutboundError")<{
  readonly reason: OutboundReason
  readonly message: string
  readonly timings: Timings
}> {}

/** The problem with a caller's URL, from the error of `vet`, as the end of a sentence. */
export const problemOf = ({ message, reason }: OutboundError): string => {
  if (reason === "blocked_url") return message
  return reason === "dns" ? `must have a host that DNS resolves: ${message}` : `must be public: ${message}`
}

/** The guarded HTTP client. It connects only to global addresses, and exactly to the checked address. */
export class Outbound extends Context.Tag("outbound/Outbound")<
  Outbound,
  {
    /** One HTTP exchange with a vetted address. Redirects are never followed: callers send a request per hop, and each is vetted. */
    readonly exchange: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundError>
    /** The current addresses of the URL's host, all of them global; used when a webhook is registered. */
    readonly vet: (url: URL) => Effect.Effect<ReadonlyArray<string>, OutboundError>
  }
>() {}

/** A failure inside an exchange, without its timings. */
export class Fault extends Data.TaggedError("Fault")<{ readonly reason: OutboundReason; readonly message: string }> {}

/** A fault of the protocol, the only kind that parsers raise. */
export const protocol = (message: string) => new Fault({ reason: "protocol", message })

/** The host of a URL as the socket layer needs it. */
export interface Host {
  /** The name or address, without the brackets of an IPv6 literal. */
  readonly name: string
  readonly port: number
  readonly secure: boolean
}

const defaultPort = (secure: boolean) => (secure ? 443 : 80)

const blocked = (message: string) => Either.left(new Fault({ reason: "blocked_url", message }))

/**
 * Checks whether the URL may be requested: http or https, no credentials, a host, and no port of another protocol unless the administrator's settings name it.
 * `new URL()` has already unified all spellings of an address literal; the addresses of a name are checked after the look-up.
 */
export const readHost = (url: URL, isSetting = false): Either.Either<Host, Fault> => {
  if (url.protocol !== "http:" && url.protocol !== "https:") return blocked("The URL is neither http nor https")
  if (url.username !== "" || url.password !== "") return blocked("The URL contains credentials")
  if (url.hostname === "") return blocked("The URL has no host")
  const problem = isSetting ? undefined : portProblem(url.href)
  if (problem !== undefined) return blocked(`The URL ${problem}`)
  const secure = url.protocol === "https:"
  const name = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname
  return Either.right({ name, port: url.port === "" ? defaultPort(secure) : Number(url.port), secure })
}
