import type { Readable, Transform } from "node:stream"
import * as zlib from "node:zlib"
import * as Either from "effect/Either"
import { Fault, protocol } from "./Outbound.ts"

/** Reading on demand. Platform adapter for a `node:stream`: in paused mode, without read-ahead beyond the stream's own small buffer. */

/** No data has arrived yet. */
export const nothing: unique symbol = Symbol("outbound/nothing")
type Nothing = typeof nothing

/**
 * The next piece of a byte stream, its end (undefined), its failure, or nothing yet. Reads are on demand, which holds the sender back, and synchronous
 * when data is buffered.
 */
export type Poll = () => Uint8Array | undefined | Fault | Nothing

/** A step of reading a result from a stream; `nothing` means to try again when more has arrived. */
export type Step<A> = () => A | Fault | Nothing

/** Puts bytes that were read before in front of the rest. */
export const prefixed = (bytes: Uint8Array, poll: Poll): Poll => {
  let first = bytes.length > 0 ? bytes : undefined
  return () => {
    const piece = first
    first = undefined
    return piece ?? poll()
  }
}

/** Notifies the reader of a connection, or of bytes decoded from it, that there may be more to read. */
export interface WakeUp {
  readonly ring: () => void
  /** Sets the callback, replacing the one before. */
  readonly listen: (listener: () => void) => void
}

/** A wake-up for one listener at a time. */
export const makeWakeUp = (): WakeUp => {
  let current = () => {}
  return {
    ring: () => current(),
    listen: (listener) => {
      current = listener
    }
  }
}

/** Takes over a stream; `failed` maps its errors, `cut` is the fault of a stream that closes without an end, and every change rings the wake-up. */
export const pollReadable = (stream: Readable, failed: (error: Error) => Fault, cut: Fault, wakeUp: WakeUp): Poll => {
  // An earlier error was emitted before the listeners below existed; it is on the stream.
  let outcome: Fault | undefined | typeof nothing = nothing
  if (stream.destroyed) outcome = stream.errored == null ? cut : failed(stream.errored)
  const finish = (ended: Fault | undefined) => {
    if (outcome === nothing) outcome = ended
    wakeUp.ring()
  }
  stream.on("readable", wakeUp.ring)
  stream.on("end", () => finish(undefined))
  stream.on("error", (error) => finish(failed(error)))
  stream.on("close", () => finish(cut))
  return () => {
    const chunk: unknown = stream.read()
    return chunk instanceof Uint8Array ? chunk : outcome
  }
}

/** A body as far as it was read. */
export interface Collected {
  readonly body: Uint8Array
  readonly bytesRead: number
  readonly truncated: boolean
}

const firstRoom = 65_536
const muchRoom = 4_194_304

/** The bytes in a larger buffer: twice the current need, or for large bodies the most they may need, which takes no memory until it is used. */
const grown = (bytes: Uint8Array, length: number, needed: number, most: number): Uint8Array => {
  if (needed <= bytes.length) return bytes
  const room = needed > muchRoom ? most : Math.max(firstRoom, 2 * needed)
  const more = new Uint8Array(Math.min(most, room))
  more.set(bytes.subarray(0, length))
  return more
}

/** A body that is being read. */
interface Collecting {
  readonly step: Step<Collected>
  /** What has come of it. */
  readonly soFar: () => Collected
}

/** Reads a body to its end or past `most` bytes, and keeps its first `keep`. The result does not depend on how the network cut it. */
export const collect = (poll: Poll, keep: number, most: number): Collecting => {
  const wanted = Math.min(keep, most)
  let kept: Uint8Array = new Uint8Array()
  let length = 0
  let seen = 0
  const soFar = () => {
    const body = 2 * length < kept.length ? kept.slice(0, length) : kept.subarray(0, length)
    return { body, bytesRead: Math.min(seen, most), truncated: seen > most }
  }
  const step = () => {
    while (seen <= most) {
      const piece = poll()
      if (piece === nothing || piece instanceof Fault) return piece
      if (piece === undefined) break
      seen += piece.length
      const part = piece.subarray(0, wanted - length)
      kept = grown(kept, length, length + part.length, wanted)
      kept.set(part, length)
      length += part.length
    }
    return soFar()
  }
  return { soFar, step }
}

/**
 * Platform adapter: content codings (RFC 9110 §8.4.1, RFC 7932, RFC 8878) and their streaming decompression with `node:zlib`. Its streams pause when
 * 64 KiB of output wait to be read, so a bomb costs no more than its reader takes (measured: 300 MB out of 481 bytes of brotli, read to 20 MB, made the
 * process 14 MB larger).
 */

/** A content coding that is decoded here. */
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
 * The codings to undo, the one applied last first. Names that are not decoded here (`identity`, `utf-8`, `none`,
 * `aws-chunked`) are ignored, as in browsers: the body is taken as it is.
 */
export const readEncodings = (members: ReadonlyArray<string>): Either.Either<ReadonlyArray<Encoding>, string> => {
  const encodings = members.flatMap((member) =>
    Object.hasOwn(known, member.toLowerCase()) ? (known[member.toLowerCase()] ?? []) : []
  )
  return encodings.length > mostEncodings
    ? Either.left("The response has too many content codings")
    : Either.right(encodings.toReversed())
}

/** Whether this runtime can decode Zstandard: Bun can, Node from 22.15 on. Elsewhere requests do not accept it. */
const hasZstd = "createZstdDecompress" in zlib

/** The largest window of Zstandard that RFC 9659 lets a server use. */
const largestWindow = 23

const zstdDecoder = () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: largestWindow } })

/** The `Accept-Encoding` of requests whose answers are decoded. */
export const acceptedCodings = hasZstd ? "gzip, deflate, br, zstd" : "gzip, deflate, br"

/** Makes the decoder; `first` is the first piece of input: "deflate" may come without its zlib wrapper, which begins with a method of 8 (RFC 1950 §2.2). */
const decoder = (encoding: Encoding, first: Uint8Array): Transform => {
  switch (encoding) {
    case "gzip":
      return zlib.createGunzip()
    case "deflate":
      return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    case "br":
      return zlib.createBrotliDecompress()
    case "zstd":
      return zstdDecoder()
  }
}

const through = (transform: Transform, encoding: Encoding, input: Poll, wakeUp: WakeUp): Poll => {
  const broken = protocol(`The body is not what its content coding (${encoding}) says`)
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

/** A body without its content codings. */
interface Decoded {
  readonly poll: Poll
  /** Ends the decoders. */
  readonly close: () => void
}

/** Undoes the content codings of a body, the first of the list first; input is read only when all output so far was taken. */
export const decode = (encodings: ReadonlyArray<Encoding>, body: Poll, wakeUp: WakeUp): Decoded => {
  const transforms: Array<Transform> = []
  const one = (input: Poll, encoding: Encoding): Poll => {
    let output: Poll | undefined
    return () => {
      if (output !== undefined) return output()
      const first = input()
      // An empty body is not encoded at all, whatever the field says.
      if (!(first instanceof Uint8Array)) return first
      if (encoding === "zstd" && !hasZstd) return protocol("The body is in zstd, which the request did not accept")
      const transform = decoder(encoding, first)
      transforms.push(transform)
      output = through(transform, encoding, prefixed(first, input), wakeUp)
      return output()
    }
  }
  return {
    close: () => {
      for (const transform of transforms) transform.destroy()
    },
    poll: encodings.reduce(one, body)
  }
}
