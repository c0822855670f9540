import { hmac } from "./Hmac.ts"
import { keyBytes, type Secret } from "./Secret.ts"

/** What the Standard Webhooks specification 1.0.0 signs: `<id>.<timestamp>.<body>`. */
export interface StandardSignatureOptions {
  readonly id: string
  /** Unix seconds of this attempt. */
  readonly timestamp: number
  readonly body: Uint8Array
  readonly secrets: ReadonlyArray<Secret>
}

/** The value of `webhook-signature`: one `v1,<base64>` per secret, separated by spaces, keyed with the secret's decoded bytes. */
export const sign = ({ body, id, secrets, timestamp }: StandardSignatureOptions): string =>
  secrets.map((secret) => `v1,${hmac(keyBytes(secret), `${id}.${timestamp}.`, body, "base64")}`).join(" ")
