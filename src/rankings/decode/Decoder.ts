import type * as Either from "effect/Either"
import type { ImportFailed } from "../ImportFailed.ts"
import type { Batch } from "../RawRow.ts"

/**
 * Turns the bytes of one file into rows, piece by piece, in memory that does not grow with the file. Stateful: one
 * decoder reads one file; after a failure it is not used again.
 */
export interface Decoder {
  readonly push: (bytes: Uint8Array) => Either.Either<Batch, ImportFailed>
  readonly end: () => Either.Either<Batch, ImportFailed>
}
