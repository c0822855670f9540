import * as Either from "effect/Either"
import { Fault, protocol } from "../Outbound.ts"
import { nothing, type Poll, prefixed } from "../Poll.ts"
import * as Chunked from "./Chunked.ts"
import type { Framing } from "./Framing.ts"

/** The bytes of a body without its framing. `ended` means that the connection may carry another exchange: the body has ended and nothing followed it. */
interface Body {
  readonly poll: Poll
  readonly ended: () => boolean
}

const counted = (input: Poll, length: number): Body => {
  let left = length
  let surplus = false
  const poll: Poll = () => {
    if (left === 0) return undefined
    const piece = input()
    if (piece === undefined) return protocol("The body is shorter than its Content-Length")
    if (piece === nothing || piece instanceof Fault) return piece
    const part = piece.subarray(0, left)
    left -= part.length
    surplus ||= part.length < piece.length
    return part
  }
  return { ended: () => left === 0 && !surplus, poll }
}

const chunked = (input: Poll): Body => {
  let state = Chunked.initial
  let surplus = false
  const ready: Array<Uint8Array> = []
  const poll: Poll = () => {
    while (true) {
      const piece = ready.shift()
      if (piece !== undefined || state.expects === "nothing") return piece
      const bytes = input()
      if (bytes === undefined) return protocol("The body ends before its last chunk")
      if (bytes === nothing || bytes instanceof Fault) return bytes
      const step = Chunked.step(state, bytes)
      if (Either.isLeft(step)) return protocol(step.left)
      state = step.right.state
      surplus ||= step.right.used < bytes.length
      ready.push(...step.right.data)
    }
  }
  return { ended: () => state.expects === "nothing" && !surplus, poll }
}

/** Reads a body by its framing; bytes beyond it are not read. */
export const readBody = (framing: Framing, rest: Uint8Array, poll: Poll): Body => {
  if (framing._tag === "Length" && framing.bytes === 0) {
    return { ended: () => rest.length === 0, poll: () => undefined }
  }
  const input = prefixed(rest, poll)
  switch (framing._tag) {
    case "Length":
      return counted(input, framing.bytes)
    case "Chunked":
      return chunked(input)
    case "UntilClose":
      return { ended: () => false, poll: input }
  }
}
