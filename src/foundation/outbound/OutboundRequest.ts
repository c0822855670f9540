import type * as Duration from "effect/Duration"
import type { Head } from "./http1/ResponseHead.ts"

/** One HTTP request to another party's server, and how much of the answer to read. */
export interface OutboundRequest {
  readonly url: URL
  readonly method: "GET" | "HEAD" | "POST"
  /** Sent as given; credentials, cookies, Host and fields that frame the message or manage the connection are left out. */
  readonly headers?: Readonly<Record<string, string>>
  /** The `Authorization` field: the operator's credentials for this very host. They are never sent unless a request names them here. */
  readonly authorization?: string
  /** The `Cookie` field: cookies that this very host set in earlier answers to the same piece of work, never others. */
  readonly cookies?: string
  readonly body?: Uint8Array
  /** Total, from the look-up of the name to the last byte of the body. */
  readonly deadline: Duration.DurationInput
  /** Between any two bytes. */
  readonly idleTimeout?: Duration.DurationInput
  /** Bytes of the body that are kept (decoded ones, or raw ones when `decode` is false); the rest is counted only. */
  readonly keepBytes: number
  /** Bytes of the body after which reading stops and the connection is destroyed (`truncated`). */
  readonly maxBytes: number
  /** A lower limit than `maxBytes`, chosen by the head of the answer; at 0 the exchange ends after the head and the body is not read. */
  readonly bodyLimit?: (head: Pick<Head, "fields" | "status">) => number
  /** Whether to accept and decode gzip, deflate, br and, where the runtime has it, zstd; false accepts identity and keeps the bytes as they come. */
  readonly decode: boolean
  /** Whether a connection to a vetted address may be shared with other exchanges with the same host; false dials a new one. */
  readonly reuse?: boolean
}
