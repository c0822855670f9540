import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** The text of an answer of another service, in UTF-8; fails with `tooLong` as soon as it has more than `longest` bytes. */
export const boundedText = <E, E2>(bytes: Stream.Stream<Uint8Array, E>, longest: number, tooLong: E2) =>
  bytes.pipe(
    Stream.mapAccum(0, (before, part) => [before + part.length, { part, size: before + part.length }]),
    Stream.mapEffect(({ part, size }) => (size > longest ? Effect.fail(tooLong) : Effect.succeed(part))),
    Stream.decodeText(),
    Stream.mkString
  )
