import * as Either from "effect/Either"
import { ImportFailed } from "../ImportFailed.ts"
import type { Batch } from "../RawRow.ts"

/** The batches of a piece of input; the first failure is the last element, and the reader stops there. */
export type Batches = IterableIterator<Either.Either<Batch, ImportFailed>>

/** A refusal of a file at a line (1-based; 0 = the file as a whole). */
export const failing = (file: string, line: number, reason: string): Either.Either<Batch, ImportFailed> =>
  Either.left(new ImportFailed({ file, line, reason }))

/**
 * Turns the bytes of one file into rows, one batch on demand, so memory grows neither with the file nor with what it unpacks to. Stateful: one decoder
 * reads one file; the result of a call is read to its end before the next call, and a decoder is not used again after a failure.
 */
export interface Decoder {
  readonly push: (bytes: Uint8Array) => Batches
  readonly end: () => Batches
}

/** Turns the text of one file into rows: a piece that is no longer than a reader is given makes one batch. */
export interface Reader {
  readonly push: (bytes: Uint8Array) => Either.Either<Batch, ImportFailed>
  readonly end: () => Either.Either<Batch, ImportFailed>
}

/** Bytes that a reader gets at a time. */
const piece = 256 * 1024

/** The decoder that gives all bytes to a reader. */
export const ofReader = ({ end, push }: Reader): Decoder => ({
  push: function* (bytes) {
    for (let at = 0; at < bytes.length; at += piece) yield push(bytes.subarray(at, at + piece))
  },
  end: function* () {
    yield end()
  }
})
