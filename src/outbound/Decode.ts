/**
 * Platform adapter: streaming decompression with `node:zlib`. Its streams stop when 64 KiB of output wait to be read, so a bomb costs no more
 * than what its reader asks for (measured: 300 MB out of 481 bytes of brotli, read to 20 MB, made the process 14 MB larger).
 */
import type { Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Encoding } from "./Encodings.ts"
import { type Fault, protocol } from "./Fault.ts"
import { end, type Pull, prefixed } from "./Pull.ts"
import * as Readable from "./socket/Readable.ts"
import * as Zstd from "./Zstd.ts"

/** Makes the decoder; `first` is the first piece of input: "deflate" may come without its zlib wrapper, which begins with a method of 8 (RFC 1950 §2.2). */
const decoder = (encoding: Encoding, first: Uint8Array): Transform => {
  switch (encoding) {
    case "gzip":
      return createGunzip()
    case "deflate":
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
    case "br":
      return createBrotliDecompress()
    case "zstd":
      return Zstd.decoder()
  }
}

const through = (transform: Transform, encoding: Encoding, input: Pull): Pull => {
  const broken = protocol(`The body is not what its content coding (${encoding}) says`)
  const output = Readable.source(transform, () => broken, broken)
  let busy = false
  const write = (piece: Uint8Array | undefined) => {
    busy = true
    if (piece === undefined) transform.end()
    else {
      transform.write(piece, () => {
        busy = false
        output.ring()
      })
    }
  }
  const next: Pull = Effect.suspend(() => {
    const piece = output.poll()
    if (piece !== undefined) return piece
    if (busy) return Effect.zipRight(output.changed, next)
    return Effect.flatMap(input, (more) => {
      write(more)
      return next
    })
  })
  return next
}

const decodeOne = (encoding: Encoding, input: Pull): Effect.Effect<Pull, Fault, Scope.Scope> =>
  Effect.flatMap(input, (first) => {
    // An empty body is not encoded at all, whatever the field says.
    if (first === undefined) return Effect.succeed(end)
    if (encoding === "zstd" && !Zstd.isAvailable) return protocol("The body is in zstd, which was not asked for")
    return Effect.acquireRelease(
      Effect.sync(() => decoder(encoding, first)),
      (transform) => Effect.sync(() => transform.destroy())
    ).pipe(Effect.map((transform) => through(transform, encoding, prefixed(first, input))))
  })

/** Undoes the content codings of a body, the first of the list first; input is asked for only when all output so far was taken. */
export const decode = (encodings: ReadonlyArray<Encoding>, body: Pull): Effect.Effect<Pull, Fault, Scope.Scope> =>
  Effect.reduce(encodings, body, (input, encoding) => decodeOne(encoding, input))
