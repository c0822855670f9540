import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Bytes of a piece: what is in memory of a file that is received, and what becomes one COPY when it is decoded. */
const pieceBytes = 512 * 1024

/** Puts small chunks together and takes large ones apart; all pieces but the last have the same length. */
export const inPieces = <E, R>(chunks: Stream.Stream<Uint8Array, E, R>) =>
  Stream.suspend(() => {
    let held = new Uint8Array(pieceBytes)
    let filled = 0
    const cut = (chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
      const pieces: Array<Uint8Array> = []
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + pieceBytes - filled)
        held.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < pieceBytes) continue
        pieces.push(held)
        held = new Uint8Array(pieceBytes)
        filled = 0
      }
      return pieces
    }
    const rest = Stream.suspend(() => (filled === 0 ? Stream.empty : Stream.make(held.subarray(0, filled))))
    return chunks.pipe(Stream.mapConcat(cut), Stream.concat(rest))
  })

/** The pieces of a file by their numbers, until there is none. */
export const numbered = <E, R>(read: (number: number) => Effect.Effect<Option.Option<Uint8Array>, E, R>) =>
  Stream.unfoldEffect(0, (number) =>
    Effect.map(
      read(number),
      Option.map((bytes) => [bytes, number + 1] as const)
    )
  )
