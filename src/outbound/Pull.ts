import * as Effect from "effect/Effect"
import type { Fault } from "./Fault.ts"

/** Asks for the next piece of a stream of bytes; undefined is its end. One consumer asks, one piece at a time: that is the back-pressure. */
export type Pull = Effect.Effect<Uint8Array | undefined, Fault>

/** The end of a stream. */
export const end: Pull = Effect.as(Effect.void, undefined)

/** Puts bytes that were read already in front of what follows. */
export const prefixed = (bytes: Uint8Array, pull: Pull): Pull => {
  let first = bytes.length > 0 ? bytes : undefined
  return Effect.suspend(() => {
    const piece = first
    first = undefined
    return piece === undefined ? pull : Effect.succeed(piece)
  })
}
