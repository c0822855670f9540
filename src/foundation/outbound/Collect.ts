import { Fault } from "./Outbound.ts"
import { nothing, type Poll, type Step } from "./Poll.ts"

/** A body as far as it was read. */
export interface Collected {
  readonly body: Uint8Array
  readonly bytesRead: number
  readonly truncated: boolean
}

const firstRoom = 65_536
const muchRoom = 4_194_304

/** The bytes in a larger buffer: twice the current need, or for large bodies the most they may need, which takes no memory until it is used. */
const grown = (bytes: Uint8Array, length: number, needed: number, most: number): Uint8Array => {
  if (needed <= bytes.length) return bytes
  const room = needed > muchRoom ? most : Math.max(firstRoom, 2 * needed)
  const more = new Uint8Array(Math.min(most, room))
  more.set(bytes.subarray(0, length))
  return more
}

/** Reads a body to its end or past `most` bytes, and keeps its first `keep`. The result does not depend on how the network cut it. */
export const collect = (poll: Poll, keep: number, most: number): Step<Collected> => {
  const wanted = Math.min(keep, most)
  let kept: Uint8Array = new Uint8Array()
  let length = 0
  let seen = 0
  return () => {
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
    const body = 2 * length < kept.length ? kept.slice(0, length) : kept.subarray(0, length)
    return { body, bytesRead: Math.min(seen, most), truncated: seen > most }
  }
}
