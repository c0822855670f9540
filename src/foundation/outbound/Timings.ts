/**
 * Durations of the phases of an exchange in milliseconds: each phase counts from the end of the one before, `totalMs` from the start.
 * A phase that was not reached, or not needed (no look-up for an address literal, no TLS for http), is null.
 */
export interface Timings {
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly firstByteMs: number | null
  readonly bodyMs: number | null
  readonly totalMs: number
  /** Whether the connection was kept alive from an earlier exchange: then it was neither dialled nor secured. */
  readonly reused: boolean
}
