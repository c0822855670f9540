import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Credentials } from "./Credentials.ts"

/** No token was given: `isPermanent` when the credentials themselves were refused, so that trying again is of no use. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{
  readonly reason: string
  readonly isPermanent: boolean
}> {
  override get message() {
    return `no access token: ${this.reason}`
  }
}

/** Tokens of one set of credentials: `get` may answer from memory, `renew` asks anew because the last one was turned down. */
export interface TokenSource {
  readonly get: Effect.Effect<Redacted.Redacted, TokenRefused>
  readonly renew: Effect.Effect<Redacted.Redacted, TokenRefused>
}

/** Where access tokens come from. */
export class AccessTokens extends Context.Tag("rankings/searchconsole/AccessTokens")<
  AccessTokens,
  { readonly source: (credentials: Credentials) => Effect.Effect<TokenSource> }
>() {}
