import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Bytes before each frame: how many it has, the most significant first. */
export const headBytes = 4

/** Bytes that a frame may have; a longer one is not from our process. */
export const mostBytes = 8 * 1024 * 1024

/** A frame: the length of the bytes, then the bytes. */
export const frame = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = new Uint8Array(headBytes + length)
  new DataView(bytes.buffer).setUint32(0, length)
  let at = headBytes
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** How many bytes a frame has, by what stands in front of it. */
export const lengthOf = (head: Uint8Array): number => new DataView(head.buffer, head.byteOffset, headBytes).getUint32(0)

/** What arrived is no frame, or ends inside one. */
class FrameBroken extends Data.TaggedError("FrameBroken") {}

/** Frames out of chunks of any size. */
export const frames = <E, R>(chunks: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | FrameBroken, R> =>
  Stream.suspend(() => {
    const head = new Uint8Array(headBytes)
    let body: Uint8Array | undefined
    let filled = 0
    const cut = (chunk: Uint8Array): Effect.Effect<ReadonlyArray<Uint8Array>, FrameBroken> => {
      const found: Array<Uint8Array> = []
      for (let at = 0; at < chunk.length; ) {
        const target = body ?? head
        const part = chunk.subarray(at, at + target.length - filled)
        target.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < target.length) continue
        filled = 0
        if (body !== undefined) {
          found.push(body)
          body = undefined
          continue
        }
        const length = lengthOf(head)
        if (length > mostBytes) return new FrameBroken()
        if (length === 0) found.push(new Uint8Array(0))
        else body = new Uint8Array(length)
      }
      return Effect.succeed(found)
    }
    const rest = Stream.suspend(() =>
      filled > 0 || body !== undefined ? Stream.fail(new FrameBroken()) : Stream.empty
    )
    return chunks.pipe(
      Stream.mapEffect(cut),
      Stream.mapConcat((found) => found),
      Stream.concat(rest)
    )
  })
