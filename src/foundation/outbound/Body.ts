import type { Readable } from "node:stream"
import { Fault } from "./Outbound.ts"

/** Reading on demand. Platform adapter for a `node:stream` in paused mode, without read-ahead beyond the stream's small buffer. */

/** Copies pieces of bytes into one array. */
export const joined = (...pieces: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** No data has arrived yet. */
export const nothing: unique symbol = Symbol("outbound/nothing")
export type Nothing = typeof nothing

/**
 * The next piece of a byte stream, its end (undefined), its failure, or nothing yet. Reads are on demand, which holds the sender back, and synchronous if data
 * is buffered.
 */
export type Poll = () => Uint8Array | undefined | Fault | Nothing

/** A step of reading a result from a stream; `nothing` means: try again after more has arrived. */
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
  /** Sets the callback in place of the earlier one. */
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
  // An error before the listeners below were added is on the stream.
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

/** The read part of a body. */
export interface Collected {
  readonly body: Uint8Array
  readonly bytesRead: number
  readonly truncated: boolean
}

const firstRoom = 65_536
const muchRoom = 4_194_304

/** The bytes in a larger buffer: twice the current need, or the limit for large bodies. Unused parts of the buffer take no memory. */
const grown = (bytes: Uint8Array, length: number, needed: number, most: number): Uint8Array => {
  if (needed <= bytes.length) return bytes
  const room = needed > muchRoom ? most : Math.max(firstRoom, 2 * needed)
  const more = new Uint8Array(Math.min(most, room))
  more.set(bytes.subarray(0, length))
  return more
}

/** A body that is being read. */
interface Collecting {
  readonly step: Step<Collected>
  /** The read part so far. */
  readonly soFar: () => Collected
}

/** Reads a body to its end or past `most` bytes, and keeps its first `keep`. The result does not depend on the cuts of the network. */
export const collect = (poll: Poll, keep: number, most: number): Collecting => {
  const wanted = Math.min(keep, most)
  let kept: Uint8Array = new Uint8Array()
  let length = 0
  let seen = 0
  const soFar = () => {
    const body = 2 * length < kept.length ? kept.slice(0, length) : kept.subarray(0, length)
    return { body, bytesRead: Math.min(seen, most), truncated: seen > most }
  }
  const step = () => {
    while (seen <= most) {
      const piece = poll()
      if (piece === nothing || piece instanceof Fault) return piece
      if (piece === undefined) break
      seen += piece.length
      const part = piece.subarray(0, wanted - length)
      kept = grown(kept, length, length + part.length, wanted)
      kept.set(part, length)
      length += part.length
    }
    return soFar()
  }
  return { soFar, step }
}
