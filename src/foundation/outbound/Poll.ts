import type { Fault } from "./Fault.ts"

/** No data has arrived yet. */
export const nothing: unique symbol = Symbol("outbound/nothing")
export type Nothing = typeof nothing

/**
 * The next piece of a byte stream, its end (undefined), its failure, or nothing yet. Reads are on demand, which holds the sender back, and synchronous
 * when data is buffered.
 */
export type Poll = () => Uint8Array | undefined | Fault | Nothing

/** A step of reading a result from a stream; `nothing` means to try again when more has arrived. */
export type Step<A> = () => A | Fault | Nothing

/** Puts bytes that were read before in front of the rest. */
export const prefixed = (bytes: Uint8Array, poll: Poll): Poll => {
  let first = bytes.length > 0 ? bytes : undefined
  return () => {
    const piece = first
    first = undefined
    return piece ?? poll()
  }
}

/** Notifies the reader of a connection, or of bytes decoded from it, that there may be more to read. */
export interface WakeUp {
  readonly ring: () => void
  /** Sets the callback, replacing the one before. */
  readonly listen: (listener: () => void) => void
}

/** A wake-up for one listener at a time. */
export const makeWakeUp = (): WakeUp => {
  let current = () => {}
  return {
    ring: () => current(),
    listen: (listener) => {
      current = listener
    }
  }
}
