import * as Effect from "effect/Effect"
import type { Pull } from "./Pull.ts"

const firstRoom = 65_536

/** The bytes with more room behind them, twice as much as needed now and never more than will be: a body is copied once or twice as it grows. */
const grown = (bytes: Uint8Array, length: number, needed: number, most: number): Uint8Array => {
  if (needed <= bytes.length) return bytes
  const more = new Uint8Array(Math.min(most, Math.max(firstRoom, 2 * needed)))
  more.set(bytes.subarray(0, length))
  return more
}

/** Reads a body to its end or past `most` bytes, and keeps its first `keep`. What is reported does not depend on how the network cut it. */
export const collect = Effect.fnUntraced(function* (pull: Pull, keep: number, most: number) {
  const wanted = Math.min(keep, most)
  let kept: Uint8Array = new Uint8Array()
  let length = 0
  let seen = 0
  while (seen <= most) {
    const piece = yield* pull
    if (piece === undefined) break
    seen += piece.length
    const part = piece.subarray(0, wanted - length)
    kept = grown(kept, length, length + part.length, wanted)
    kept.set(part, length)
    length += part.length
  }
  const body = length === kept.length ? kept : kept.slice(0, length)
  return { body, bytesRead: Math.min(seen, most), truncated: seen > most }
})
