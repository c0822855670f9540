/**
 * Platform adapter: content codings (RFC 9110 §8.4.1, RFC 7932, RFC 8878) and their streaming decompression with `node:zlib`. Its streams pause when
 * 64 KiB of output wait to be read, so a bomb costs no more than its reader takes (measured: 300 MB out of 481 bytes of brotli, read to 20 MB, made the
 * process 14 MB larger).
 */
import type { Transform } from "node:stream"
import * as zlib from "node:zlib"
import * as Either from "effect/Either"
import { Fault, protocol } from "./Outbound.ts"
import { nothing, type Poll, pollReadable, prefixed, type WakeUp } from "./Poll.ts"

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
