import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { backup } from "../../../src/app/operator/backup/Backup.ts"
import { CatalogRepo } from "../../../src/app/operator/backup/CatalogRepo.ts"
import { restore } from "../../../src/app/operator/backup/Restore.ts"
import { importInto, layer } from "../../features/rankings/storing.ts"
import { customer } from "../../features/sitehealth/stored.ts"
import { folder } from "../../folder.ts"
import * as Server from "../../server.ts"

export const masterKey = Server.settings.FINDABLE_MASTER_KEY
export const withKey = (key: string) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_MASTER_KEY", key]])))

/** A customer with two sites, a webhook with its secret in an Idempotency-Key, a crawl with its result, and search data of one month. */
const used = Effect.gen(function* () {
  const { account, key, made } = yield* customer
  yield* made({ days: 3, faults: { critical: 1, warning: 2 }, score: 80 })
  const { id } = yield* Server.projectOf(account)
  const rows = Array.from({ length: 28 }, (_, at) => {
    const day = `2026-10-${String(at + 1).padStart(2, "0")}`
    return `${day},shoes,https://example.com/shoes,${at % 3},${40 + at},3.25\n${day},café au lait,https://example.com/menu?x=1,1,9,8`
  })
  yield* importInto(id, "gsc-csv", [{ text: `Date,Query,Page,Clicks,Impressions,Position\n${rows.join("\n")}\n` }])
  const headers = { "idempotency-key": "subscription-1" }
  const body = { events: ["audit.completed", "ranking.dropped"], url: "http://127.0.0.1:2/hook" }
  const { status } = yield* Server.send("POST", "/api/v1/webhooks", { body, headers, key })
  if (status !== 201) return yield* Effect.dieMessage(`The subscription was answered with ${status}`)
})

let made: Promise<Uint8Array> | undefined

/** The bytes of its backup, made once per process. */
export const sampleBytes = () => {
  made ??= Effect.gen(function* () {
    const file = join(yield* folder, "sample.gz")
    yield* used
    yield* backup(file, true)
    return yield* Effect.promise(() => Bun.file(file).bytes())
  }).pipe(
    Effect.provide(CatalogRepo.Default.pipe(Layer.provideMerge(layer), Layer.merge(BunContext.layer))),
    Effect.scoped,
    Effect.runPromise
  )
  return made
}

/** A file with these bytes, for as long as the scope lives. */
export const sample = Effect.gen(function* () {
  const file = join(yield* folder, "sample.gz")
  writeFileSync(file, yield* Effect.promise(sampleBytes))
  return file
})

/** An installation with rows in every table, and with texts that are hard to escape. */
export const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* withKey(masterKey)(restore(yield* sample, true))
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

/** All rows and the schema of the database, in a fixed order. */
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
