import * as Either from "effect/Either"
import type { Decoder } from "../../src/rankings/decode/Decoder.ts"
import * as Format from "../../src/rankings/decode/Format.ts"
import type { Options } from "../../src/rankings/decode/Options.ts"
import type { FileFormat } from "../../src/rankings/FileFormat.ts"
import type { ImportFailed } from "../../src/rankings/ImportFailed.ts"
import { type Batch, emptyBatch, joined, type RawRow } from "../../src/rankings/RawRow.ts"

/** The site of all examples. */
export const host = "example.com"

/** Feeds a decoder in pieces of the given size and joins what comes out. */
export const drain = (decoder: Decoder, bytes: Uint8Array, piece: number): Either.Either<Batch, ImportFailed> => {
  let all: Either.Either<Batch, ImportFailed> = Either.right(emptyBatch)
  for (let at = 0; at < bytes.length && Either.isRight(all); at += piece) {
    all = Either.zipWith(all, decoder.push(bytes.subarray(at, at + piece)), joined)
  }
  return Either.flatMap(all, (batch) => Either.map(decoder.end(), (rest) => joined(batch, rest)))
}

/** Decodes a whole file named `file`. */
export const decode = (
  format: FileFormat,
  content: string | Uint8Array,
  options: Partial<Options> = {},
  piece = 65536
): Either.Either<Batch, ImportFailed> => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  return drain(Format.decoder(format, "file", { host, ...options }), bytes, piece)
}

/** The rows of a file that must be well-formed. */
export const rowsOf = (...input: Parameters<typeof decode>): ReadonlyArray<RawRow> =>
  Either.getOrThrowWith(decode(...input), (failed) => new Error(failed.message)).rows

/** The message of a file that must be refused, or what came out of it. */
export const refusal = (...input: Parameters<typeof decode>): unknown =>
  Either.match(decode(...input), { onLeft: (failed) => failed.message, onRight: (batch) => batch })

/** A row without what most examples do not look at. */
export const facts = ({ clicks, date, impressions, page, query, sumTop }: RawRow) => ({
  date,
  query,
  page,
  impressions,
  clicks,
  sumTop
})
