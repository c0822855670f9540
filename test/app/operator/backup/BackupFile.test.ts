import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { reader } from "../../../../src/app/operator/backup/Backup.ts"
import { it } from "../../../harness.ts"

const mebibyte = Buffer.alloc(1 << 20, "x")

/** The number of chunks of an endless file that are read before it is refused. */
const piecesRead = (
  begin: string,
  read: (file: Effect.Effect.Success<ReturnType<typeof reader>>) => Effect.Effect<unknown, { readonly message: string }>
) =>
  Effect.gen(function* () {
    let pieces = 0
    const endless = Stream.repeatEffect(Effect.sync(() => (pieces++ === 0 ? Buffer.from(begin) : mebibyte)))
    const refused = yield* Effect.flip(Effect.flatMap(reader(endless), read))
    expect(refused.message).toBe("The file is not a Findable backup, or it is damaged. Use another backup.")
    return pieces
  })

it("reading ends with an error when the first line is longer than 16 MiB", function* () {
  expect(yield* piecesRead("-- ", ({ header }) => header)).toBeLessThan(20)
})

it("reading ends with an error when a row is longer than 64 MiB", function* () {
  const pieces = yield* piecesRead("COPY accounts (id) FROM stdin;\nrow\n", ({ next, rows }) =>
    Effect.zipRight(
      next,
      rows(() => Effect.void)
    )
  )
  expect(pieces).toBeLessThan(70)
})

it("reading ends at the last line, even when more follows", function* () {
  const pieces = yield* piecesRead('-- {"tables":0,"sequences":[]}\n', ({ next }) => next)
  expect(pieces).toBeLessThan(4)
})
