import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Traced from "../schema/Traced.ts"
import * as Namespace from "./Namespace.ts"
import { sqlMessage, sqlState } from "./SqlState.ts"

/** The schema cannot be migrated; `message` names the file and the SQLSTATE. The whole run is rolled back. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{ readonly message: string }> {}

/** One forward step, a file `sql/NNNN_name.sql`. */
interface Migration {
  readonly id: number
  readonly file: string
  readonly text: string
  readonly checksum: string
}

/** The database's record of a migration. */
interface Applied {
  readonly id: number
  readonly checksum: string
}

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/

/** The key of the advisory lock: any number, as long as every version of the product uses the same. */
const lock = 4_846_013

const sha256 = (text: string) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => Encoding.encodeHex(new Uint8Array(digest))
  )

/** Where this program keeps its migrations. */
const ours = new URL("../../../sql", import.meta.url)

const load = Effect.fnUntraced(
  function* (location: URL) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* path.fromFileUrl(location)
    const names = (yield* fs.readDirectory(directory)).sort()
    return yield* Effect.forEach(names, (file) =>
      Effect.gen(function* () {
        const id = fileName.exec(file)?.[1]
        if (id === undefined) return yield* new MigrationFailed({ message: `sql/${file} is not named NNNN_name.sql` })
        const text = yield* fs.readFileString(path.join(directory, file))
        return { checksum: yield* sha256(text), file, id: Number(id), text } satisfies Migration
      })
    )
  },
  Effect.catchTags({
    BadArgument: (error) => new MigrationFailed({ message: error.message }),
    SystemError: (error) => new MigrationFailed({ message: error.message })
  }),
  Effect.provide(BunContext.layer)
)

/** A table, a function or a type of this name is there already (PostgreSQL manual, appendix A). */
const taken: ReadonlyArray<string | undefined> = ["42P07", "42710", "42723"]

const advice = (isFirst: boolean) =>
  isFirst
    ? ": the schema holds another program's. Set FINDABLE_DATABASE_SCHEMA to another name, such as findable, and Findable makes a schema of its own"
    : ": the schema holds one that is not Findable's. Rename that, or move this installation to a schema of its own: backup, then restore with FINDABLE_DATABASE_SCHEMA"

const failed = (file: string, isFirst: boolean) => (error: SqlError) => {
  const state = sqlState(error)
  const problem = `sql/${file} failed with SQLSTATE ${state ?? "unknown"}: ${sqlMessage(error)}`
  return new MigrationFailed({ message: taken.includes(state) ? `${problem}${advice(isFirst)}` : problem })
}

const unmigrated = (error: SqlError) =>
  new MigrationFailed({
    message: `The migrations failed with SQLSTATE ${sqlState(error) ?? "unknown"}: ${sqlMessage(error)}`
  })

const unfit = ({ message }: Namespace.SchemaUnfit) => new MigrationFailed({ message })

const check = (migrations: ReadonlyArray<Migration>, applied: ReadonlyArray<Applied>) =>
  Effect.gen(function* () {
    const known = new Map(migrations.map((migration) => [migration.id, migration]))
    for (const { checksum, id } of applied) {
      const migration = known.get(id)
      if (migration === undefined) {
        return yield* new MigrationFailed({
          message: `The database is newer than this program: it has migration ${id}. Start a newer version.`
        })
      }
      if (migration.checksum !== checksum) {
        return yield* new MigrationFailed({
          message: `sql/${migration.file} was changed after it had been applied: restore the released file`
        })
      }
    }
    const newest = Math.max(0, ...applied.map(({ id }) => id))
    const pending = migrations.filter(({ id }) => !applied.some((done) => done.id === id))
    const late = pending.find(({ id }) => id < newest)
    if (late !== undefined) {
      return yield* new MigrationFailed({
        message: `sql/${late.file} is older than migration ${newest}, which was applied: give it a higher number`
      })
    }
    return pending
  })

/**
 * Applies the pending files of a directory, up to a number, in one transaction under an advisory lock: of nodes that start at once one migrates and the
 * others find it done. Returns the names of the applied files.
 */
export const migrateFrom = Traced.fn("Migrations.migrate")(function* (directory: URL, last = Number.POSITIVE_INFINITY) {
  const sql = yield* SqlClient.SqlClient
  const migrations = (yield* load(directory)).filter(({ id }) => id <= last)
  return yield* Effect.gen(function* () {
    // A time limit of the role is meant for requests; migrating a large table, or waiting for another node, takes longer.
    yield* sql`SET LOCAL statement_timeout = 0`
    yield* sql`SET LOCAL lock_timeout = 0`
    yield* Namespace.prepare
    yield* sql`SELECT ${Namespace.lock(sql, sql`${lock}::bigint`)}`
    yield* sql`CREATE TABLE IF NOT EXISTS schema_migrations (
      id integer PRIMARY KEY, file text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`
    const applied = yield* sql<Applied>`SELECT id, checksum FROM schema_migrations ORDER BY id`
    const pending = yield* check(migrations, applied)
    yield* Effect.forEach(pending, ({ checksum, file, id, text }) =>
      Namespace.qualified(text).pipe(
        Effect.flatMap((text) => sql.unsafe(text)),
        Effect.zipRight(sql`INSERT INTO schema_migrations ${sql.insert({ checksum, file, id })}`),
        Effect.mapError(failed(file, applied.length === 0))
      )
    )
    return pending.map(({ file }) => file)
  }).pipe(sql.withTransaction, Effect.catchTags({ SchemaUnfit: unfit, SqlError: unmigrated }))
})

/** The same with the files of `sql/`. */
export const migrate = migrateFrom(ours)

/** The same up to a number: the schema of an earlier version. */
export const migrateTo = (last: number) => migrateFrom(ours, last)

class TakenBack extends Data.TaggedError("TakenBack") {}

/** Applies what is pending and takes it back, so that nothing is made: whether a node could. For a schema without an installation, since changes of tables keep others from them. */
export const rehearse = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.zipRight(migrate, new TakenBack()).pipe(
    sql.withTransaction,
    Effect.catchTags({ SqlError: unmigrated, TakenBack: () => Effect.void })
  )
)

/** Whether the database accepts writes. Almost every request writes, because it counts against the limits of its key. */
export const isWritable = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ writable: boolean }>`SELECT current_setting('transaction_read_only') = 'off' AS writable`,
    ([row]) => row?.writable === true
  )
)

/** Whether every migration that this program knows is applied. */
export const isCurrent = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const migrations = yield* load(ours)
  if (!(yield* Effect.catchTag(Namespace.examine, "SchemaUnfit", unfit))) return false
  const applied = yield* sql<Applied>`SELECT id, checksum FROM schema_migrations ORDER BY id`
  return (yield* check(migrations, applied)).length === 0
})
