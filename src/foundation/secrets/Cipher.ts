import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
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
import * as Random from "./Entropy.ts"
import { Entropy } from "./Entropy.ts"
import * as KeySource from "./MasterKey.ts"
import { MasterKey, OldMasterKey } from "./MasterKey.ts"

/** A stored secret: `v1.<id of the master key>.<nonce>.<ciphertext and tag>`, the last two in base64url. */
export const Sealed = Schema.String.pipe(
  Schema.pattern(/^v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/),
  Schema.brand("secrets/Sealed")
)
export type Sealed = typeof Sealed.Type

/**
 * The kinds of secrets, by the administrator's name for them. Each kind has a key, derived under `key`, and binds a secret to its owner, written after `owner`.
 * Both texts must never change, because stored secrets depend on them.
 */
const purposes = {
  "answer to idempotency key": { key: "findable/accounts/answer", owner: "accounts/answer/" },
  "secret of webhook": { key: "findable/webhooks/secret", owner: "" },
  "Search Console credentials of site": { key: "findable/rankings/credentials", owner: "rankings/credentials/" },
  "GitHub token of site": { key: "findable/connectors/github", owner: "connectors/github/" },
  "WordPress credentials of site": { key: "findable/connectors/wordpress", owner: "connectors/wordpress/" }
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

/** Encrypts secrets for storage by AES-256-GCM (NIST SP 800-38D), bound to purpose and owner: a secret cannot be opened in another row. */
export class Cipher extends Context.Tag("secrets/Cipher")<
  Cipher,
  {
    /** Identifies the master key without revealing it. */
    readonly keyId: string
    /** The id of the key that is being replaced, if any. Secrets under that key open too. */
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

/** Derives a public id and the keys of all purposes from the master key (HKDF, RFC 5869). The master key itself encrypts nothing. */
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
        `it is encrypted with master key ${sealedBy}, but FINDABLE_MASTER_KEY or the key file is ${keyId}`
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

/** The database's secrets are encrypted with another master key than this server's. */
export class MasterKeyChanged extends Data.TaggedError("MasterKeyChanged")<{
  readonly given: string
  readonly stored: string
}> {
  override get message() {
    return `The secrets in this database are encrypted with master key ${this.stored}, but this server has ${this.given}. Set FINDABLE_MASTER_KEY to the key of your other servers, or copy their key file.`
  }
}

/** The first server records the id of its key. Every later server must have this key, or name it as the key that is being replaced. */
const check = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { keyId, oldKeyId } = yield* Cipher
  const [row] = yield* Effect.orDie(sql<{ stored: string }>`
    UPDATE installation SET master_key_id = coalesce(master_key_id, ${keyId}) RETURNING master_key_id AS stored`)
  const known = [keyId, ...Option.toArray(oldKeyId)]
  if (!known.includes(row?.stored ?? "")) {
    return yield* new MasterKeyChanged({ given: keyId, stored: row?.stored ?? "none" })
  }
})

const idOf = (key: Redacted.Redacted<Uint8Array>) =>
  Effect.map(Cipher, ({ keyId }) => keyId).pipe(
    Effect.provide(layer.pipe(Layer.provide([Layer.succeed(KeySource.MasterKey, key), Random.layer])))
  )

/** Compares the key of this machine with the database's, and changes nothing. Returns a sentence when the keys agree. */
export const examine = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ there: boolean }>`
    SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('installation') AND attname = 'master_key_id') AS there`
  const [row] =
    found?.there === true ? yield* sql<{ stored: string | null }>`SELECT master_key_id AS stored FROM installation` : []
  const stored = row?.stored ?? null
  const given = yield* Effect.flatMap(
    KeySource.find,
    Option.match({ onNone: () => Effect.succeedNone, onSome: (key) => Effect.asSome(idOf(key)) })
  )
  if (stored === null) return "OK: the first start records the master key"
  if (Option.isNone(given)) return yield* new MasterKeyChanged({ given: "none", stored })
  const old = yield* Effect.flatMap(
    KeySource.OldFromEnvironment,
    Option.match({ onNone: () => Effect.succeed("none"), onSome: idOf })
  )
  if (old === stored) return "OK: the database still has the old master key. Run secrets rotate"
  if (given.value !== stored) return yield* new MasterKeyChanged({ given: given.value, stored })
  return "OK: the master key matches this database"
}).pipe(Effect.provide(BunContext.layer))

/** The cipher under the installation's master key, checked against the database. */
export const installationLayer = Layer.effectDiscard(check).pipe(
  Layer.provideMerge(layer),
  Layer.provide([KeySource.layer, KeySource.oldLayer]),
  Layer.provide([Random.layer, BunContext.layer])
)
