import { expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { backup } from "../../../../src/app/operator/backup/Backup.ts"
import { CatalogRepo } from "../../../../src/app/operator/backup/CatalogRepo.ts"
import { restore } from "../../../../src/app/operator/backup/Restore.ts"
import { Location } from "../../../../src/foundation/database/Location.ts"
import * as cluster from "../../../cluster.ts"
import { folder } from "../../../folder.ts"
import { suite } from "../../../harness.ts"
import { contents, filled, masterKey, withKey } from "../filled.ts"

const it = suite(CatalogRepo.Default.pipe(Layer.provideMerge(cluster.layer), Layer.merge(BunContext.layer)))

it("a backup is restored into another schema of the same database, and other schemas do not change", function* () {
  const sql = yield* SqlClient.SqlClient
  const file = join(yield* folder, "one.gz")
  yield* filled
  const before = yield* contents
  yield* backup(file, true)
  const { rows: held } = yield* contents
  const text = gunzipSync(readFileSync(file)).toString()
  expect(text.slice(0, text.indexOf("\n"))).not.toContain("public")
  const copy = Layer.fresh(CatalogRepo.Default.pipe(Layer.provideMerge(cluster.beside("copy"))))
  const { rows } = yield* Effect.zipRight(withKey(masterKey)(restore(file, false)), contents).pipe(Effect.provide(copy))
  expect(rows).toEqual(before.rows)
  const [account] = yield* sql<{ id: string }>`SELECT id FROM accounts LIMIT 1`
  yield* sql.unsafe("CREATE SCHEMA shop; CREATE TABLE shop.orders (account uuid REFERENCES copy.accounts)")
  yield* sql`INSERT INTO shop.orders VALUES (${account?.id ?? ""})`
  const again = withKey(masterKey)(restore(file, true)).pipe(Effect.provide(copy))
  expect((yield* Effect.flip(again)).message).toContain(
    "Objects in another schema depend on this one. Drop them first: constraint orders_account_fkey on table shop.orders depends on table accounts"
  )
  yield* sql`ALTER TABLE shop.orders DROP CONSTRAINT orders_account_fkey`
  yield* again
  expect(yield* sql`SELECT account AS id FROM shop.orders`).toEqual(account === undefined ? [] : [account])
  expect((yield* contents).rows).toEqual(held)
})

it("a restore is refused only beside servers of its own schema", () =>
  Effect.gen(function* () {
    const { connection } = yield* Location
    const repo = yield* CatalogRepo
    const sessions = (name: string) =>
      Effect.flatMap(PgClient.make({ ...connection, applicationName: name }), (client) => client`SELECT 1`)
    yield* sessions("findable 1 in elsewhere")
    expect(yield* repo.others()).toEqual([])
    yield* sessions("findable 2")
    expect(yield* repo.others()).toEqual([{ name: "findable 2" }])
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)))
