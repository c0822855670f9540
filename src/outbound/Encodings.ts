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

/** Each coding multiplies what few bytes can become, and nobody needs many of them. */
const mostEncodings = 3

/** The codings to undo, the one applied last first; `identity` is none. */
export const read = (members: ReadonlyArray<string>): Either.Either<ReadonlyArray<Encoding>, string> => {
  const names = members.map((member) => member.toLowerCase()).filter((name) => name !== "identity")
  if (names.length > mostEncodings) return Either.left("The response has too many content codings")
  return Either.all(
    names.toReversed().map((name) => {
      const encoding = known[name]
      return encoding === undefined ? Either.left("The response has an unknown content coding") : Either.right(encoding)
    })
  )
}
