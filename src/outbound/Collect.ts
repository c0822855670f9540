import * as Effect from "effect/Effect"
import type { Pull } from "./Pull.ts"

/** What was read of a body. */
export interface Collected {
  readonly body: Uint8Array
  readonly bytesRead: number
  readonly truncated: boolean
}

const join = (pieces: ReadonlyArray<Uint8Array>, length: number) => {
  const all = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Reads a body to its end or past `most` bytes, and keeps its first `keep`. What is reported does not depend on how the network cut it. */
export const collect = Effect.fnUntraced(function* (body: Pull, keep: number, most: number) {
  const kept: Array<Uint8Array> = []
  const wanted = Math.min(keep, most)
  let length = 0
  let seen = 0
  while (seen <= most) {
    const piece = yield* body
    if (piece === undefined) break
    seen += piece.length
    if (length < wanted) {
      const part = piece.subarray(0, wanted - length)
      kept.push(part)
      length += part.length
    }
  }
  return { body: join(kept, length), bytesRead: Math.min(seen, most), truncated: seen > most }
})
