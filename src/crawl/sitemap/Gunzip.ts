import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** The bytes stopped being gzip: what was decompressed before came through. */
export interface GzipBroken {
  readonly _tag: "GzipBroken"
}

const pieceBytes = 64 * 1024

/** Whether the bytes are gzip by their magic number, whatever their name or type says (RFC 1952 §2.3.1). */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

const slices = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (at) =>
    at >= bytes.length ? Option.none() : Option.some([bytes.subarray(at, at + pieceBytes), at + pieceBytes] as const)
  )

/** The decompressor makes all it can of what it is given, which may be a thousand times as much: it is given little at a time. */
const morsel = 4 * 1024

const morsels = (bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, at + morsel))
      at += morsel
    }
  })
}

/** The file's content in pieces, decompressed where it is gzip; a consumer that stops early stops the decompression. */
export const content = (bytes: Uint8Array): Stream.Stream<Uint8Array, GzipBroken> =>
  isGzip(bytes)
    ? Stream.fromReadableStream(
        () => morsels(bytes).pipeThrough(new DecompressionStream("gzip")),
        (): GzipBroken => ({ _tag: "GzipBroken" })
      )
    : slices(bytes)
