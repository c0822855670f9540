import * as Either from "effect/Either"
import { type Collected, collect } from "./Collect.ts"
import { decode, readEncodings } from "./Decode.ts"
import * as Framing from "./http1/Framing.ts"
import { readBody } from "./http1/ReadBody.ts"
import { type Heading, readHead } from "./http1/ReadHead.ts"
import { type Head, members } from "./http1/ResponseHead.ts"
import type { OutboundRequest } from "./Outbound.ts"
import { Fault, protocol } from "./Outbound.ts"
import { nothing, type Poll, type Step } from "./Poll.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import type { Connection } from "./socket/Idle.ts"

/** An answer that is being read. */
interface Reading<A> {
  readonly step: Step<A>
  /** Ends its decoders. */
  readonly close: () => void
}

const free = () => {}

/** Bounds the input of a coding with almost no output; an honest coding never doubles its content. */
const bounded = (raw: Poll, most: number): Poll => {
  let left = 2 * most + 1_048_576
  return () => {
    const piece = raw()
    if (piece instanceof Uint8Array) left -= piece.length
    return left < 0 ? protocol("The encoded body is larger than what it encodes") : piece
  }
}

const unread: Collected = { body: new Uint8Array(), bytesRead: 0, truncated: false }

const closing = (head: Head) =>
  !head.persistent || members(head, "connection").some((option) => option.toLowerCase() === "close")

/** The answer, and whether the connection may carry another exchange. */
const answered = (head: Head, collected: Collected, ended: boolean, remoteAddress: string) => ({
  answer: { status: head.status, headers: head.fields, ...collected, remoteAddress },
  lasting: ended && !collected.truncated && !closing(head)
})
export type Answered = ReturnType<typeof answered>

/** Reads the body after this head, up to its limit. */
const readRest = (
  { poll, remoteAddress, wakeUp }: Connection,
  request: OutboundRequest,
  { head, rest }: Heading
): Reading<Answered> | Fault => {
  const framing = Framing.of(request.method, head)
  if (Either.isLeft(framing)) return protocol(framing.left)
  const encodings = readEncodings(request.decode ? members(head, "content-encoding") : [])
  if (Either.isLeft(encodings)) return protocol(encodings.left)
  const body = readBody(framing.right, rest, poll)
  const most = Math.min(request.maxBytes, request.bodyLimit?.(head) ?? request.maxBytes)
  if (most === 0) return { close: free, step: () => answered(head, unread, body.ended(), remoteAddress) }
  const plain =
    encodings.right.length === 0
      ? { close: free, poll: body.poll }
      : decode(encodings.right, bounded(body.poll, most), wakeUp)
  const read = collect(plain.poll, request.keepBytes, most)
  const step = () => {
    const collected = read()
    if (collected === nothing || collected instanceof Fault) return collected
    return answered(head, collected, body.ended(), remoteAddress)
  }
  return { close: plain.close, step }
}

/** Reads the answer to a request that was sent over a connection. */
export const readAnswer = (connection: Connection, request: OutboundRequest, watch: Stopwatch): Reading<Answered> => {
  const read = readHead(() => {
    const piece = connection.poll()
    if (piece instanceof Uint8Array) watch.lap("firstByteMs")
    return piece
  })
  let rest: Reading<Answered> | undefined
  const step = () => {
    if (rest !== undefined) return rest.step()
    const heading = read()
    if (heading === nothing || heading instanceof Fault) return heading
    const reading = readRest(connection, request, heading)
    if (reading instanceof Fault) return reading
    rest = reading
    return rest.step()
  }
  return { close: () => rest?.close(), step }
}
