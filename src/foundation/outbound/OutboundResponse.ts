import type { Timings } from "./Timings.ts"

/** A response as it arrived: never redirected, never from a cache. */
export interface OutboundResponse {
  readonly status: number
  /** Lower-case names in the order they came; repeated ones are kept. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** At most `keepBytes` of the body. */
  readonly body: Uint8Array
  /** Bytes of the body that were read, after decoding when the request has `decode`. */
  readonly bytesRead: number
  /** Whether the body was longer than its limit; false when the limit was 0. */
  readonly truncated: boolean
  /** The vetted address that answered. */
  readonly remoteAddress: string
  readonly timings: Timings
}
