/**
 * Milliseconds since the start of an exchange's own phases: each phase counts from the end of the one before, `totalMs` from the start.
 * A phase that was not reached, or not needed (no look-up for an address literal, no TLS for http), is null.
 */
export interface Timings {
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly firstByteMs: number | null
  readonly bodyMs: number | null
  readonly totalMs: number
  /** Whether the connection was one that was kept alive: then it was neither dialled nor secured. */
  readonly reused: boolean
}
