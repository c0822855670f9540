import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import type { FileFormat } from "../FileFormat.ts"
import type { ImportFailed } from "../ImportFailed.ts"
import type { Batch } from "../RawRow.ts"
import type { Batches } from "./Decoder.ts"
import * as Format from "./Format.ts"
import type { Options } from "./Options.ts"

/** Decodes a file's bytes into batches of rows of at most some thousands; fails at the first line that cannot be imported. */
export const rows =
  (format: FileFormat, file: string, options: Options) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Batch, ImportFailed | E, R> =>
    Stream.suspend(() => {
      const decoder = Format.decoder(format, file, options)
      return bytes.pipe(
        Stream.flatMap((piece) => batchesOf(decoder.push(piece))),
        Stream.concat(Stream.suspend(() => batchesOf(decoder.end())))
      )
    })

/** One batch at a time, on demand. */
const batchesOf = (batches: Batches) => Stream.mapEffect(Stream.fromIteratorSucceed(batches, 1), identity)
