import { describe, expect } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { backup } from "../../../src/app/operator/backup/Backup.ts"
import { CatalogRepo } from "../../../src/app/operator/backup/CatalogRepo.ts"
import { restore } from "../../../src/app/operator/backup/Restore.ts"
import { Location } from "../../../src/foundation/database/Location.ts"
import { isCurrent, migrateTo } from "../../../src/foundation/database/Migrations.ts"
import { run } from "../../cli.ts"
import * as cluster from "../../cluster.ts"

import { folder } from "../../folder.ts"
import { suite } from "../../harness.ts"
import { until } from "../../waiting.ts"
import { contents, filled, masterKey, sample, sampleBytes, withKey } from "./filled.ts"

const it = suite(CatalogRepo.Default.pipe(Layer.provideMerge(cluster.layer), Layer.merge(BunContext.layer)))
const another = Layer.fresh(CatalogRepo.Default.pipe(Layer.provideMerge(cluster.layer)))

describe("a backup", () => {
  it("restores every row exactly, with any text in it", function* () {
    const sql = yield* SqlClient.SqlClient
    const file = join(yield* folder, "all.gz")
    yield* filled
    // More than one chunk of the file, or one message of the driver.
    yield* sql`INSERT INTO accounts (name, plan) SELECT 'account ' || n || repeat('x', n % 900), 'free' FROM generate_series(1, 4000) n`
    const before = yield* contents
    expect(yield* backup(file, true)).toMatchObject({ file, secrets: "sealed" })
    const after = yield* Effect.zipRight(withKey(masterKey)(restore(file, false)), contents).pipe(
      Effect.provide(another)
    )
    expect(after).toEqual(before)
    expect(Object.keys(before.rows).length).toBeGreaterThan(25)
  })

  it("without secrets contains no key, no subscription and no credentials, and needs no master key", function* () {
    const sql = yield* SqlClient.SqlClient
    const file = join(yield* folder, "shared.gz")
    yield* filled
    yield* backup(file, false)
    const text = gunzipSync(readFileSync(file)).toString()
    const secrets = yield* sql<{ text: string }>`
      SELECT secret AS text FROM webhooks UNION ALL SELECT encode(hash, 'hex') FROM api_keys UNION ALL SELECT encode(cursor_key, 'hex') FROM installation`
    expect(secrets.length).toBeGreaterThan(2)
    for (const secret of secrets) expect(text).not.toContain(secret.text)
    const counts = yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* restore(file, false)
      return yield* sql`SELECT (SELECT count(*)::int FROM webhooks) AS webhooks, (SELECT count(*)::int FROM api_keys) AS keys,
        (SELECT count(*)::int FROM projects) AS projects, (SELECT count(*)::int FROM installation) AS installations`
    }).pipe(Effect.provide(another))
    expect(counts).toEqual([{ installations: 1, keys: 0, projects: 2, webhooks: 0 }])
  })

  it("changes nothing when it is cut short, changed, of an unknown version or sealed with another master key", function* () {
    const directory = yield* folder
    yield* filled
    const before = yield* contents
    const bytes = yield* Effect.promise(sampleBytes)
    const whole = gunzipSync(bytes)
    const spoiled = {
      "is not a Findable backup, or it is damaged": [
        bytes.subarray(0, bytes.length >> 1),
        Buffer.from("nothing of ours"),
        gzipSync(""),
        gzipSync(whole.subarray(0, whole.lastIndexOf("-- "))),
        gzipSync(whole.subarray(0, whole.length >> 1))
      ],
      "from another version of Findable, with the migration 0001_installation.sql": [
        gzipSync(whole.toString().replace('"id":1,', '"id":9001,'))
      ],
      "The rows of accounts do not fit the table": [gzipSync(whole.toString().replace("agency_team\t", "agency_team"))],
      "its schema has no table": [
        gzipSync(whole.toString().replace("COPY accounts (id, name", "COPY accounts (name, id"))
      ]
    }
    for (const [reason, files] of Object.entries(spoiled)) {
      for (const content of files) {
        const file = join(directory, "spoiled.gz")
        writeFileSync(file, content)
        const refusal = yield* Effect.flip(withKey(masterKey)(restore(file, true)))
        expect(refusal.message).toContain(reason)
      }
    }
    const anotherKey = withKey(Buffer.alloc(32, 8).toString("base64"))
    const foreignKey = yield* Effect.flip(anotherKey(restore(yield* sample, true)))
    expect(foreignKey.message).toContain("are encrypted with master key")
    expect(yield* contents).toEqual(before)
  })

  it("is restored over data only with --replace, never beside a running server, and never over tables of other programs", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* filled
    const file = yield* sample
    const restored = (replace: boolean) => Effect.flip(withKey(masterKey)(restore(file, replace)))
    expect((yield* restored(false)).message).toBe(
      "The database is not empty. Use --replace to delete its data and restore the backup."
    )
    const { connection } = yield* Location
    const node = PgClient.make({ ...connection, applicationName: "findable 1" }).pipe(
      Effect.tap((client) => client`SELECT 1`),
      Effect.zipRight(restored(true)),
      Effect.scoped,
      Effect.provide(Reactivity.layer)
    )
    expect((yield* node).message).toBe("Servers still use this database: findable 1. Stop them, then restore again.")
    // The server's process of a connection ends a moment after it.
    const { others } = yield* CatalogRepo
    yield* until(others(), (found) => found.length === 0)
    yield* sql`CREATE TABLE somebody_elses (text text)`
    expect((yield* restored(true)).message).toBe(
      "The database has objects of another program: somebody_elses. Restore into an empty database, or set FINDABLE_DATABASE_SCHEMA."
    )
    expect(yield* sql`SELECT count(*)::int AS n FROM somebody_elses`).toEqual([{ n: 0 }])
    yield* sql`DROP TABLE somebody_elses`
  })

  it("is migrated when it comes from an earlier schema", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const file = join(yield* folder, "earlier.gz")
      yield* sql.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
      yield* migrateTo(12)
      yield* sql`INSERT INTO accounts (name, plan) VALUES ('before', 'free')`
      yield* backup(file, true)
      const restored = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { migrations } = yield* withKey(masterKey)(restore(file, false))
        return { accounts: yield* sql`SELECT name FROM accounts`, current: yield* isCurrent, migrations }
      })
      const { migrations, ...rest } = yield* Effect.provide(restored, another)
      expect(rest).toEqual({ accounts: [{ name: "before" }], current: true })
      expect(migrations).toStartWith("0013_")
    }).pipe(Effect.provide(another)))

  it("is written whole or not at all, and never over another file", function* () {
    const directory = yield* folder
    const file = join(directory, "a.gz")
    yield* backup(file, true)
    const refusal = yield* Effect.flip(backup(file, true))
    expect(refusal.message).toBe(`${file} already exists. Name another file, or a directory.`)
    const unwritable = yield* Effect.flip(backup(join(directory, "none", "a.gz"), true))
    expect(unwritable.message).toContain("cannot be written")
    expect(readdirSync(directory)).toEqual(["a.gz"])
  })

  it("is made by a command, and its restore is refused while anybody uses the database", function* () {
    const file = join(yield* folder, "a.gz")
    yield* filled
    const environment = { DATABASE_URL: yield* cluster.databaseUrl, FINDABLE_MASTER_KEY: masterKey }
    const made = yield* run(environment, "backup", file, "--json")
    expect(JSON.parse(made.stdout)).toMatchObject({ file, secrets: "sealed" })
    const refused = yield* run(environment, "restore", file)
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toBe(
      `findable: Servers still use this database: findable ${process.pid}. Stop them, then restore again.\n`
    )
  })
})
