import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { apiError } from "./ApiError.ts"
import { hmacSha256 } from "./Digest.ts"

const invalid = apiError(
  "invalid_cursor",
  "This cursor is malformed or belongs to another list. Start again without a cursor"
)

const Position = Schema.parseJson(Schema.Array(Schema.String))
const decodePosition = Schema.decodeUnknownEither(Position)

const macLength = 16

const base64Url = (text: string) => Buffer.from(text).toString("base64url")

/**
 * Opaque cursors: a list position, sealed with HMAC-SHA256 over the list's identity and the position. An altered cursor, or a cursor of another list, account
 * or filter, is refused. The key is in the database, so every node opens every node's cursors.
 */
export class Cursors extends Effect.Service<Cursors>()("http/Cursors", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [installation] = yield* sql<{ cursor_key: Uint8Array<ArrayBuffer> }>`SELECT cursor_key FROM installation`
    const secret = installation?.cursor_key ?? (yield* Effect.dieMessage("table installation is empty"))
    const sign = (of: ReadonlyArray<string>, position: string) =>
      hmacSha256(secret, JSON.stringify([of, position])).toString("base64url", 0, macLength)

    const seal = (of: ReadonlyArray<string>, position: ReadonlyArray<string>) => {
      const payload = JSON.stringify(position)
      return `${base64Url(payload)}.${sign(of, payload)}`
    }

    const open = Effect.fnUntraced(function* (of: ReadonlyArray<string>, cursor: string) {
      const [encoded, mac, ...rest] = cursor.split(".")
      if (encoded === undefined || mac === undefined || rest.length > 0) return yield* invalid
      const payload = Encoding.decodeBase64UrlString(encoded)
      if (Either.isLeft(payload)) return yield* invalid
      // Compares the texts, because base64 may have a second spelling of the bytes.
      if (`${base64Url(payload.right)}.${sign(of, payload.right)}` !== cursor) return yield* invalid
      return yield* Either.mapLeft(decodePosition(payload.right), () => invalid)
    })

    return { open, seal }
  }).pipe(Effect.orDie)
}) {}
