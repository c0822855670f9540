import { expect } from "bun:test"
import { gzipSync } from "node:zlib"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { gunzip, gzip } from "../../../src/foundation/text/Compressed.ts"
import { it } from "../../harness.ts"

const options = { failed: () => "damaged" as const, pieceBytes: 1024 }
const text = Buffer.from("words of a file, ".repeat(1000))

const unpacked = (...pieces: ReadonlyArray<Uint8Array>) =>
  Stream.runCollect(gunzip(options)(Stream.fromIterable(pieces))).pipe(
    Effect.map((found) => Buffer.concat(Chunk.toReadonlyArray(found)))
  )

it("gzip is decompressed to its source, in chunks of the requested size", function* () {
  const pieces = yield* Stream.runCollect(gunzip(options)(gzip(options)(Stream.make(text, text))))
  expect(Buffer.concat(Chunk.toReadonlyArray(pieces))).toEqual(Buffer.concat([text, text]))
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(1024)
})

it("concatenated gzip files are one, wherever they are cut, and trailing zeros are padding", function* () {
  const file = Buffer.concat([gzipSync(text), gzipSync(text), Buffer.alloc(512)])
  expect(yield* unpacked(file.subarray(0, 15), file.subarray(15))).toEqual(Buffer.concat([text, text]))
})

it("a gzip file that is cut, damaged, followed by other bytes, or no gzip fails", function* () {
  const file = gzipSync(text)
  const spoiled = Buffer.concat([file.subarray(0, -8), Buffer.alloc(8)])
  for (const wrong of [file.subarray(0, -1), spoiled, Buffer.concat([file, text]), text]) {
    expect(yield* Effect.exit(unpacked(wrong))).toEqual(Exit.fail("damaged"))
  }
})

it("a reader that stops early does not receive the rest", function* () {
  const file = Buffer.concat([gzipSync(Buffer.alloc(1 << 20)), text])
  const read = Stream.runCollect(Stream.take(gunzip(options)(Stream.make(file)), 3))
  expect(Chunk.size(yield* read)).toBe(3)
})
