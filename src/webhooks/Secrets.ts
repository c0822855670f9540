import * as Effect from "effect/Effect"
import type { WebhookId } from "./Ids.ts"
import { type SealedSecret, SecretCipher } from "./SecretCipher.ts"

/** The stored secrets of a subscription; the previous one is null when it has expired. */
export interface SealedSecrets {
  readonly secret: SealedSecret
  readonly previousSecret: SealedSecret | null
}

/** Opens the secrets that a subscription signs with at the moment, the current one first. */
export const open = Effect.fnUntraced(function* (webhook: WebhookId, { previousSecret, secret }: SealedSecrets) {
  const cipher = yield* SecretCipher
  return yield* Effect.forEach(previousSecret === null ? [secret] : [secret, previousSecret], (sealed) =>
    cipher.open(webhook, sealed)
  )
})
