import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Cipher from "./Cipher.ts"
import * as Entropy from "./Entropy.ts"
import * as MasterKey from "./MasterKey.ts"

/** The database's secrets are sealed with another master key than this node's. */
export class MasterKeyChanged extends Data.TaggedError("MasterKeyChanged")<{
  readonly given: string
  readonly stored: string
}> {
  override get message() {
    return `The secrets of this database are sealed with master key ${this.stored}, but this node has ${this.given}. Set FINDABLE_MASTER_KEY to the key of the other nodes, or copy their key file.`
  }
}

/** The first node records the id of its key; every later node must have the same key, or name it as the one that is being replaced. */
const check = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { keyId, oldKeyId } = yield* Cipher.Cipher
  const [row] = yield* Effect.orDie(sql<{ stored: string }>`
    UPDATE installation SET master_key_id = coalesce(master_key_id, ${keyId}) RETURNING master_key_id AS stored`)
  const known = [keyId, ...Option.toArray(oldKeyId)]
  if (!known.includes(row?.stored ?? "")) {
    return yield* new MasterKeyChanged({ given: keyId, stored: row?.stored ?? "none" })
  }
})

const idOf = (key: Redacted.Redacted<Uint8Array>) =>
  Effect.map(Cipher.Cipher, ({ keyId }) => keyId).pipe(
    Effect.provide(Cipher.layer.pipe(Layer.provide([Layer.succeed(MasterKey.MasterKey, key), Entropy.layer])))
  )

/** Compares the key of this machine with the database's and changes nothing; returns a sentence when they agree. */
export const examine = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ there: boolean }>`
    SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('installation') AND attname = 'master_key_id') AS there`
  const [row] =
    found?.there === true ? yield* sql<{ stored: string | null }>`SELECT master_key_id AS stored FROM installation` : []
  const stored = row?.stored ?? null
  const given = yield* Effect.flatMap(
    MasterKey.find,
    Option.match({ onNone: () => Effect.succeedNone, onSome: (key) => Effect.asSome(idOf(key)) })
  )
  if (stored === null) return "the first node writes down which master key it has"
  if (Option.isNone(given)) return yield* new MasterKeyChanged({ given: "none", stored })
  const old = yield* Effect.flatMap(
    MasterKey.OldFromEnvironment,
    Option.match({ onNone: () => Effect.succeed("none"), onSome: idOf })
  )
  if (old === stored) return "the database has the old master key: run secrets rotate"
  if (given.value !== stored) return yield* new MasterKeyChanged({ given: given.value, stored })
  return "the master key is the one of this database"
}).pipe(Effect.provide(BunContext.layer))

/** The cipher under the installation's master key, checked against the database. */
export const layer = Layer.effectDiscard(check).pipe(
  Layer.provideMerge(Cipher.layer),
  Layer.provide([MasterKey.layer, MasterKey.oldLayer]),
  Layer.provide([Entropy.layer, BunContext.layer])
)
