import { describe, expect } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { isCurrent, migrate, migrateFrom } from "../../../src/foundation/database/Migrations.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(cluster.layer)

/** A directory of migrations, removed with the scope. */
const files = (content: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = mkdtempSync(join(tmpdir(), "findable-sql-"))
      for (const [name, text] of Object.entries(content)) writeFileSync(join(directory, name), text)
      return directory
    }),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ).pipe(Effect.map((directory) => pathToFileURL(directory)))

const once = new Bun.CryptoHasher("sha256").update("CREATE TABLE once (n integer); SELECT pg_sleep(0.1)").digest("hex")

describe("migrations", () => {
  it("are all applied to a fresh database, and not applied a second time", function* () {
    expect(yield* isCurrent).toBe(true)
    expect(yield* migrate).toEqual([])
  })

  it("refuse a file that was changed after it was applied", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE schema_migrations SET checksum = 'other' WHERE id = 1`
    const { message } = yield* Effect.flip(migrate)
    expect(message).toBe("sql/0001_installation.sql was changed after it was applied. Restore the released file.")
  })

  it("are applied by one of several servers that start together", function* () {
    const directory = yield* files({ "0100_once.sql": "CREATE TABLE once (n integer); SELECT pg_sleep(0.1)" })
    const sql = yield* SqlClient.SqlClient
    yield* sql`TRUNCATE schema_migrations`
    const applied = yield* Effect.replicateEffect(migrateFrom(directory), 4).pipe(Effect.withConcurrency(4))
    const together = yield* Effect.all([migrateFrom(directory), migrateFrom(directory)], { concurrency: 2 })
    expect([...applied, ...together].flat()).toEqual(["0100_once.sql"])
  })

  const broken: ReadonlyArray<readonly [title: string, files: Record<string, string>, message: string]> = [
    [
      "a file that fails",
      { "0001_bad.sql": "CREATE TABLE half (n int); SELEC 1" },
      'sql/0001_bad.sql failed with SQLSTATE 42601: syntax error at or near "SELEC"'
    ],
    ["a file with another name", { "1_bad.sql": "" }, "sql/1_bad.sql is not named NNNN_name.sql"],
    [
      "a database that is newer",
      { "0001_a.sql": "SELECT 1" },
      "The database is newer than this version of Findable (migration 100). Start a newer version."
    ],
    [
      "a file with a lower number than an applied one",
      { "0099_late.sql": "SELECT 1", "0100_once.sql": "CREATE TABLE once (n integer); SELECT pg_sleep(0.1)" },
      "sql/0099_late.sql has a lower number than migration 100, which is already applied. Give it a higher number."
    ]
  ]
  for (const [title, content, message] of broken) {
    it(`report ${title} in one sentence, and change nothing`, function* () {
      const sql = yield* SqlClient.SqlClient
      if (message.includes("SQLSTATE")) yield* sql`TRUNCATE schema_migrations`
      else
        yield* sql`INSERT INTO schema_migrations (id, file, checksum) SELECT 100, 'o', ${once} ON CONFLICT DO NOTHING`
      const failure = yield* Effect.flip(migrateFrom(yield* files(content)))
      expect(failure.message).toBe(message)
      const [found] = yield* sql<{ half: string | null }>`SELECT to_regclass('half')::text AS half`
      expect(found?.half).toBeNull()
    })
  }
})
