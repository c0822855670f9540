/**
 * Platform adapter: streaming decompression with `node:zlib`. Its streams pause when 64 KiB of output wait to be read, so a bomb costs no more
 * than its reader takes (measured: 300 MB out of 481 bytes of brotli, read to 20 MB, made the process 14 MB larger).
 */
import type { Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import type { Encoding } from "./Encodings.ts"
import { Fault, protocol } from "./Fault.ts"
import { nothing, type Poll, prefixed } from "./Poll.ts"
import * as Readable from "./socket/Readable.ts"
import type { WakeUp } from "./WakeUp.ts"
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

const through = (transform: Transform, encoding: Encoding, input: Poll, wakeUp: WakeUp): Poll => {
  const broken = protocol(`The body is not what its content coding (${encoding}) says`)
  const output = Readable.poll(transform, () => broken, broken, wakeUp)
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
export interface Decoded {
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
      if (encoding === "zstd" && !Zstd.isAvailable) return protocol("The body is in zstd, which was not asked for")
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
