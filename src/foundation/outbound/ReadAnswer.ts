import * as Either from "effect/Either"
import { type Collected, collect, nothing, type Poll, prefixed, type Step as ReadStep } from "./Body.ts"
import { acceptedCodings, decode, readEncodings, type Trailing } from "./Codings.ts"
import * as Outbound from "./Outbound.ts"
import { Fault, type Head, members, type OutboundRequest, protocol } from "./Outbound.ts"
import type { Connection } from "./Socket.ts"
import type { Stopwatch } from "./Timing.ts"

/** What marks the end of a body. */
type Framing =
  | { readonly _tag: "Length"; readonly bytes: number }
  | { readonly _tag: "Chunked" }
  | { readonly _tag: "UntilClose" }

const none: Framing = { _tag: "Length", bytes: 0 }

const isLength = /^\d{1,15}$/

/** The framing of a response by RFC 9112 §6.3: its method and status first, then Transfer-Encoding, then Content-Length, else the connection's end. */
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

/** Takes the next piece of input; bytes after the last chunk are left alone. */
const chunkStep = (before: State, input: Uint8Array): Either.Either<Step, string> => {
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
      if (Either.isLeft(read)) return Either.left(read.left)
      state = read.right[0]
      at += read.right[1]
    }
  }
  return Either.right({ state, data, used: at })
}

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
  let state = initial
  let surplus = false
  const ready: Array<Uint8Array> = []
  const poll: Poll = () => {
    while (true) {
      const piece = ready.shift()
      if (piece !== undefined || state.expects === "nothing") return piece
      const bytes = input()
      if (bytes === undefined) return protocol("The body ends before its last chunk")
      if (bytes === nothing || bytes instanceof Fault) return bytes
      const step = chunkStep(state, bytes)
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

/** The head of a response, and the bytes read after it. */
interface Heading {
  readonly head: Outbound.Head
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
export const readHead = (poll: Poll): ReadStep<Heading> => {
  let buffer: Uint8Array = new Uint8Array()
  let spent = 0
  return () => {
    while (true) {
      const end = Outbound.endOf(buffer)
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
}

/** An answer that is being read. */
interface Reading<A> {
  readonly step: ReadStep<A>
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
const answered = (
  head: Head,
  collected: Collected,
  ended: boolean,
  remoteAddress: string,
  trailing: Trailing | null = null
) => ({
  answer: {
    status: head.status,
    headers: head.fields,
    ...collected,
    ...(trailing === null ? {} : { trailing }),
    remoteAddress
  },
  lasting: ended && !collected.truncated && !closing(head)
})
export type Answered = ReturnType<typeof answered>

/** Reads the body after this head, up to its limit. */
const readRest = (
  { poll, remoteAddress, wakeUp }: Connection,
  request: OutboundRequest,
  { head, rest }: Heading
): Reading<Answered> | Fault => {
  const framing = of(request.method, head)
  if (Either.isLeft(framing)) return protocol(framing.left)
  const encodings = readEncodings(request.decode ? members(head, "content-encoding") : [])
  if (Either.isLeft(encodings)) return protocol(encodings.left)
  const body = readBody(framing.right, rest, poll)
  const most = Math.min(request.maxBytes, request.bodyLimit?.(head) ?? request.maxBytes)
  if (most === 0) return { close: free, step: () => answered(head, unread, body.ended(), remoteAddress) }
  const plain =
    encodings.right.length === 0
      ? { close: free, poll: body.poll, trailing: () => null }
      : decode(encodings.right, bounded(body.poll, most), wakeUp)
  const read = collect(plain.poll, request.keepBytes, most)
  const step = () => {
    const collected = read()
    if (collected === nothing || collected instanceof Fault) return collected
    return answered(head, collected, body.ended(), remoteAddress, plain.trailing())
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

/** Fields that this client sets itself or never sends: framing, connection and credentials. */
const withheld = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const isToken = /^[\w!#$%&'*+.^`|~-]+$/

// Visible characters of ISO 8859-1 with spaces and tabs between them (RFC 9110 §5.5).
const isValue = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

const isTarget = /^[\x21-\x7e]+$/

const utf8 = new TextEncoder()

/** The text as ISO 8859-1. Pure ASCII is the same in UTF-8, which the encoder writes at once. */
const bytesOf = (text: string) => {
  const bytes = utf8.encode(text)
  return bytes.length === text.length ? bytes : Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** The whole request as it goes over the wire: HTTP/1.1, the body as it is. */
export const encode = (request: OutboundRequest): Either.Either<Uint8Array, Fault> => {
  const { url, method, body } = request
  const target = `${url.pathname}${url.search}`
  const named = Object.entries(request.headers ?? {}).filter(([name]) => !withheld.has(name.toLowerCase()))
  const given = [
    ...named,
    ...(request.authorization === undefined ? [] : [["Authorization", request.authorization] as const]),
    ...(request.cookies === undefined ? [] : [["Cookie", request.cookies] as const])
  ]
  const bad = given.find(([name, value]) => !isToken.test(name) || !isValue.test(value))
  if (bad !== undefined) return Either.left(protocol(`The request field ${JSON.stringify(bad[0])} cannot be sent`))
  if (!isTarget.test(target)) return Either.left(protocol("The path of the URL cannot be sent"))
  const fields = [
    ["Host", url.host],
    ...given,
    ["Accept-Encoding", request.decode ? acceptedCodings : "identity"],
    ...(method === "POST" || body !== undefined ? [["Content-Length", `${body?.length ?? 0}`]] : []),
    ...(request.reuse === true ? [] : [["Connection", "close"]])
  ]
  const head = bytesOf(
    `${method} ${target} HTTP/1.1\r\n${fields.map((field) => `${field.join(": ")}\r\n`).join("")}\r\n`
  )
  if (body === undefined) return Either.right(head)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return Either.right(bytes)
}
