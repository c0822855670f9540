import * as Effect from "effect/Effect"
import { protocol } from "../Fault.ts"
import { end, type Pull, prefixed } from "../Pull.ts"
import * as Chunked from "./Chunked.ts"
import type { Framing } from "./Framing.ts"

const counted = (input: Pull, length: number): Pull => {
  let left = length
  const next: Pull = Effect.flatMap(input, (piece) => {
    if (piece === undefined) return protocol("The body is shorter than its Content-Length")
    const part = piece.subarray(0, left)
    left -= part.length
    return Effect.succeed(part)
  })
  return Effect.suspend(() => (left === 0 ? end : next))
}

const chunked = (input: Pull): Pull => {
  let state = Chunked.initial
  const ready: Array<Uint8Array> = []
  const next: Pull = Effect.suspend(() => {
    const piece = ready.shift()
    if (piece !== undefined || state.expects === "nothing") return Effect.succeed(piece)
    return Effect.flatMap(input, (bytes) => {
      if (bytes === undefined) return protocol("The body ends before its last chunk")
      return Effect.flatMap(Effect.mapError(Chunked.step(state, bytes), protocol), (step) => {
        state = step.state
        ready.push(...step.data)
        return next
      })
    })
  })
  return next
}

/** The bytes of a body without its framing; what a server sends beyond its framing is not read. */
export const readBody = (framing: Framing, rest: Uint8Array, pull: Pull): Pull => {
  const input = prefixed(rest, pull)
  switch (framing._tag) {
    case "Length":
      return counted(input, framing.bytes)
    case "Chunked":
      return chunked(input)
    case "UntilClose":
      return input
  }
}
