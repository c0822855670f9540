import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Cipher, type Sealed } from "../../../foundation/secrets/Cipher.ts"
import type { WebhookId } from "../Domain.ts"
import { Secret } from "../signature/Secret.ts"

/** The stored secrets of a subscription: the current one, the one before it and the one before that. Those that have expired are null. */
export interface SealedSecrets {
  readonly secret: Sealed
  readonly previousSecret: Sealed | null
  readonly earlierSecret: Sealed | null
}

const sealedOf = ({ earlierSecret, previousSecret, secret }: SealedSecrets) =>
  [secret, previousSecret, earlierSecret].filter((sealed) => sealed !== null)

/** The purpose to which the cipher binds the secrets. */
export const purpose = "secret of webhook"

const decode = Schema.decode(Secret)

/** Opens the secrets that a subscription signs with at the moment, the newest first. */
export const open = Effect.fnUntraced(function* (webhook: WebhookId, secrets: SealedSecrets) {
  const cipher = yield* Cipher
  return yield* Effect.forEach(sealedOf(secrets), (sealed) =>
    Effect.flatMap(cipher.open(purpose, webhook, sealed), (text) =>
      // Only secrets are sealed for this purpose.
      Effect.map(Effect.orDie(decode(Redacted.value(text))), Redacted.make)
    )
  )
})

/** The most subscriptions whose opened secrets a process caches. */
const remembered = 1000

/** `open` with a cache. Its key is the sealed text, which changes with the secret. */
export const remembering = (cipher: Context.Tag.Service<Cipher>) => {
  const known = new Map<string, Effect.Effect.Success<ReturnType<typeof open>>>()
  const learn = (name: string, opened: Effect.Effect.Success<ReturnType<typeof open>>) => {
    if (known.size >= remembered) known.clear()
    known.set(name, opened)
  }
  return (webhook: WebhookId, sealed: SealedSecrets) => {
    const name = [webhook, ...sealedOf(sealed)].join(" ")
    const before = known.get(name)
    if (before !== undefined) return Effect.succeed(before)
    return open(webhook, sealed).pipe(
      Effect.provideService(Cipher, cipher),
      Effect.tap((opened) => Effect.sync(() => learn(name, opened)))
    )
  }
}
