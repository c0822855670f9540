import { expect, test } from "bun:test"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { frame, frames, mostBytes } from "../../../../../src/features/rankings/uploads/decoder/DecodeProcess.ts"

const read = (bytes: Uint8Array, piece: number) => {
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
    bytes.slice(index * piece, (index + 1) * piece)
  )
  return Effect.runSync(
    Effect.either(Effect.map(Stream.runCollect(frames(Stream.fromIterable(pieces))), Chunk.toReadonlyArray))
  )
}

test("frames are parsed completely, also empty ones, in chunks of any length", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      (all, piece) => {
        const bytes = new Uint8Array(Buffer.concat(all.map((one) => frame(one.subarray(0, 3), one.subarray(3)))))
        expect(Either.getOrThrow(read(bytes, piece)).map((one) => [...one])).toEqual(all.map((one) => [...one]))
      }
    )
  )
})

test("a frame that ends early, or claims to be longer than allowed, is an error", () => {
  const bytes = frame(new Uint8Array(10))
  for (const end of [1, 3, 4, 13]) expect(read(bytes.slice(0, end), 5)).toMatchObject({ left: { _tag: "FrameBroken" } })
  const head = new Uint8Array(4)
  new DataView(head.buffer).setUint32(0, mostBytes + 1)
  expect(read(head, 4)).toMatchObject({ left: { _tag: "FrameBroken" } })
})
