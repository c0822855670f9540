import type * as Duration from "effect/Duration"
import type { Head } from "./http1/ResponseHead.ts"

/** One HTTP request to somebody else's server, and how much of the answer is wanted. */
export interface OutboundRequest {
  readonly url: URL
  readonly method: "GET" | "HEAD" | "POST"
  /** Sent as given; credentials, cookies, Host and fields that frame the message or manage the connection are left out. */
  readonly headers?: Readonly<Record<string, string>>
  /** The `Authorization` field: what the operator of the piece of work holds for this very host; it goes nowhere by itself. */
  readonly authorization?: string
  /** The `Cookie` field: what this very host set in earlier answers to the same piece of work, never anything else. */
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
  /** Fewer bytes than `maxBytes`, by the head of the answer; at 0 the exchange ends after the head and nothing of the body is asked for. */
  readonly bodyLimit?: (head: Pick<Head, "fields" | "status">) => number
  /** Whether gzip, deflate, br and, where the runtime has it, zstd are asked for and decoded; false asks for identity and keeps what comes. */
  readonly decode: boolean
  /** Whether a connection to a vetted address may be kept alive for, or taken over from, another exchange with the same host; false dials afresh. */
  readonly reuse?: boolean
}
