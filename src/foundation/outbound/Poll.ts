import type { Fault } from "./Fault.ts"

/** Nothing has come yet. */
export const nothing: unique symbol = Symbol("outbound/nothing")
export type Nothing = typeof nothing

/**
 * What is there of a stream of bytes at the moment: a piece, its end (undefined), its failure, or nothing yet. Nothing is read ahead of who asks, which
 * holds the sender back, and what is there costs no effect.
 */
export type Poll = () => Uint8Array | undefined | Fault | Nothing

/** What comes of a stream as far as it has come; nothing yet, when it has to be tried again. */
export type Step<A> = () => A | Fault | Nothing

/** Puts bytes that were read already in front of what follows. */
export const prefixed = (bytes: Uint8Array, poll: Poll): Poll => {
  let first = bytes.length > 0 ? bytes : undefined
  return () => {
    const piece = first
    first = undefined
    return piece ?? poll()
  }
}
