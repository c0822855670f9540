import * as Either from "effect/Either"
import { type Collected, collect, joined, nothing, type Poll, prefixed, type Step as ReadStep } from "./Body.ts"
import { decode, readEncodings } from "./Codings.ts"
import * as Outbound from "./Outbound.ts"
import { Fault, type Head, members, type OutboundRequest, protocol, type Trailing } from "./Outbound.ts"
import type { Connection } from "./Socket.ts"
import type { Stopwatch } from "./Timing.ts"

/** The mark of a body's end. */
type Framing =
  | { readonly _tag: "Length"; readonly bytes: number }
  | { readonly _tag: "Chunked" }
  | { readonly _tag: "UntilClose" }

const none: Framing = { _tag: "Length", bytes: 0 }

const isLength = /^\d{1,15}$/

/** The framing of a response (RFC 9112 §6.3): by method and status, then Transfer-Encoding, then Content-Length, else the connection's end. */
export const of = (method: OutboundRequest["method"], head: Head): Either.Either<Framing, string> => {
  if (method === "HEAD" || head.status === 204 || head.status === 304) return Either.right(none)
  const [coding, ...others] = members(head, "transfer-encoding").map((member) => member.toLowerCase())
  if (coding === "chunked" && others.length === 0) return Either.right({ _tag: "Chunked" })
  if (coding !== undefined) return Either.left("The response has a transfer coding other than chunked")
  const [length, ...repeated] = members(head, "content-length")
  if (length === undefined) return Either.right({ _tag: "UntilClose" })
  if (!isLength.test(length) || repeated.some((other) => other !== length)) {
    return Either.left("The response has a malformed Content-Length")
  }
  return Either.right({ _tag: "Length", bytes: Number(length) })
}

/** The state of a chunked body (RFC 9112 §7.1) between two pieces of input. */
interface State {
  readonly expects: "size" | "data" | "separator" | "trailer" | "nothing"
  /** The unfinished line, as text. */
  readonly line: string
  /** Bytes of the chunk still to come. */
  readonly left: number
  /** Bytes of trailer lines so far. */
  readonly trailers: number
}

/** The result of a piece of input: the state after it, and the body bytes in it. */
interface Step {
  readonly state: State
  readonly data: ReadonlyArray<Uint8Array>
  /** Bytes of the input that belong to the body. */
  readonly used: number
  /** The error after these bytes; null without an error. */
  readonly malformed: string | null
}

/** A chunked body before its first byte. */
const initial: State = { expects: "size", line: "", left: 0, trailers: 0 }

const longestLine = 4096
const longestTrailers = 16_384
const isSize = /^([\da-f]{1,12})[\t ]*(?:;.*)?$/i

const endLine = (state: State, line: string): Either.Either<State, string> => {
  switch (state.expects) {
    case "size": {
      const size = isSize.exec(line)?.[1]
      if (size === undefined) return Either.left("The response has a malformed chunk")
      const left = Number.parseInt(size, 16)
      return Either.right({ ...state, expects: left === 0 ? "trailer" : "data", line: "", left })
    }
    case "trailer":
      return Either.right({ ...state, expects: line === "" ? "nothing" : "trailer", line: "" })
    default:
      return line === ""
        ? Either.right({ ...state, expects: "size", line: "" })
        : Either.left("The response has a malformed chunk")
  }
}

const readLine = (state: State, bytes: Uint8Array): Either.Either<readonly [State, number], string> => {
  const newline = bytes.indexOf(0x0a)
  const end = newline === -1 ? bytes.length : newline
  const trailers = state.expects === "trailer" ? state.trailers + end : 0
  if (state.line.length + end > longestLine || trailers > longestTrailers) {
    return Either.left("The response has an oversized chunk line")
  }
  const line = state.line + String.fromCharCode(...bytes.subarray(0, end))
  if (newline === -1) return Either.right([{ ...state, line, trailers }, end])
  return Either.map(endLine({ ...state, trailers }, line.replace(/\r$/, "")), (next) => [next, end + 1])
}

/** Takes the next piece of input, without bytes after the last chunk. */
const chunkStep = (before: State, input: Uint8Array): Step => {
  const data: Array<Uint8Array> = []
  let state = before
  let at = 0
  while (at < input.length && state.expects !== "nothing") {
    if (state.expects === "data") {
      const part = input.subarray(at, at + state.left)
      const left = state.left - part.length
      data.push(part)
      state = { ...state, left, expects: left === 0 ? "separator" : "data" }
      at += part.length
    } else {
      const read = readLine(state, input.subarray(at))
      if (Either.isLeft(read)) return { state, data, used: at, malformed: read.left }
      state = read.right[0]
      at += read.right[1]
    }
  }
  return { state, data, used: at, malformed: null }
}

/** The bytes of a body without its framing. `ended` means that the connection may carry another exchange: the body has ended without further bytes. */
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
  let state = initial
  let surplus = false
  let fault: Fault | undefined
  const ready: Array<Uint8Array> = []
  const poll: Poll = () => {
    while (true) {
      const piece = ready.shift() ?? fault
      if (piece !== undefined || state.expects === "nothing") return piece
      const bytes = input()
      if (bytes === undefined) return protocol("The body ends before its last chunk")
      if (bytes === nothing || bytes instanceof Fault) return bytes
      const { data, malformed, state: next, used } = chunkStep(state, bytes)
      state = next
      surplus ||= used < bytes.length
      ready.push(...data)
      if (malformed !== null) fault = protocol(malformed)
    }
  }
  return { ended: () => state.expects === "nothing" && !surplus, poll }
}

/** Reads a body by its framing, without bytes beyond. */
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

/** The head of a response, and the bytes read after it. */
interface Heading {
  readonly head: Outbound.Head
  readonly rest: Uint8Array
}

/** The most bytes of all heads of one exchange, interim (1xx) ones included. */
const largestHeads = 65_536

/** A head that is being read. */
interface HeadReading {
  readonly step: ReadStep<Heading>
  /** The arrived part of the final response's head; undefined before the end of its status line. */
  readonly begun: () => Head | undefined
}

/**
 * Reads the head of the final response and skips interim ones (RFC 9110 §15.2); an earlier end of the connection is `reset`. The first byte of another protocol
 * is refused, because such a server may wait for our answer.
 */
export const readHead = (poll: Poll): HeadReading => {
  let buffer: Uint8Array = new Uint8Array()
  let spent = 0
  const begun = () => {
    const head = Outbound.begun(buffer)
    return head !== undefined && head.status >= 200 ? head : undefined
  }
  const step = () => {
    while (true) {
      if (!Outbound.mayBegin(buffer)) return protocol(Outbound.foreign)
      const end = Outbound.endOf(buffer)
      if (spent + (end === -1 ? buffer.length : end) > largestHeads) {
        return protocol(`The response headers are larger than ${largestHeads} bytes`)
      }
      if (end === -1) {
        const piece = poll()
        if (piece === nothing || piece instanceof Fault) return piece
        if (piece === undefined) {
          return new Fault({ reason: "reset", message: "The server closed the connection before it responded" })
        }
        buffer = buffer.length === 0 ? piece : joined(buffer, piece)
        continue
      }
      const parsed = Outbound.parse(buffer.subarray(0, end))
      if (Either.isLeft(parsed)) return protocol(parsed.left)
      const head = parsed.right
      const rest = buffer.subarray(end)
      if (head.status === 101) return protocol("The response switches to another protocol")
      if (head.status >= 200) return { head, rest }
      spent += end
      buffer = rest
    }
  }
  return { begun, step }
}

/** A response that is being read. */
interface Reading<A> {
  readonly step: ReadStep<A>
  /** The outcome after this fault: the fault, or an incomplete response. */
  readonly broken: (fault: Fault) => A | Fault
  /** Ends its decoders. */
  readonly close: () => void
}

const free = () => {}

/** Bounds the input of a coding with little output. An honest coding never doubles its content. */
const bounded = (raw: Poll, most: number): Poll => {
  let left = 2 * most + 1_048_576
  return () => {
    const piece = raw()
    if (piece instanceof Uint8Array) left -= piece.length
    return left < 0 ? protocol("The encoded body is larger than its decoded content") : piece
  }
}

const unread: Collected = { body: new Uint8Array(), bytesRead: 0, truncated: false }

const closing = (head: Head) =>
  !head.persistent || members(head, "connection").some((option) => option.toLowerCase() === "close")

/** The response, and whether the connection may carry another exchange. */
export interface Answered {
  readonly answer: Omit<Outbound.OutboundResponse, "timings">
  readonly lasting: boolean
}

const answered = (
  head: Head,
  collected: Collected,
  ended: boolean,
  remoteAddress: string,
  trailing: Trailing | null = null
): Answered => ({
  answer: {
    status: head.status,
    headers: head.fields,
    ...collected,
    ...(trailing === null ? {} : { trailing }),
    remoteAddress
  },
  lasting: ended && !collected.truncated && !closing(head)
})

/** A response that a fault left incomplete. */
const brokenBy = (incomplete: Fault, head: Head, collected: Collected, remoteAddress: string): Answered => ({
  answer: { ...answered(head, collected, false, remoteAddress).answer, incomplete },
  lasting: false
})

/** A body that is being read. */
interface BodyReading {
  readonly step: ReadStep<Answered>
  readonly soFar: () => Collected
  readonly close: () => void
}

/** Reads the body after this head, up to its limit. */
const readRest = (
  { poll, remoteAddress, wakeUp }: Connection,
  request: OutboundRequest,
  { head, rest }: Heading
): BodyReading | Fault => {
  const framing = of(request.method, head)
  if (Either.isLeft(framing)) return protocol(framing.left)
  const encodings = readEncodings(request.decode ? members(head, "content-encoding") : [])
  if (Either.isLeft(encodings)) return protocol(encodings.left)
  const body = readBody(framing.right, rest, poll)
  const most = Math.min(request.maxBytes, request.bodyLimit?.(head) ?? request.maxBytes)
  if (most === 0)
    return { close: free, soFar: () => unread, step: () => answered(head, unread, body.ended(), remoteAddress) }
  const plain =
    encodings.right.length === 0
      ? { close: free, poll: body.poll, trailing: () => null }
      : decode(encodings.right, bounded(body.poll, most), wakeUp)
  const collecting = collect(plain.poll, request.keepBytes, most)
  const step = () => {
    const collected = collecting.step()
    if (collected === nothing || collected instanceof Fault) return collected
    return answered(head, collected, body.ended(), remoteAddress, plain.trailing())
  }
  return { close: plain.close, soFar: collecting.soFar, step }
}

/** Reads the response to a request over a connection. */
export const readAnswer = (connection: Connection, request: OutboundRequest, watch: Stopwatch): Reading<Answered> => {
  const reading = readHead(() => {
    const piece = connection.poll()
    if (piece instanceof Uint8Array) watch.lap("firstByteMs")
    return piece
  })
  let whole: Head | undefined
  let rest: BodyReading | undefined
  const read = () => {
    if (rest !== undefined) return rest.step()
    const heading = reading.step()
    if (heading === nothing || heading instanceof Fault) return heading
    whole = heading.head
    const body = readRest(connection, request, heading)
    if (body instanceof Fault) return body
    rest = body
    return rest.step()
  }
  const broken = (fault: Fault) => {
    const head = request.statusDecides === true ? (whole ?? reading.begun()) : undefined
    return head === undefined ? fault : brokenBy(fault, head, rest?.soFar() ?? unread, connection.remoteAddress)
  }
  const step = () => {
    const outcome = read()
    return outcome instanceof Fault ? broken(outcome) : outcome
  }
  return { broken, close: () => rest?.close(), step }
}
