import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Traced from "../schema/Traced.ts"
import { sqlMessage, sqlState } from "./SqlState.ts"

// The schema of an installation. Sessions look names up in this schema alone (`Pool.ts`), so migrations, functions and statements need no schema name. All
// schemas of a database share its advisory locks, channels and extensions.

/** The schema cannot hold an installation; `message` says why and what to do. */
export class SchemaUnfit extends Data.TaggedError("SchemaUnfit")<{ readonly message: string }> {}

/** The number of the session's schema, 0 for `public`. */
const own = "CASE current_schema() WHEN 'public' THEN 0 ELSE current_schema()::regnamespace::oid::bigint END"

/** The suffix of channel names in this schema, as SQL. */
export const channelSuffix = `coalesce('_' || nullif(${own}, 0), '')`

/** Wakes the listeners of a channel that belong to this installation. */
export const notify = (sql: SqlClient.SqlClient, channel: string, payload: Fragment) =>
  sql`pg_notify(${channel} || ${sql.literal(channelSuffix)}, ${payload})`

/** Waits for an advisory lock of this installation, which ends with the transaction. `key` is a bigint. */
export const lock = (sql: SqlClient.SqlClient, key: Fragment) =>
  sql`pg_advisory_xact_lock((${key}) # ((${sql.literal(own)}) << 31))`

/** Extensions that migrations need. All schemas of a database share the extensions, so no installation's schema owns them. */
const extensions = ["pg_trgm", "btree_gin"]

/** The key of the lock for creating schemas and extensions, which all installations of a database share. */
const making = 4_846_015

interface State {
  readonly schema: string
  readonly role: string
  readonly exists: boolean
  /** Whether the role may use the schema, or create it. */
  readonly allowed: boolean
  readonly lacks_extension: boolean
  /** The schema of extensions. */
  readonly common: string
  /** Whether the table of migrations is ours (true) or another program's (false); null without a table. */
  readonly migrated: boolean | null
  /** A schema on the role's search path with an installation, while the wanted `public` has none. */
  readonly elsewhere: string | null
}

/** Reads the state of this installation's schema from the database. */
const look = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<State>`
      WITH wanted AS (
        SELECT coalesce(current_schema(), btrim(current_setting('search_path'), '"')) AS name
      ), records AS (
        SELECT c.relnamespace, EXISTS (
          SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'checksum' AND NOT a.attisdropped) AS ours
        FROM pg_class c WHERE c.relname = 'schema_migrations'
      )
      SELECT wanted.name AS schema, current_user AS role, n.oid IS NOT NULL AS exists,
        CASE WHEN n.oid IS NULL THEN has_database_privilege(current_database(), 'CREATE')
          ELSE has_schema_privilege(n.oid, 'USAGE') AND has_schema_privilege(n.oid, 'CREATE') END AS allowed,
        (SELECT count(*) FROM pg_extension WHERE extname IN ${sql.in(extensions)}) < ${extensions.length} AS lacks_extension,
        coalesce((SELECT nspname FROM pg_namespace WHERE nspname = 'public'), wanted.name) AS common,
        records.ours AS migrated,
        CASE WHEN wanted.name = 'public' AND records.ours IS NULL THEN (
          SELECT usual.nspname FROM pg_settings s
            CROSS JOIN unnest(string_to_array(s.reset_val, ',')) WITH ORDINALITY AS path (entry, place)
            JOIN pg_namespace usual ON usual.nspname = CASE btrim(entry) WHEN '"$user"' THEN current_user ELSE btrim(entry, ' "') END
            JOIN records held ON held.relnamespace = usual.oid AND held.ours
          WHERE s.name = 'search_path' ORDER BY place LIMIT 1
        ) END AS elsewhere
      FROM wanted LEFT JOIN pg_namespace n ON n.nspname = wanted.name LEFT JOIN records ON records.relnamespace = n.oid`,
    ([state]) => state
  )
)

const refusal = ({ allowed, elsewhere, exists, migrated, role, schema }: State): string | undefined => {
  if (migrated === false) {
    return `Schema ${schema} of this database belongs to another program (its table schema_migrations). Set FINDABLE_DATABASE_SCHEMA to another name, such as findable.`
  }
  if (migrated === null && elsewhere !== null) {
    return `The search_path of role ${role} leads to schema ${elsewhere}, which holds an installation, and schema public holds none: set FINDABLE_DATABASE_SCHEMA=${elsewhere}, or for another installation ALTER ROLE ${role} SET search_path = public`
  }
  if (allowed) return undefined
  return exists
    ? `The database role ${role} cannot create tables in schema ${schema}. Run GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}, or set FINDABLE_DATABASE_SCHEMA to another schema`
    : `The database role ${role} cannot create schema ${schema} (FINDABLE_DATABASE_SCHEMA). Run CREATE SCHEMA ${schema} AUTHORIZATION ${role} as a role that can`
}

/** Whether the schema holds an installation. Fails when the schema cannot hold one. */
export const examine = Effect.gen(function* () {
  const state = yield* look
  if (state === undefined) return false
  const message = refusal(state)
  if (message !== undefined) return yield* new SchemaUnfit({ message })
  return state.migrated === true
})

/** Creates the missing schema and extensions. Run it in a transaction. */
export const prepare = Effect.gen(function* () {
  yield* examine
  const sql = yield* SqlClient.SqlClient
  const state = yield* look
  if (state === undefined || (state.exists && !state.lacks_extension)) return
  // Two processes that create the same schema would fail each other, even with IF NOT EXISTS.
  yield* sql`SELECT pg_advisory_xact_lock(${making})`
  if (!state.exists) yield* sql`CREATE SCHEMA IF NOT EXISTS ${sql(state.schema)}`
  yield* Effect.forEach(extensions, (name) =>
    Effect.mapError(
      sql`CREATE EXTENSION IF NOT EXISTS ${sql(name)} SCHEMA ${sql(state.common)}`,
      (error: SqlError) =>
        new SchemaUnfit({
          message: `The extension ${name} cannot be created in this database: ${sqlMessage(error)}. Run CREATE EXTENSION ${name} as a role that can`
        })
    )
  )
})

/** The text of a migration with qualified operator classes, because sessions do not search the extensions' schema. */
const qualified = (text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ schema: string }>`
        SELECT quote_ident(nspname) AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm'`,
      ([found]) => (found === undefined ? text : text.replace(/\bgin_trgm_ops\b/g, `${found.schema}.gin_trgm_ops`))
    )
  )

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

/** The key of the advisory lock: any number that every version of the product uses. */
const advisoryLock = 4_846_013

const sha256 = (text: string) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => Encoding.encodeHex(new Uint8Array(digest))
  )

/** The directory of this program's migrations. */
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

/** A table, function or type of this name already exists (PostgreSQL manual, appendix A). */
const taken: ReadonlyArray<string | undefined> = ["42P07", "42710", "42723"]

const advice = (isFirst: boolean) =>
  isFirst
    ? ": it belongs to another program. Set FINDABLE_DATABASE_SCHEMA to another name, such as findable"
    : ": it is not Findable's. Rename it, or move Findable to another schema: run backup, then restore with FINDABLE_DATABASE_SCHEMA"

const failed = (file: string, isFirst: boolean) => (error: SqlError) => {
  const state = sqlState(error)
  const problem = `sql/${file} failed with SQLSTATE ${state ?? "unknown"}: ${sqlMessage(error)}`
  return new MigrationFailed({ message: taken.includes(state) ? `${problem}${advice(isFirst)}` : problem })
}

const unmigrated = (error: SqlError) =>
  new MigrationFailed({
    message: `The migrations failed with SQLSTATE ${sqlState(error) ?? "unknown"}: ${sqlMessage(error)}`
  })

const unfit = ({ message }: SchemaUnfit) => new MigrationFailed({ message })

const check = (migrations: ReadonlyArray<Migration>, applied: ReadonlyArray<Applied>) =>
  Effect.gen(function* () {
    const known = new Map(migrations.map((migration) => [migration.id, migration]))
    for (const { checksum, id } of applied) {
      const migration = known.get(id)
      if (migration === undefined) {
        return yield* new MigrationFailed({
          message: `The database is newer than this version of Findable (migration ${id}). Start a newer version.`
        })
      }
      if (migration.checksum !== checksum) {
        return yield* new MigrationFailed({
          message: `sql/${migration.file} was changed after it was applied. Restore the released file.`
        })
      }
    }
    const newest = Math.max(0, ...applied.map(({ id }) => id))
    const pending = migrations.filter(({ id }) => !applied.some((done) => done.id === id))
    const late = pending.find(({ id }) => id < newest)
    if (late !== undefined) {
      return yield* new MigrationFailed({
        message: `sql/${late.file} has a lower number than migration ${newest}, which is already applied. Give it a higher number.`
      })
    }
    return pending
  })

/**
 * Applies the pending files of a directory, up to a number, in one transaction under an advisory lock: when several nodes start together, one migrates and the
 * others find nothing pending. Returns the names of the applied files.
 */
export const migrateFrom = Traced.fn("Migrations.migrate")(function* (directory: URL, last = Number.POSITIVE_INFINITY) {
  const sql = yield* SqlClient.SqlClient
  const migrations = (yield* load(directory)).filter(({ id }) => id <= last)
  return yield* Effect.gen(function* () {
    // The role's time limit is meant for requests. The migration of a large table, or the wait for another node, takes longer.
    yield* sql`SET LOCAL statement_timeout = 0`
    yield* sql`SET LOCAL lock_timeout = 0`
    yield* prepare
    yield* sql`SELECT ${lock(sql, sql`${advisoryLock}::bigint`)}`
    yield* sql`CREATE TABLE IF NOT EXISTS schema_migrations (
      id integer PRIMARY KEY, file text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`
    const applied = yield* sql<Applied>`SELECT id, checksum FROM schema_migrations ORDER BY id`
    const pending = yield* check(migrations, applied)
    yield* Effect.forEach(pending, ({ checksum, file, id, text }) =>
      qualified(text).pipe(
        Effect.flatMap((text) => sql.unsafe(text)),
        Effect.zipRight(sql`INSERT INTO schema_migrations ${sql.insert({ checksum, file, id })}`),
        Effect.mapError(failed(file, applied.length === 0))
      )
    )
    return pending.map(({ file }) => file)
  }).pipe(sql.withTransaction, Effect.catchTags({ SchemaUnfit: unfit, SqlError: unmigrated }))
})

/** Applies the pending files of `sql/`. */
export const migrate = migrateFrom(ours)

/** Applies the files of `sql/` up to a number: the schema of an earlier version. */
export const migrateTo = (last: number) => migrateFrom(ours, last)

class TakenBack extends Data.TaggedError("TakenBack") {}

/**
 * Tests whether a node could migrate: applies the pending files and rolls them back. Only for a schema without an installation, because changes of tables lock
 * others out.
 */
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
  if (!(yield* Effect.catchTag(examine, "SchemaUnfit", unfit))) return false
  const applied = yield* sql<Applied>`SELECT id, checksum FROM schema_migrations ORDER BY id`
  return (yield* check(migrations, applied)).length === 0
})
