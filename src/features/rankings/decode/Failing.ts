import * as Either from "effect/Either"
import { ImportFailed } from "../ImportFailed.ts"
import type { Batch } from "../RawRow.ts"

/** A refusal of a file at a line (1-based; 0 = the file as a whole). */
export const failing = (file: string, line: number, reason: string): Either.Either<Batch, ImportFailed> =>
  Either.left(new ImportFailed({ file, line, reason }))
