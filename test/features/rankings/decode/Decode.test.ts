import { expect } from "bun:test"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Decode from "../../../../src/features/rankings/decode/Decode.ts"
import { it } from "../../../harness.ts"
import { host } from "../decoding.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const header = encode("Date,Query,Page,Clicks,Impressions,Position\n")
const line = encode("2026-10-01,a,/a,1,10,2\n")

it("rows are emitted while bytes arrive, and a stream can be run twice", function* () {
  const rows = Stream.make(header, line, line).pipe(Decode.rows("gsc-csv", "a.csv", { host }))
  for (let run = 0; run < 2; run++) {
    const batches = Chunk.toReadonlyArray(yield* Stream.runCollect(rows))
    expect(batches.map((batch) => batch.rows.length)).toEqual([0, 1, 1, 0])
  }
})

it("the first bad line ends the stream, and nothing after it is read", function* () {
  let pulled = 0
  const bytes = Stream.make(header, line, encode("2026-10-01,a,/a,1,ten,2\n"), line, line).pipe(
    Stream.rechunk(1),
    Stream.tap(() => Effect.sync(() => pulled++))
  )
  const failed = yield* Effect.flip(Stream.runDrain(Decode.rows("gsc-csv", "a.csv", { host })(bytes)))
  expect(failed).toMatchObject({ _tag: "ImportFailed", file: "a.csv", line: 3 })
  expect(failed.message).toBe('a.csv:3: impressions "ten" are not a whole number of at least 0')
  expect(pulled).toBe(3)
})
