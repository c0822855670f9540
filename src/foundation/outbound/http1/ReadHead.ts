import * as Either from "effect/Either"
import { Fault, protocol } from "../Outbound.ts"
import { nothing, type Poll, type Step } from "../Poll.ts"
import * as ResponseHead from "./ResponseHead.ts"

/** The head of a response, and the bytes read after it. */
export interface Heading {
  readonly head: ResponseHead.Head
  readonly rest: Uint8Array
}

/** The most bytes of all heads of one exchange, interim (1xx) ones included. */
const largestHeads = 65_536

const append = (bytes: Uint8Array, more: Uint8Array) => {
  if (bytes.length === 0) return more
  const all = new Uint8Array(bytes.length + more.length)
  all.set(bytes)
  all.set(more, bytes.length)
  return all
}

/** Reads the head of the final response and skips interim ones (RFC 9110 §15.2); the end of the connection before it is `reset`. */
export const readHead = (poll: Poll): Step<Heading> => {
  let buffer: Uint8Array = new Uint8Array()
  let spent = 0
  return () => {
    while (true) {
      const end = ResponseHead.endOf(buffer)
      if (spent + (end === -1 ? buffer.length : end) > largestHeads) {
        return protocol(`The head of the response is larger than ${largestHeads} bytes`)
      }
      if (end === -1) {
        const piece = poll()
        if (piece === nothing || piece instanceof Fault) return piece
        if (piece === undefined) {
          return new Fault({ reason: "reset", message: "The connection ended before the response" })
        }
        buffer = append(buffer, piece)
        continue
      }
      const parsed = ResponseHead.parse(buffer.subarray(0, end))
      if (Either.isLeft(parsed)) return protocol(parsed.left)
      const head = parsed.right
      const rest = buffer.subarray(end)
      if (head.status === 101) return protocol("The response switches to another protocol")
      if (head.status >= 200) return { head, rest }
      spent += end
      buffer = rest
    }
  }
}
