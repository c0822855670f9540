import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type { OAuth2Client } from "google-auth-library"
import * as Traced from "../../../foundation/schema/Traced.ts"
import * as Redaction from "../../../foundation/secrets/Redaction.ts"
import type { Credentials } from "./Credentials.ts"
import { Settings } from "./Settings.ts"

/** The token request failed; `isPermanent` when the credentials were refused, so a retry is useless. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{
  readonly reason: string
  readonly isPermanent: boolean
}> {
  override get message() {
    return `no access token: ${this.reason}`
  }
}

/** A token, with the redaction that removes the token and its credentials from responses. */
export interface Access {
  readonly redaction: Redaction.Redaction
  readonly token: Redacted.Redacted
}

/** Tokens of one set of credentials: `get` may return a token from memory; `renew` requests a new one after a refusal. */
export interface TokenSource {
  readonly get: Effect.Effect<Access, TokenRefused>
  readonly renew: Effect.Effect<Access, TokenRefused>
}

/** The source of access tokens. */
export class AccessTokens extends Context.Tag("rankings/searchconsole/AccessTokens")<
  AccessTokens,
  { readonly source: (credentials: Credentials) => Effect.Effect<TokenSource> }
>() {}

/** Platform adapter: tokens through google-auth-library, which signs assertions, requests tokens, caches them, and renews them before expiry. */
export const layer = Layer.effect(
  AccessTokens,
  Effect.map(Settings, ({ tokenUrl }) => ({ source: (credentials) => sourceOf(credentials, tokenUrl) }))
)

const scope = "https://www.googleapis.com/auth/webmasters.readonly"

/** A client of the library, and the reason of the endpoint's refusal. */
interface Client {
  readonly oauth: OAuth2Client
  readonly refusalOf: (error: unknown) => TokenRefused
}

/** Renewal makes a fresh client, which has no token in memory. */
const sourceOf = (credentials: Credentials, tokenUrl: string): Effect.Effect<TokenSource> =>
  Effect.gen(function* () {
    const client = clientOf(credentials, tokenUrl)
    const current = yield* Effect.flatMap(client, Ref.make)
    const latest = yield* Ref.make(Option.none<Access>())

    /** Responses to requests with a token may also repeat the previous token. */
    const accessBy = (token: Redacted.Redacted) =>
      Ref.modify(latest, (known) => {
        if (Option.isSome(known) && Equal.equals(known.value.token, token)) return [known.value, known]
        const secrets = [
          ...secretsOf(credentials),
          ...Option.toArray(Option.map(known, (access) => access.token)),
          token
        ]
        const access = { redaction: Redaction.of(secrets, label), token }
        return [access, Option.some(access)]
      })

    return {
      get: Effect.flatMap(Effect.flatMap(Ref.get(current), ask), accessBy),
      renew: client.pipe(
        Effect.tap((fresh) => Ref.set(current, fresh)),
        Effect.flatMap(ask),
        Effect.flatMap(accessBy)
      )
    }
  })

const label = "[secret]"

/** The secret parts of credentials. The first and the last line of a PEM key are not secret. */
const secretsOf = (credentials: Credentials): ReadonlyArray<Redacted.Redacted> =>
  credentials.type === "authorized_user"
    ? [credentials.client_secret, credentials.refresh_token]
    : [
        Redacted.make(
          Redacted.value(credentials.private_key)
            .replace(/-----[A-Z ]*-----/g, "")
            .trim()
        ),
        Redacted.make(credentials.private_key_id ?? "")
      ]

const ask = Traced.fn("AccessTokens.ask")(
  function* ({ oauth, refusalOf }: Client) {
    const { token } = yield* Effect.tryPromise({ try: () => oauth.getAccessToken(), catch: refusalOf })
    if (typeof token === "string") return Redacted.make(token)
    return yield* new TokenRefused({ reason: "the response contains no token", isPermanent: false })
  },
  Effect.timeoutFail({
    duration: "30 seconds",
    onTimeout: () => new TokenRefused({ reason: "no response within 30 seconds", isPermanent: false })
  })
)

/** The library is loaded at the first connection to Search Console, so a node that never connects starts without it. */
const library = Effect.promise(() => import("google-auth-library"))

const clientOf = (credentials: Credentials, tokenUrl: string): Effect.Effect<Client> =>
  Effect.map(library, ({ JWT, UserRefreshClient }) => {
    // The newest assertion stays: all callers that wait for one request of the library read its refusal.
    let assertion = Redacted.make("")
    const transporterOptions = sending(tokenUrl === "" ? credentials.token_uri : tokenUrl, (signed) => {
      assertion = Redacted.make(signed)
    })
    const oauth =
      credentials.type === "service_account"
        ? new JWT({
            email: credentials.client_email,
            key: Redacted.value(credentials.private_key),
            scopes: [scope],
            transporterOptions,
            ...(credentials.private_key_id === undefined ? {} : { keyId: credentials.private_key_id })
          })
        : new UserRefreshClient({
            clientId: credentials.client_id,
            clientSecret: Redacted.value(credentials.client_secret),
            refreshToken: Redacted.value(credentials.refresh_token),
            transporterOptions
          })
    const refusalOf = (error: unknown) => refusal(error, Redaction.of([...secretsOf(credentials), assertion], label))
    return { oauth, refusalOf }
  })

/**
 * The library always uses Google's endpoint, not the key file's, so the transport redirects its requests. The transport also sees the assertions that the
 * library signs (RFC 7523).
 */
const sending = (endpoint: string | undefined, onAssertion: (assertion: string) => void) => ({
  adapter: <Options extends { data?: unknown; url: URL }, Answer>(
    options: Options,
    send: (options: Options) => Answer
  ): Answer => {
    const assertion = options.data instanceof URLSearchParams ? options.data.get("assertion") : null
    if (assertion !== null) onAssertion(assertion)
    return send(endpoint === undefined ? options : { ...options, url: new URL(endpoint) })
  }
})

const Refusal = Schema.Struct({
  status: Schema.Number,
  response: Schema.Struct({
    data: Schema.Struct({ error: Schema.String, error_description: Schema.optional(Schema.String) })
  })
})

const isRefusal = Schema.is(Refusal)

/** The most characters of the endpoint's reason that are passed on. */
const longest = 300

/** Only the endpoint's reason is repeated, because the library's message may have the request. */
const refusal = (error: unknown, redaction: Redaction.Redaction) => {
  if (!isRefusal(error)) return new TokenRefused({ reason: "the token endpoint cannot be reached", isPermanent: false })
  const { data } = error.response
  const words = data.error_description === undefined ? data.error : `${data.error}: ${data.error_description}`
  return new TokenRefused({
    reason: redaction.text(words).slice(0, longest),
    isPermanent: error.status >= 400 && error.status < 429
  })
}
