import * as Data from "effect/Data"
import type { Timings } from "./Timings.ts"

/**
 * Why an exchange failed.
 *
 * - `blocked_url`: the URL may not be requested at all (scheme, credentials, no host)
 * - `blocked_address`: the host is, or resolves to, at least one address that is not global
 * - `dns`: the name has no address, or no answer came in time
 * - `connect`: no vetted address accepted the connection
 * - `tls`: the handshake failed, or the certificate does not prove the host
 * - `reset`: the connection ended before the response was complete
 * - `timeout`: the deadline or the idle time-out passed
 * - `protocol`: malformed or oversized headers, bad framing, bad encoding, a body shorter than its Content-Length
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

/** An exchange without a complete response; `timings` holds the phases that it reached. */
export class OutboundError extends Data.TaggedError("OutboundError")<{
  readonly reason: OutboundReason
  readonly message: string
  readonly timings: Timings
}> {}
