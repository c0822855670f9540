import * as Either from "effect/Either"

/** A content coding that is decoded here (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
export type Encoding = "gzip" | "deflate" | "br" | "zstd"

const known: Readonly<Record<string, Encoding>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "br",
  zstd: "zstd"
}

/** The most codings of one body: each multiplies the size that a few bytes can expand to, and no honest server needs many. */
const mostEncodings = 3

/**
 * The codings to undo, the one applied last first. Names that are not decoded here (`identity`, `utf-8`, `none`,
 * `aws-chunked`) are ignored, as in browsers: the body is taken as it is.
 */
export const read = (members: ReadonlyArray<string>): Either.Either<ReadonlyArray<Encoding>, string> => {
  const encodings = members.flatMap((member) =>
    Object.hasOwn(known, member.toLowerCase()) ? (known[member.toLowerCase()] ?? []) : []
  )
  return encodings.length > mostEncodings
    ? Either.left("The response has too many content codings")
    : Either.right(encodings.toReversed())
}
