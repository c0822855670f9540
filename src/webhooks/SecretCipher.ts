import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Entropy } from "../accounts/Entropy.ts"
import type { WebhookId } from "./Ids.ts"
import { MasterKey } from "./MasterKey.ts"
import { Secret } from "./Secret.ts"

/** A secret as it is stored: `v1.<id of the master key>.<nonce>.<ciphertext and tag>`, the last two in base64url. */
export const SealedSecret = Schema.String.pipe(
  Schema.pattern(/^v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/),
  Schema.brand("webhooks/SealedSecret")
)
export type SealedSecret = typeof SealedSecret.Type

/** A stored secret cannot be opened: it was sealed with another master key, or it was changed since. */
export class SecretUnreadable extends Data.TaggedError("SecretUnreadable")<{
  readonly webhookId: WebhookId
  readonly problem: string
}> {
  override get message() {
    return `The secret of webhook ${this.webhookId} cannot be read: ${this.problem}`
  }
}

/** Encrypts secrets for storage by AES-256-GCM (NIST SP 800-38D) and bound to their subscription. */
export class SecretCipher extends Context.Tag("webhooks/SecretCipher")<
  SecretCipher,
  {
    /** Names the master key in use without telling anything about it. */
    readonly keyId: string
    readonly seal: (webhookId: WebhookId, secret: Redacted.Redacted<Secret>) => Effect.Effect<SealedSecret>
    readonly open: (
      webhookId: WebhookId,
      sealed: SealedSecret
    ) => Effect.Effect<Redacted.Redacted<Secret>, SecretUnreadable>
  }
>() {}

const utf8 = new TextEncoder()
const nonceLength = 12
const hkdf = (purpose: string) => ({
  name: "HKDF",
  hash: "SHA-256",
  salt: new Uint8Array(),
  info: utf8.encode(purpose)
})

/** Derives one key for this purpose and a public name from the master key (HKDF, RFC 5869), which itself encrypts nothing. */
const derive = (master: Uint8Array) =>
  Effect.gen(function* () {
    const base = yield* Effect.promise(() =>
      crypto.subtle.importKey("raw", Uint8Array.from(master), "HKDF", false, ["deriveKey", "deriveBits"])
    )
    const name = yield* Effect.promise(() => crypto.subtle.deriveBits(hkdf("findable/master-key/id"), base, 64))
    const key = yield* Effect.promise(() =>
      crypto.subtle.deriveKey(hkdf("findable/webhooks/secret"), base, { name: "AES-GCM", length: 256 }, false, [
        "encrypt",
        "decrypt"
      ])
    )
    return { key, keyId: Encoding.encodeHex(new Uint8Array(name)) }
  })

const make = Effect.gen(function* () {
  const entropy = yield* Entropy
  const { key, keyId } = yield* derive(Redacted.value(yield* MasterKey))
  const cipher = (webhookId: WebhookId, iv: Uint8Array<ArrayBuffer>) => ({
    name: "AES-GCM",
    iv,
    additionalData: utf8.encode(webhookId)
  })

  const seal = Effect.fn("SecretCipher.seal")(function* (webhookId: WebhookId, secret: Redacted.Redacted<Secret>) {
    const nonce = Uint8Array.from(yield* entropy.bytes(nonceLength))
    const text = utf8.encode(Redacted.value(secret))
    const sealed = yield* Effect.promise(() => crypto.subtle.encrypt(cipher(webhookId, nonce), key, text))
    const ciphertext = Encoding.encodeBase64Url(new Uint8Array(sealed))
    return SealedSecret.make(`v1.${keyId}.${Encoding.encodeBase64Url(nonce)}.${ciphertext}`)
  })

  const open = Effect.fn("SecretCipher.open")(function* (webhookId: WebhookId, sealed: SealedSecret) {
    const [, sealedBy, nonce = "", ciphertext = ""] = sealed.split(".")
    const unreadable = (problem: string) => new SecretUnreadable({ webhookId, problem })
    if (sealedBy !== keyId) {
      return yield* unreadable(
        `it was sealed with master key ${sealedBy}, but FINDABLE_MASTER_KEY or the key file is ${keyId}`
      )
    }
    return yield* Effect.all([Encoding.decodeBase64Url(nonce), Encoding.decodeBase64Url(ciphertext)]).pipe(
      Effect.flatMap(([iv, bytes]) =>
        Effect.tryPromise(() =>
          crypto.subtle.decrypt(cipher(webhookId, Uint8Array.from(iv)), key, Uint8Array.from(bytes))
        )
      ),
      Effect.flatMap((text) => Schema.decodeUnknown(Secret)(new TextDecoder().decode(text))),
      Effect.mapBoth({
        onFailure: () => unreadable("it was changed, or belongs to another webhook"),
        onSuccess: Redacted.make
      })
    )
  })

  return SecretCipher.of({ keyId, open, seal })
})

/** Encryption under the installation's master key. */
export const layer = Layer.effect(SecretCipher, make)
