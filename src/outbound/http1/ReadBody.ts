import * as Effect from "effect/Effect"
import { protocol } from "../Fault.ts"
import { end, type Pull, prefixed } from "../Pull.ts"
import * as Chunked from "./Chunked.ts"
import type { Framing } from "./Framing.ts"

/** The bytes of a body without its framing, and whether the connection may carry another exchange: the body has ended, and nothing came behind it. */
export interface Body {
  readonly pull: Pull
  readonly ended: () => boolean
}

const counted = (input: Pull, length: number): Body => {
  let left = length
  let surplus = false
  const next: Pull = Effect.flatMap(input, (piece) => {
    if (piece === undefined) return protocol("The body is shorter than its Content-Length")
    const part = piece.subarray(0, left)
    left -= part.length
    surplus ||= part.length < piece.length
    return Effect.succeed(part)
  })
  return { ended: () => left === 0 && !surplus, pull: Effect.suspend(() => (left === 0 ? end : next)) }
}

const chunked = (input: Pull): Body => {
  let state = Chunked.initial
  let surplus = false
  const ready: Array<Uint8Array> = []
  const next: Pull = Effect.suspend(() => {
    const piece = ready.shift()
    if (piece !== undefined || state.expects === "nothing") return Effect.succeed(piece)
    return Effect.flatMap(input, (bytes) => {
      if (bytes === undefined) return protocol("The body ends before its last chunk")
      return Effect.flatMap(Effect.mapError(Chunked.step(state, bytes), protocol), (step) => {
        state = step.state
        surplus ||= step.used < bytes.length
        ready.push(...step.data)
        return next
      })
    })
  })
  return { ended: () => state.expects === "nothing" && !surplus, pull: next }
}

/** Reads a body by its framing; what a server sends beyond it is not read. */
export const readBody = (framing: Framing, rest: Uint8Array, pull: Pull): Body => {
  if (framing._tag === "Length" && framing.bytes === 0) return { ended: () => rest.length === 0, pull: end }
  const input = prefixed(rest, pull)
  switch (framing._tag) {
    case "Length":
      return counted(input, framing.bytes)
    case "Chunked":
      return chunked(input)
    case "UntilClose":
      return { ended: () => false, pull: input }
  }
}
