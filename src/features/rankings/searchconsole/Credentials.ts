import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Scalars.ts"

const isLoopback = (hostname: string) =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const isTokenAddress = (address: string) => {
  const url = URL.parse(address)
  return url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
}

/** Bounds the parts of credentials: Google's have about a hundred characters, a key of 4,096 bits has 3,300. */
const longest = 10_000

const filled = Schema.String.pipe(
  Schema.filter((text) => text.length >= 1 && text.length <= longest && !text.includes("\0"), {
    message: () => `must be a text of 1 to ${longest} characters`
  })
)

const serviceAccount = {
  type: Schema.Literal("service_account").annotations({ description: "A service account's key" }),
  client_email: field(filled, "Email address of the service account"),
  private_key: Schema.Redacted(filled).annotations({ description: "Its private key, PKCS #8 in PEM" }),
  private_key_id: Schema.optionalWith(filled, { exact: true }).annotations({ description: "Id of the key" })
}

const authorizedUser = {
  type: Schema.Literal("authorized_user").annotations({ description: "A person's consent" }),
  client_id: field(filled, "OAuth client of the consent"),
  client_secret: Schema.Redacted(filled).annotations({ description: "Secret of that client" }),
  refresh_token: Schema.Redacted(filled).annotations({ description: "Refresh token of the consent" })
}

// Google's files have extra fields, which are not stored.
const asGoogleWrites = { parseOptions: { onExcessProperty: "ignore" } } as const

/** A caller's credentials, without `token_uri`, by which a caller could choose a URL that the node sends secrets to. */
export const SentCredentials = Schema.Union(
  Schema.Struct(serviceAccount).annotations({
    ...asGoogleWrites,
    identifier: "ServiceAccountCredentials",
    description: "Key file of a service account, as downloaded from Google; other fields are ignored"
  }),
  Schema.Struct(authorizedUser).annotations({
    ...asGoogleWrites,
    identifier: "AuthorizedUserCredentials",
    description:
      "A refresh token with its OAuth client (`authorized_user`), as Google's tools write it; other fields are ignored"
  })
)

const token_uri = Schema.optionalWith(
  Schema.String.pipe(Schema.filter((address) => isTokenAddress(address) || "an https URL (or http on this machine)")),
  { exact: true }
)

/** Credentials for Search Console on a site owner's behalf, in the form of Google's JSON files: a service account's key, or a refresh token. */
export const Credentials = Schema.Union(
  Schema.Struct({ ...serviceAccount, token_uri }),
  Schema.Struct({ ...authorizedUser, token_uri })
)
export type Credentials = typeof Credentials.Type

/** Reads a credentials file; the reason of a refusal never repeats the file's content. */
export const parse = (json: string): Either.Either<Credentials, string> =>
  Schema.decodeEither(Schema.parseJson(Credentials))(json).pipe(
    Either.mapLeft(() => "neither the key file of a service account nor an authorized_user with a refresh token")
  )

const encode = Schema.encodeSync(Schema.parseJson(Credentials))

/** Encodes credentials for `parse`. */
export const write = (credentials: Credentials): Redacted.Redacted => Redacted.make(encode(credentials))

const pem = /^\s*-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/
const signature = { hash: "SHA-256", name: "RSASSA-PKCS1-v1_5" } as const

/** Whether the private key of a service account can sign token requests (RFC 7523). Credentials of a person's consent have no key. */
export const canSign = (credentials: Credentials): Effect.Effect<boolean> => {
  if (credentials.type === "authorized_user") return Effect.succeed(true)
  const [, base64 = ""] = pem.exec(Redacted.value(credentials.private_key)) ?? []
  return Effect.flatMap(Encoding.decodeBase64(base64.replaceAll(/\s/g, "")), (bytes) =>
    Effect.tryPromise(() => crypto.subtle.importKey("pkcs8", new Uint8Array(bytes), signature, false, ["sign"]))
  ).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )
}
