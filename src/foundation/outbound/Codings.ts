import type { Transform } from "node:stream"
import * as zlib from "node:zlib"
import * as Either from "effect/Either"
import { joined, type Nothing, nothing, type Poll, pollReadable, prefixed, type WakeUp } from "./Body.ts"
import { Fault, protocol, type Trailing } from "./Outbound.ts"

/**
 * Platform adapter: content codings (RFC 9110 §8.4.1, RFC 7932, RFC 8878) and their streaming decompression with `node:zlib`. Its streams pause at 64 KiB of
 * unread output, so a bomb costs no more than its reader takes (measured: 300 MB out of 481 bytes of brotli, read to 20 MB, made the process 14 MB larger).
 */

/** A content coding that we decode; gzip has a separate decoder. */
type Encoding = "gzip" | "deflate" | "br" | "zstd"

const known: Readonly<Record<string, Encoding>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "br",
  zstd: "zstd"
}

/** The most codings of one body: each multiplies the size that a few bytes can expand to, and no honest server needs many. */
const mostEncodings = 3

/**
 * The codings to undo, in reverse order of their application. Other names (`identity`, `utf-8`, `none`, `aws-chunked`) are ignored, as in browsers, and the
 * body stays as it is.
 */
export const readEncodings = (members: ReadonlyArray<string>): Either.Either<ReadonlyArray<Encoding>, string> => {
  const encodings = members.flatMap((member) =>
    Object.hasOwn(known, member.toLowerCase()) ? (known[member.toLowerCase()] ?? []) : []
  )
  return encodings.length > mostEncodings
    ? Either.left("The response has too many content codings")
    : Either.right(encodings.toReversed())
}

/** Whether this runtime can decode Zstandard: Bun, and Node from 22.15. Other runtimes send requests that do not accept it. */
const hasZstd = "createZstdDecompress" in zlib

/** The largest window of Zstandard that RFC 9659 lets a server use. */
const largestWindow = 23

const zstdDecoder = () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: largestWindow } })

/** The `Accept-Encoding` of requests with decoding. */
export const acceptedCodings = hasZstd ? "gzip, deflate, br, zstd" : "gzip, deflate, br"

/**
 * Makes the decoder of a coding other than gzip. `first` is the first piece of input: "deflate" may lack its zlib wrapper, which begins with a method of 8 (RFC
 * 1950 §2.2).
 */
const decoder = (encoding: Exclude<Encoding, "gzip">, first: Uint8Array): Transform => {
  switch (encoding) {
    case "deflate":
      return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    case "br":
      return zlib.createBrotliDecompress()
    case "zstd":
      return zstdDecoder()
  }
}

const brokenCoding = (encoding: Encoding): Fault =>
  protocol(`The body is not valid ${encoding}, which its Content-Encoding declares`)

const through = (transform: Transform, broken: Fault, input: Poll, wakeUp: WakeUp): Poll => {
  const output = pollReadable(transform, () => broken, broken, wakeUp)
  let busy = false
  const write = (piece: Uint8Array | undefined) => {
    busy = true
    if (piece === undefined) transform.end()
    else {
      transform.write(piece, () => {
        busy = false
        wakeUp.ring()
      })
    }
  }
  return () => {
    while (true) {
      const piece = output()
      if (piece !== nothing || busy) return piece
      const more = input()
      if (more === nothing || more instanceof Fault) return more
      write(more)
    }
  }
}

const bytesOfTrailing = 200
/** The most bytes of a member's header, because gzip does not limit its name and comment. */
const longestHeader = 16_384
/** The most members of one stream. Each member takes a decoder; 50 MB in blocks of 64 KiB have 800. */
const mostMembers = 10_000

/** Whether the bytes begin a member of a gzip stream (RFC 1952 §2.3.1). */
const beginsMember = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8

/** Bytes of a member's header (RFC 1952 §2.3); undefined until enough of the header has arrived. */
const headerLength = (bytes: Uint8Array): number | undefined => {
  const flags = bytes[3] ?? 0
  let at = 10
  if ((flags & 4) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0)
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue
    const end = bytes.indexOf(0, at)
    if (end === -1) return undefined
    at = end + 1
  }
  if ((flags & 2) !== 0) at += 2
  return at <= bytes.length ? at : undefined
}

/** The checksum of RFC 1952 §8; a runtime without it (Node before 20.15) checks the length alone. */
const checksum = "crc32" in zlib ? zlib.crc32 : undefined

/** One member while it is inflated. */
interface Member {
  readonly inflate: zlib.InflateRaw
  readonly output: Poll
  /** Input beyond the member, known at its end. */
  readonly left: () => Uint8Array
  sum: number
  length: number
}

/**
 * Decompresses a gzip stream: all its members (RFC 1952 §2.2), then zeros as padding. Other bytes after the members are ignored, as in browsers; `node:zlib`
 * takes them for damage and drops the last of the content.
 */
class GzipStream {
  trailing: Trailing | null = null
  private held: Uint8Array = new Uint8Array()
  private state: "member" | "data" | "sum" | "trailing" = "member"
  private member: Member | undefined
  private members = 0
  private zeros = 0
  private hasEnded = false

  constructor(
    private readonly input: Poll,
    private readonly broken: Fault,
    private readonly wakeUp: WakeUp
  ) {}

  close(): void {
    this.member?.inflate.destroy()
  }

  poll(): ReturnType<Poll> {
    while (true) {
      const step = this.step()
      if (step !== "again") return step
    }
  }

  private step(): ReturnType<Poll> | "again" {
    switch (this.state) {
      case "member":
        return this.begin()
      case "data":
        return this.inflated()
      case "sum":
        return this.checked()
      case "trailing":
        return this.ignored()
    }
  }

  /** Waits for more input after the held bytes. */
  private more(): Fault | Nothing | "again" {
    const piece = this.input()
    if (piece === nothing || piece instanceof Fault) return piece
    if (piece === undefined) this.hasEnded = true
    else this.held = this.held.length === 0 ? piece : joined(this.held, piece)
    return "again"
  }

  private begin(): ReturnType<Poll> | "again" {
    if (this.members > 0) this.skipZeros()
    if (this.held.length < 3 && !this.hasEnded) return this.more()
    if (this.held.length === 0) return undefined
    const isMember = beginsMember(this.held)
    const header = isMember ? headerLength(this.held) : undefined
    if (header !== undefined) return this.open(header)
    if (isMember && !this.hasEnded && this.held.length < longestHeader) return this.more()
    if (this.members === 0) return this.broken
    this.state = "trailing"
    this.trailing = { bytes: this.zeros + this.held.length, start: this.held.slice(0, bytesOfTrailing) }
    return "again"
  }

  private skipZeros(): void {
    const end = this.held.findIndex((byte) => byte !== 0)
    const zeros = end === -1 ? this.held.length : end
    this.zeros += zeros
    this.held = this.held.subarray(zeros)
  }

  private open(header: number): "again" | Fault {
    this.members++
    if (this.members > mostMembers) return this.broken
    this.zeros = 0
    const inflate = zlib.createInflateRaw()
    let last: Uint8Array = new Uint8Array()
    let given = 0
    const rest = prefixed(this.held.subarray(header), () => (this.hasEnded ? undefined : this.input()))
    const input: Poll = () => {
      const piece = rest()
      if (piece === undefined) this.hasEnded = true
      if (piece instanceof Uint8Array) {
        last = piece
        given += piece.length
      }
      return piece
    }
    const output = through(inflate, this.broken, input, this.wakeUp)
    const left = () => last.subarray(last.length - (given - inflate.bytesWritten))
    this.member = { inflate, output, left, sum: 0, length: 0 }
    this.state = "data"
    return "again"
  }

  private inflated(): ReturnType<Poll> | "again" {
    const { member } = this
    const piece = member?.output()
    if (member === undefined || (piece !== undefined && !(piece instanceof Uint8Array))) return piece
    if (piece !== undefined) {
      member.sum = checksum?.(piece, member.sum) ?? 0
      member.length = (member.length + piece.length) % 2 ** 32
      return piece
    }
    this.held = member.left()
    this.state = "sum"
    return "again"
  }

  /** Checks the checksum and the length after the data (RFC 1952 §2.3.1). */
  private checked(): Fault | Nothing | "again" {
    const { held, member } = this
    if (held.length < 8) return this.hasEnded ? this.broken : this.more()
    const view = new DataView(held.buffer, held.byteOffset, 8)
    const isSum = checksum === undefined || view.getUint32(0, true) === member?.sum
    if (!isSum || view.getUint32(4, true) !== member?.length) return this.broken
    member.inflate.destroy()
    this.held = held.subarray(8)
    this.state = "member"
    return "again"
  }

  /** Takes further bytes from the connection, and counts them. */
  private ignored(): Fault | Nothing | undefined | "again" {
    const piece = this.hasEnded ? undefined : this.input()
    if (!(piece instanceof Uint8Array)) return piece
    const { bytes, start } = this.trailing ?? { bytes: 0, start: new Uint8Array() }
    const room = bytesOfTrailing - start.length
    this.trailing = {
      bytes: bytes + piece.length,
      start: room > 0 ? joined(start, piece.subarray(0, room)) : start
    }
    return "again"
  }
}

/** A body without its content codings. */
interface Decoded {
  readonly poll: Poll
  /** The bytes after the gzip stream, once all is read; null without such bytes. */
  readonly trailing: () => Trailing | null
  /** Ends the decoders. */
  readonly close: () => void
}

/** Undoes the content codings of a body in the order of the list. Input is read only after all earlier output was taken. */
export const decode = (encodings: ReadonlyArray<Encoding>, body: Poll, wakeUp: WakeUp): Decoded => {
  const transforms: Array<Transform> = []
  const streams: Array<GzipStream> = []
  const one = (input: Poll, encoding: Encoding): Poll => {
    if (encoding === "gzip") {
      const stream = new GzipStream(input, brokenCoding(encoding), wakeUp)
      streams.push(stream)
      return () => stream.poll()
    }
    let output: Poll | undefined
    return () => {
      if (output !== undefined) return output()
      const first = input()
      // An empty body is not encoded, even with a Content-Encoding.
      if (!(first instanceof Uint8Array)) return first
      if (encoding === "zstd" && !hasZstd) return protocol("The body is in zstd, which the request did not accept")
      const transform = decoder(encoding, first)
      transforms.push(transform)
      output = through(transform, brokenCoding(encoding), prefixed(first, input), wakeUp)
      return output()
    }
  }
  return {
    close: () => {
      for (const transform of transforms) transform.destroy()
      for (const stream of streams) stream.close()
    },
    trailing: () => streams.find(({ trailing }) => trailing !== null)?.trailing ?? null,
    poll: encodings.reduce(one, body)
  }
}
