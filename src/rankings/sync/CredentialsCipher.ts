import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Entropy from "../../accounts/Entropy.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { MasterKey } from "../../webhooks/MasterKey.ts"
import { SecretCipher } from "../../webhooks/SecretCipher.ts"

/** Credentials as they are stored: `v1.<id of the master key>.<nonce>.<ciphertext and tag>`, like the secrets of webhooks. */
export const SealedCredentials = Schema.String.pipe(
  Schema.pattern(/^v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/),
  Schema.brand("rankings/SealedCredentials")
)
export type SealedCredentials = typeof SealedCredentials.Type

/** Stored credentials cannot be opened: sealed with another master key, changed since, or another site's. */
export class CredentialsUnreadable extends Data.TaggedError("CredentialsUnreadable")<{ readonly site: ProjectId }> {
  override get message() {
    return `The stored credentials of project ${this.site} cannot be read with this node's master key: connect it again`
  }
}

/** Encrypts credentials under the master key, by a key of their own (HKDF, RFC 5869; AES-256-GCM), bound to their site. */
export class CredentialsCipher extends Context.Tag("rankings/CredentialsCipher")<
  CredentialsCipher,
  {
    readonly seal: (site: ProjectId, json: Redacted.Redacted) => Effect.Effect<SealedCredentials>
    readonly open: (
      site: ProjectId,
      sealed: SealedCredentials
    ) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
  }
>() {}

const utf8 = new TextEncoder()

const derive = (master: Uint8Array) =>
  Effect.promise(() => crypto.subtle.importKey("raw", Uint8Array.from(master), "HKDF", false, ["deriveKey"])).pipe(
    Effect.flatMap((base) =>
      Effect.promise(() =>
        crypto.subtle.deriveKey(
          { hash: "SHA-256", info: utf8.encode("findable/rankings/credentials"), name: "HKDF", salt: new Uint8Array() },
          base,
          { length: 256, name: "AES-GCM" },
          false,
          ["encrypt", "decrypt"]
        )
      )
    )
  )

/** Needs the installation's cipher too, which vouches that the master key is the one of all nodes. */
export const layerNoDeps = Layer.effect(
  CredentialsCipher,
  Effect.gen(function* () {
    const entropy = yield* Entropy.Entropy
    const { keyId } = yield* SecretCipher
    const key = yield* derive(Redacted.value(yield* MasterKey))
    const cipher = (site: ProjectId, iv: Uint8Array<ArrayBuffer>) => ({
      additionalData: utf8.encode(`rankings/credentials/${site}`),
      iv,
      name: "AES-GCM"
    })

    const seal = Effect.fn("CredentialsCipher.seal")(function* (site: ProjectId, json: Redacted.Redacted) {
      const nonce = Uint8Array.from(yield* entropy.bytes(12))
      const sealed = yield* Effect.promise(() =>
        crypto.subtle.encrypt(cipher(site, nonce), key, utf8.encode(Redacted.value(json)))
      )
      const [iv, text] = [nonce, new Uint8Array(sealed)].map((bytes) => Encoding.encodeBase64Url(bytes))
      return SealedCredentials.make(`v1.${keyId}.${iv}.${text}`)
    })

    const open = Effect.fn("CredentialsCipher.open")(function* (site: ProjectId, sealed: SealedCredentials) {
      const [, sealedBy, nonce = "", ciphertext = ""] = sealed.split(".")
      if (sealedBy !== keyId) return yield* new CredentialsUnreadable({ site })
      return yield* Effect.all([Encoding.decodeBase64Url(nonce), Encoding.decodeBase64Url(ciphertext)]).pipe(
        Effect.flatMap(([iv, bytes]) =>
          Effect.tryPromise(() => crypto.subtle.decrypt(cipher(site, Uint8Array.from(iv)), key, Uint8Array.from(bytes)))
        ),
        Effect.mapBoth({
          onFailure: () => new CredentialsUnreadable({ site }),
          onSuccess: (text) => Redacted.make(new TextDecoder().decode(text))
        })
      )
    })

    return CredentialsCipher.of({ open, seal })
  })
)
