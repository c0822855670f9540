import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import { every } from "../../../foundation/database/Outages.ts"
import { sha256 } from "../../../foundation/http/Digest.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import { Accounts } from "../Accounts.ts"
import type { AccountId } from "../Domain.ts"
import { CodesRepo } from "./CodesRepo.ts"
import { type ConsoleCode, codeBytes, sessionScopes } from "./Domain.ts"

/** What a link leads to. */
interface Link {
  readonly readOnly: boolean
  /** How long its key serves. */
  readonly seconds: number
}

const unknown = new NotFound({
  message: "The code is unknown, was used before, or has expired: ask whoever runs the server for a new sign-in link"
})

/** Sessions of the console: a link with a code, and the key that it is exchanged for. */
export class Sessions extends Effect.Service<Sessions>()("accounts/sessions/Sessions", {
  dependencies: [Accounts.Default, CodesRepo.Default, Entropy.layer],
  effect: Effect.gen(function* () {
    const accounts = yield* Accounts
    const entropy = yield* Entropy.Entropy
    const repo = yield* CodesRepo

    /** A code for one session of the account. Only its hash is stored, so it can be read only now. */
    const invite = Traced.fn("Sessions.invite")(function* (account: AccountId, { readOnly, seconds }: Link) {
      const code = Encoding.encodeBase64Url(yield* entropy.bytes(codeBytes))
      const scopes = sessionScopes(readOnly)
      const { expires } = yield* repo.insert({ account, hash: sha256(code), scopes, seconds })
      return { code, expires_at: expires, scopes }
    })

    /** Exchanges a code for a key, once. */
    const enter = Traced.fn("Sessions.enter")(function* (code: ConsoleCode) {
      const { account, expires, scopes } = yield* Effect.mapError(
        Effect.flatten(repo.take(sha256(code))),
        () => unknown
      )
      const { key } = yield* accounts.issueKey(account, scopes, "live", { expires, name: "console", origin: "session" })
      return { key, expires_at: expires, scopes }
    }, repo.transaction)

    return { enter, invite, purge: repo.purge }
  })
}) {}

/** Removes codes that have expired, every ten minutes. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Sessions, ({ purge }) => every("10 minutes", "Old codes of the console could not be removed")(purge))
).pipe(Layer.provide(Sessions.Default))
