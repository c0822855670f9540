import * as Effect from "effect/Effect"
import { Fault, protocol } from "../Fault.ts"
import type { Pull } from "../Pull.ts"
import * as ResponseHead from "./ResponseHead.ts"

/** Bytes of all heads of one exchange, interim (1xx) ones included. */
const largestHeads = 65_536

const append = (bytes: Uint8Array, more: Uint8Array) => {
  if (bytes.length === 0) return more
  const all = new Uint8Array(bytes.length + more.length)
  all.set(bytes)
  all.set(more, bytes.length)
  return all
}

/**
 * Reads the head of the final response, with the bytes that came behind it, and skips interim ones (RFC 9110 §15.2); the
 * end of the connection before it is `reset`.
 */
export const readHead = Effect.fnUntraced(function* (pull: Pull) {
  let buffer: Uint8Array = new Uint8Array()
  let spent = 0
  while (true) {
    const end = ResponseHead.endOf(buffer)
    if (spent + (end === -1 ? buffer.length : end) > largestHeads) {
      return yield* protocol(`The head of the response is larger than ${largestHeads} bytes`)
    }
    if (end === -1) {
      const chunk = yield* pull
      if (chunk === undefined) {
        return yield* new Fault({ reason: "reset", message: "The connection ended before the response" })
      }
      buffer = append(buffer, chunk)
      continue
    }
    const head = yield* Effect.mapError(ResponseHead.parse(buffer.subarray(0, end)), protocol)
    const rest = buffer.subarray(end)
    if (head.status === 101) return yield* protocol("The response switches to another protocol")
    if (head.status >= 200) return { head, rest }
    spent += end
    buffer = rest
  }
})
