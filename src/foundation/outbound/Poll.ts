/** Reading on demand. Platform adapter for a `node:stream`: in paused mode, without read-ahead beyond the stream's own small buffer. */

import type { Readable } from "node:stream"
import type { Fault } from "./Outbound.ts"

/** No data has arrived yet. */
export const nothing: unique symbol = Symbol("outbound/nothing")
type Nothing = typeof nothing

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

/** Takes over a stream; `failed` maps its errors, `cut` is the fault of a stream that closes without an end, and every change rings the wake-up. */
export const pollReadable = (stream: Readable, failed: (error: Error) => Fault, cut: Fault, wakeUp: WakeUp): Poll => {
  // An earlier error was emitted before the listeners below existed; it is on the stream.
  let outcome: Fault | undefined | typeof nothing = nothing
  if (stream.destroyed) outcome = stream.errored == null ? cut : failed(stream.errored)
  const finish = (ended: Fault | undefined) => {
    if (outcome === nothing) outcome = ended
    wakeUp.ring()
  }
  stream.on("readable", wakeUp.ring)
  stream.on("end", () => finish(undefined))
  stream.on("error", (error) => finish(failed(error)))
  stream.on("close", () => finish(cut))
  return () => {
    const chunk: unknown = stream.read()
    return chunk instanceof Uint8Array ? chunk : outcome
  }
}
