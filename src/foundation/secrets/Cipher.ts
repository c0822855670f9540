import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Traced from "../schema/Traced.ts"
import { Entropy } from "./Entropy.ts"
import { MasterKey, OldMasterKey } from "./MasterKey.ts"

/** A secret as it is stored: `v1.<id of the master key>.<nonce>.<ciphertext and tag>`, the last two in base64url. */
export const Sealed = Schema.String.pipe(
  Schema.pattern(/^v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/),
  Schema.brand("secrets/Sealed")
)
export type Sealed = typeof Sealed.Type

/**
 * The kinds of secrets, by the operator's name for them. Each has its own encryption key, derived under `key`, and is bound to its owner, written behind
 * `owner`. Stored secrets depend on both texts, so they must never change.
 */
const purposes = {
  "answer to idempotency key": { key: "findable/accounts/answer", owner: "accounts/answer/" },
  "secret of webhook": { key: "findable/webhooks/secret", owner: "" },
  "Search Console credentials of project": { key: "findable/rankings/credentials", owner: "rankings/credentials/" },
  "GitHub token of project": { key: "findable/connectors/github", owner: "connectors/github/" },
  "WordPress credentials of project": { key: "findable/connectors/wordpress", owner: "connectors/wordpress/" }
} as const
export type Purpose = keyof typeof purposes

/** A stored secret cannot be opened: it was sealed with another master key, for another purpose or owner, or it was altered. */
export class SecretUnreadable extends Data.TaggedError("SecretUnreadable")<{
  readonly purpose: Purpose
  readonly owner: string
  readonly problem: string
}> {
  override get message() {
    return `The ${this.purpose} ${this.owner} cannot be read: ${this.problem}`
  }
}

/** Encrypts secrets for storage by AES-256-GCM (NIST SP 800-38D), bound to purpose and owner: a secret moved to another row does not open. */
export class Cipher extends Context.Tag("secrets/Cipher")<
  Cipher,
  {
    /** Identifies the master key without revealing any of it. */
    readonly keyId: string
    /** The id of the key that is being replaced, if any: secrets sealed with it open too. */
    readonly oldKeyId: Option.Option<string>
    readonly seal: (purpose: Purpose, owner: string, secret: Redacted.Redacted) => Effect.Effect<Sealed>
    readonly open: (
      purpose: Purpose,
      owner: string,
      sealed: Sealed
    ) => Effect.Effect<Redacted.Redacted, SecretUnreadable>
  }
>() {}

const utf8 = new TextEncoder()
const nonceLength = 12
const hkdf = (use: string) => ({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8.encode(use) })

/** Derives a public id and the keys of all purposes from the master key (HKDF, RFC 5869), which itself encrypts nothing. */
const derive = (master: Uint8Array) =>
  Effect.gen(function* () {
    const base = yield* Effect.promise(() =>
      crypto.subtle.importKey("raw", Uint8Array.from(master), "HKDF", false, ["deriveKey", "deriveBits"])
    )
    const name = yield* Effect.promise(() => crypto.subtle.deriveBits(hkdf("findable/master-key/id"), base, 64))
    const keys = yield* Effect.all(
      Record.map(purposes, ({ key }) =>
        Effect.promise(() =>
          crypto.subtle.deriveKey(hkdf(key), base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
        )
      )
    )
    return { keys, keyId: Encoding.encodeHex(new Uint8Array(name)) }
  })

const make = Effect.gen(function* () {
  const entropy = yield* Entropy
  const current = yield* derive(Redacted.value(yield* MasterKey))
  const old = yield* Option.match(yield* OldMasterKey, {
    onNone: () => Effect.succeedNone,
    onSome: (key) => Effect.asSome(derive(Redacted.value(key)))
  })
  const { keyId } = current
  const bound = (purpose: Purpose, owner: string, iv: Uint8Array<ArrayBuffer>) => ({
    name: "AES-GCM",
    iv,
    additionalData: utf8.encode(`${purposes[purpose].owner}${owner}`)
  })

  const seal = Traced.fn("Cipher.seal")(function* (purpose: Purpose, owner: string, secret: Redacted.Redacted) {
    const nonce = Uint8Array.from(yield* entropy.bytes(nonceLength))
    const text = utf8.encode(Redacted.value(secret))
    const sealed = yield* Effect.promise(() =>
      crypto.subtle.encrypt(bound(purpose, owner, nonce), current.keys[purpose], text)
    )
    const ciphertext = Encoding.encodeBase64Url(new Uint8Array(sealed))
    return Sealed.make(`v1.${keyId}.${Encoding.encodeBase64Url(nonce)}.${ciphertext}`)
  })

  const open = Traced.fn("Cipher.open")(function* (purpose: Purpose, owner: string, sealed: Sealed) {
    const [, sealedBy, nonce = "", ciphertext = ""] = sealed.split(".")
    const unreadable = (problem: string) => new SecretUnreadable({ owner, problem, purpose })
    const by = [current, ...Option.toArray(old)].find((known) => known.keyId === sealedBy)
    if (by === undefined) {
      return yield* unreadable(
        `it was sealed with master key ${sealedBy}, but FINDABLE_MASTER_KEY or the key file is ${keyId}`
      )
    }
    return yield* Effect.all([Encoding.decodeBase64Url(nonce), Encoding.decodeBase64Url(ciphertext)]).pipe(
      Effect.flatMap(([iv, bytes]) =>
        Effect.tryPromise(() =>
          crypto.subtle.decrypt(bound(purpose, owner, Uint8Array.from(iv)), by.keys[purpose], Uint8Array.from(bytes))
        )
      ),
      Effect.mapBoth({
        onFailure: () => unreadable("it was changed, or belongs to something else"),
        onSuccess: (text) => Redacted.make(new TextDecoder().decode(text))
      })
    )
  })

  return Cipher.of({ keyId, oldKeyId: Option.map(old, ({ keyId }) => keyId), open, seal })
})

/** Encryption under the installation's master key. */
export const layer = Layer.effect(Cipher, make)
