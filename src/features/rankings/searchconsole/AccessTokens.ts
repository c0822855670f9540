import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Redaction } from "../../../foundation/secrets/Redaction.ts"
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

/** A token, with the redaction that removes it and its credentials from answers to requests that carry it. */
export interface Access {
  readonly redaction: Redaction
  readonly token: Redacted.Redacted
}

/** Tokens of one set of credentials: `get` may answer from memory, `renew` asks again because the last one was turned down. */
export interface TokenSource {
  readonly get: Effect.Effect<Access, TokenRefused>
  readonly renew: Effect.Effect<Access, TokenRefused>
}

/** Where access tokens come from. */
export class AccessTokens extends Context.Tag("rankings/searchconsole/AccessTokens")<
  AccessTokens,
  { readonly source: (credentials: Credentials) => Effect.Effect<TokenSource> }
>() {}
