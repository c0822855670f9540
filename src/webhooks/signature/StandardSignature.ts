import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import { keyBytes, type Secret } from "./Secret.ts"
import { authenticate, type Body } from "./Signature.ts"

/** What the Standard Webhooks specification 1.0.0 signs: `<id>.<timestamp>.<body>`. */
export interface StandardSignatureOptions {
  readonly id: string
  /** Unix seconds of this attempt. */
  readonly timestamp: number
  readonly body: Body
  readonly secrets: ReadonlyArray<Secret>
}

/** The value of `webhook-signature`: one `v1,<base64>` per secret, separated by spaces, keyed with the secret's decoded bytes. */
export const sign = Effect.fnUntraced(function* ({ body, id, secrets, timestamp }: StandardSignatureOptions) {
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Effect.flatMap(keyBytes(secret), (key) =>
      Effect.promise(() => authenticate(Uint8Array.from(key), `${id}.${timestamp}.`, body))
    )
  )
  return signatures.map((signature) => `v1,${Encoding.encodeBase64(signature)}`).join(" ")
})
