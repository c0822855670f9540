import * as Either from "effect/Either"
import type { FileFormat } from "../../../src/features/rankings/Domain.ts"
import type { Decoder, Options } from "../../../src/features/rankings/decode/Collector.ts"
import { formatDecoder } from "../../../src/features/rankings/decode/Decode.ts"
import {
  type Batch,
  emptyBatch,
  type ImportFailed,
  joined,
  type RawRow
} from "../../../src/features/rankings/RawRow.ts"

/** The site of all examples. */
export const host = "example.com"

/** Feeds a decoder in chunks of the given size and joins its output, until it refuses something. */
export const drain = (decoder: Decoder, bytes: Uint8Array, piece: number): Either.Either<Batch, ImportFailed> => {
  const results = function* () {
    for (let at = 0; at < bytes.length; at += piece) yield* decoder.push(bytes.subarray(at, at + piece))
    yield* decoder.end()
  }
  let all = emptyBatch
  for (const result of results()) {
    if (Either.isLeft(result)) return result
    all = joined(all, result.right)
  }
  return Either.right(all)
}

/** Decodes a whole file named `file`. */
export const decode = (
  format: FileFormat,
  content: string | Uint8Array,
  options: Partial<Options> = {},
  piece = 65536
): Either.Either<Batch, ImportFailed> => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  return drain(formatDecoder(format, "file", { host, ...options }), bytes, piece)
}

/** The rows of a file that must be well-formed. */
export const rowsOf = (...input: Parameters<typeof decode>): ReadonlyArray<RawRow> =>
  Either.getOrThrowWith(decode(...input), (failed) => new Error(failed.message)).rows

/** The error of a file that must be refused, or its output. */
export const refusal = (...input: Parameters<typeof decode>): unknown =>
  Either.match(decode(...input), { onLeft: (failed) => failed.message, onRight: (batch) => batch })

/** A row without the fields that most examples ignore. */
export const facts = ({ clicks, date, impressions, page, query, sumTop }: RawRow) => ({
  date,
  query,
  page,
  impressions,
  clicks,
  sumTop
})
