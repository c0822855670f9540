import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type { OAuth2Client } from "google-auth-library"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { AccessTokens, TokenRefused, type TokenSource } from "./AccessTokens.ts"
import type { Credentials } from "./Credentials.ts"
import { Settings } from "./Settings.ts"

/** Platform adapter: tokens through google-auth-library, which signs assertions, asks, caches and renews before expiry. */
export const layer = Layer.effect(
  AccessTokens,
  Effect.map(Settings, ({ tokenUrl }) => ({ source: (credentials) => sourceOf(credentials, tokenUrl) }))
)

const scope = "https://www.googleapis.com/auth/webmasters.readonly"

/** A fresh client has no token in memory, which is what renewing means. */
const sourceOf = (credentials: Credentials, tokenUrl: string): Effect.Effect<TokenSource> => {
  const client = clientOf(credentials, tokenUrl)
  return Effect.map(Effect.flatMap(client, Ref.make), (current) => ({
    get: Effect.flatMap(Ref.get(current), ask),
    renew: Effect.flatMap(client, (fresh) => Effect.zipRight(Ref.set(current, fresh), ask(fresh)))
  }))
}

const ask = Traced.fn("AccessTokens.ask")(
  function* (client: OAuth2Client) {
    const { token } = yield* Effect.tryPromise({ try: () => client.getAccessToken(), catch: refusalOf })
    if (typeof token === "string") return Redacted.make(token)
    return yield* new TokenRefused({ reason: "the answer contains no token", isPermanent: false })
  },
  Effect.timeoutFail({
    duration: "30 seconds",
    onTimeout: () => new TokenRefused({ reason: "no answer within 30 seconds", isPermanent: false })
  })
)

/** The library is loaded on the first connection to Search Console: a node that never connects starts without it. */
const library = Effect.promise(() => import("google-auth-library"))

const clientOf = (credentials: Credentials, tokenUrl: string): Effect.Effect<OAuth2Client> =>
  Effect.map(library, ({ JWT, UserRefreshClient }) => {
    const endpoint = tokenUrl === "" ? credentials.token_uri : tokenUrl
    const transport = endpoint === undefined ? {} : { transporterOptions: redirectedTo(endpoint) }
    return credentials.type === "service_account"
      ? new JWT({
          ...transport,
          email: credentials.client_email,
          key: Redacted.value(credentials.private_key),
          scopes: [scope],
          ...(credentials.private_key_id === undefined ? {} : { keyId: credentials.private_key_id })
        })
      : new UserRefreshClient({
          ...transport,
          clientId: credentials.client_id,
          clientSecret: Redacted.value(credentials.client_secret),
          refreshToken: Redacted.value(credentials.refresh_token)
        })
  })

/** The library asks Google's endpoint whatever the key file says; its transport can be pointed elsewhere. */
const redirectedTo = (endpoint: string) => ({
  adapter: <Options extends { url: URL }, Answer>(options: Options, send: (options: Options) => Answer): Answer =>
    send({ ...options, url: new URL(endpoint) })
})

const Refusal = Schema.Struct({
  status: Schema.Number,
  response: Schema.Struct({
    data: Schema.Struct({ error: Schema.String, error_description: Schema.optional(Schema.String) })
  })
})

const isRefusal = Schema.is(Refusal)

/** Only the endpoint's own words are repeated: the library's message may hold the request. */
const refusalOf = (error: unknown) => {
  if (!isRefusal(error)) return new TokenRefused({ reason: "the token endpoint cannot be reached", isPermanent: false })
  const { data } = error.response
  const reason = data.error_description === undefined ? data.error : `${data.error}: ${data.error_description}`
  return new TokenRefused({ reason, isPermanent: error.status >= 400 && error.status < 429 })
}
