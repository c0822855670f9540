import { resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { CatalogRepo } from "../../../src/app/operator/backup/CatalogRepo.ts"
import { restore } from "../../../src/app/operator/backup/Restore.ts"

export const sample = resolve(import.meta.dir, "released/0032.backup.gz")
export const masterKey = Buffer.alloc(32, 7).toString("base64")
export const withKey = (key: string) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_MASTER_KEY", key]])))

/** An installation with something of everything, and with texts that a file could spoil. */
export const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* withKey(masterKey)(restore(sample, true))
  const texts = [
    "tab\there",
    "line\nbreak",
    "\\.",
    "\\N",
    "back\\slash",
    "é\u0301 🦊",
    "\r\n\\.\n",
    "COPY x FROM stdin;"
  ]
  yield* Effect.forEach(texts, (name) => sql`INSERT INTO accounts (name, plan) VALUES (${name}, 'free')`)
  yield* sql`SELECT ensure_ranking_partitions('2024-02-01', '2024-04-01')`
})

/** Everything the database holds and is made of, in an order of its own. */
export const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* CatalogRepo
  const tables = yield* repo.tables()
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe(`SELECT ${name}::text AS row FROM ${name} ORDER BY 1`)
  )
  const shape = yield* Effect.all([repo.things(), repo.foreignKeys(), repo.partitions(), repo.sequences()])
  const triggers =
    yield* sql`SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, tgrelid::regclass::text`
  const sorted = shape.map((list) => list.map((entry) => JSON.stringify(entry)).sort())
  return { rows: Object.fromEntries(tables.map(({ name }, at) => [name, rows[at]])), sorted, triggers }
})
