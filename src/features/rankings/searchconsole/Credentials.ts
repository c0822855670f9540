import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const TokenUri = Schema.String.pipe(
  Schema.filter((address) => isTokenAddress(address) || "an https address (or http on the loopback)")
)

/** The parts of a service account's key file that a token request needs. */
class ServiceAccount extends Schema.Class<ServiceAccount>("ServiceAccount")({
  type: Schema.Literal("service_account"),
  client_email: Schema.NonEmptyString,
  private_key: Schema.Redacted(Schema.NonEmptyString),
  private_key_id: Schema.optional(Schema.String),
  token_uri: Schema.optional(TokenUri)
}) {}

/** The result of a user's consent: a refresh token and the client it was given to. */
class AuthorizedUser extends Schema.Class<AuthorizedUser>("AuthorizedUser")({
  type: Schema.Literal("authorized_user"),
  client_id: Schema.NonEmptyString,
  client_secret: Schema.Redacted(Schema.NonEmptyString),
  refresh_token: Schema.Redacted(Schema.NonEmptyString),
  token_uri: Schema.optional(TokenUri)
}) {}

/** What gives access to Search Console on a site owner's behalf, in the shape of Google's own JSON files. */
export const Credentials = Schema.Union(ServiceAccount, AuthorizedUser)
export type Credentials = typeof Credentials.Type

/** Reads a credentials file; the reason of a refusal never repeats what the file holds. */
export const parse = (json: string): Either.Either<Credentials, string> =>
  Schema.decodeEither(Schema.parseJson(Credentials))(json).pipe(
    Either.mapLeft(() => "neither the key file of a service account nor an authorized_user with a refresh token")
  )

const isTokenAddress = (address: string) => {
  const url = URL.parse(address)
  return url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
}

const isLoopback = (hostname: string) =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)
