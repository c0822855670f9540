import * as FileSystem from "@effect/platform/FileSystem"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { copyIn } from "../../../foundation/database/Copy.ts"

import { migrate, migrateTo, prepare } from "../../../foundation/database/Migrations.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { isAway, sqlDetail, sqlMessage, sqlState } from "../../../foundation/database/SqlState.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { examine } from "../../../foundation/secrets/Cipher.ts"
import { escapeInvisible } from "../../../foundation/text/Words.ts"
import {
  damaged,
  type Footer,
  type Header,
  partitionStatement,
  type Reader,
  reader,
  targetOf,
  unfitting,
  unpack
} from "./Backup.ts"
import { CatalogRepo } from "./CatalogRepo.ts"

/** The role of the session; names are quoted where SQL requires it. */
const Session = Schema.Struct({
  role: Schema.String,
  is_superuser: Schema.Boolean,
  /** Roles of the session's role that may run programs, read files or write files on the machine of the database. */
  powers: Schema.Array(Schema.String),
  database: Schema.String,
  schema: Schema.String,
  /** The schemas for looking names up. */
  path: Schema.NonEmptyArray(Schema.String),
  /** The schemas of extensions, which have the operator classes of migrations. */
  extensions: Schema.Array(Schema.String),
  /** A free role name. */
  free: Schema.String
})

/** The role of a restore. */
export class RoleRepo extends Effect.Service<RoleRepo>()("operator/RoleRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const session = Query.one({
      Request: Schema.Void,
      Result: Session,
      execute: () => sql`
        SELECT quote_ident(current_user) AS role, rolsuper AS is_superuser, quote_ident(current_database()) AS database,
          quote_ident(current_schema()) AS schema, array(SELECT quote_ident(name) FROM unnest(current_schemas(false)) name) AS path,
          array(SELECT DISTINCT quote_ident(nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace) AS extensions,
          'findable_restore_' || replace(gen_random_uuid()::text, '-', '') AS free,
          array(SELECT rolname::text FROM pg_roles r WHERE pg_has_role(current_user, r.oid, 'MEMBER')
            AND (r.rolsuper OR r.rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')) ORDER BY 1) AS powers
        FROM pg_roles WHERE rolname = current_user`
    })

    const run = (...statements: ReadonlyArray<string>) =>
      Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })

    /**
     * Runs a part of the current transaction as a role that reaches nothing outside the database. A superuser switches to a new role that can create objects in
     * this schema, and then takes over its objects. The role ends with the transaction.
     */
    const harmlessly = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const { database, extensions, free, is_superuser, path, powers, role, schema } = yield* session(undefined)
        if (!is_superuser) {
          if (powers.length === 0) return yield* work
          return yield* new Refused({
            message: `The role ${role} may run programs or use files on the database server (${powers.join(", ")}). Restore as a role without these rights, or as a superuser.`
          })
        }
        yield* run(
          `CREATE ROLE ${free} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`,
          // Migrations make temporary tables.
          `GRANT CREATE, TEMPORARY ON DATABASE ${database} TO ${free}`,
          `GRANT USAGE ON SCHEMA ${[...path, ...extensions].join(", ")} TO ${free}`,
          `GRANT CREATE ON SCHEMA ${schema} TO ${free}`,
          // From here on, "$user" in the path would mean another schema.
          `SET LOCAL search_path TO ${path.join(", ")}`,
          `SET LOCAL ROLE ${free}`
        )
        const made = yield* work
        yield* run(
          `SET LOCAL ROLE ${role}`,
          `REASSIGN OWNED BY ${free} TO ${role}`,
          `DROP OWNED BY ${free}`,
          `DROP ROLE ${free}`
        )
        return made
      })

    return { harmlessly }
  })
}) {}

// The schema that a restore fills.

type Catalog = typeof CatalogRepo.Service
type Things = Effect.Effect.Success<ReturnType<Catalog["things"]>>

/** The objects of the schema. No server may use it during a restore, and existing data is not removed by accident. */
const check = (repo: Catalog, replace: boolean) =>
  Effect.gen(function* () {
    const others = yield* repo.others()
    if (others.length > 0) {
      const names = others.map(({ name }) => name).join(", ")
      return yield* new Refused({
        message: `Servers still use this database: ${names}. Stop them, then restore again.`
      })
    }
    const things = yield* repo.things()
    const used = things.some(({ name }) => name === "accounts") && (yield* repo.accounts()).length > 0
    if (used && !replace) {
      return yield* new Refused({
        message: "The database is not empty. Use --replace to delete its data and restore the backup."
      })
    }
    if (things.length > 0) yield* migrate
    return yield* repo.things()
  })

/** The order of removal: dependent things first. */
const order = ["VIEW", "MATERIALIZED VIEW", "TABLE", "ROUTINE"]

const inUse = (error: SqlError) =>
  new Refused({ message: `Objects in another schema depend on this one. Drop them first: ${sqlDetail(error)}` })

/**
 * Removes all objects of the schema, and nothing of other schemas. When a view or a reference of another schema depends on an object, the restore is refused.
 */
const clear = (repo: Catalog, things: Things) =>
  Effect.catchIf(
    repo.run(
      ...order.flatMap((kind) => {
        const names = things.flatMap((thing) => (thing.kind === kind ? [thing.name] : []))
        return names.length === 0 ? [] : [`DROP ${kind} ${names.join(", ")}`]
      })
    ),
    (error) => sqlState(error) === "2BP01",
    inUse
  )

type Repo = typeof CatalogRepo.Service

/** Creates the schema of the backup's rows. */
const makeSchema = (repo: Repo, { partitions, schema }: Header) =>
  Effect.gen(function* () {
    // A migration's temporary tables in this session would block its next run.
    yield* repo.run("DISCARD TEMP")
    yield* migrateTo(schema.at(-1)?.id ?? 0)
    const ours = new Map((yield* repo.migrations()).map(({ checksum, id }) => [id, checksum]))
    const unknown = schema.find(({ checksum, id }) => ours.get(id) !== checksum)
    if (unknown !== undefined) {
      return yield* new Refused({
        message: `The backup is from another version of Findable, with the migration ${unknown.file}. Restore it with that version or a later one.`
      })
    }
    if (schema.length !== ours.size) return yield* damaged()
    yield* repo.run(...(yield* Either.all(partitions.map(partitionStatement(yield* repo.partitioned())))))
  })

/** Lets the counters continue after the backup's numbers. An unknown counter or an impossible number is refused. */
const advance = (repo: Repo, sequences: Footer["sequences"]) =>
  Effect.gen(function* () {
    const counters = new Map((yield* repo.counters()).map((counter) => [counter.name, counter]))
    for (const { last, name } of sequences) {
      const counter = counters.get(name)
      if (counter === undefined || BigInt(last) < BigInt(counter.least) || BigInt(last) > BigInt(counter.most)) {
        return yield* unfitting("counter", name)
      }
      yield* repo.advance({ last, name: counter.name })
    }
  })

/**
 * Inserts the rows of all tables in the order of the file. References are checked after the last row, and triggers do not run, because they are for changes,
 * not for copies. Returns the tables that the file declares as left out.
 */
const fill = (repo: Repo, { left_out }: Header, { next, rows }: Reader) =>
  Effect.gen(function* () {
    const tables = yield* repo.tables()
    const missing = new Map(tables.map((table) => [targetOf(table), table]))
    const keys = yield* repo.foreignKeys()
    yield* repo.run(
      ...keys.map(({ name, table }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
      ...tables.map(({ name }) => `ALTER TABLE ${name} DISABLE TRIGGER USER`)
    )
    const copy = (target: string) =>
      Effect.gen(function* () {
        const table = missing.get(target)
        if (table === undefined) return yield* unfitting("table", target)
        missing.delete(target)
        // Migrations insert rows into some tables.
        yield* repo.run(`TRUNCATE ${table.name}`)
        yield* rows((lines) => copyIn(`COPY ${targetOf(table)} FROM STDIN`, lines)).pipe(
          Effect.catchTag("SqlError", unfit(`The rows of ${table.name} do not fit the table`))
        )
      })
    const all = (done: number): Effect.Effect<Footer, Refused | SqlError> =>
      Effect.flatMap(next, ({ footer, target }) => {
        if (target !== undefined)
          return Effect.zipRight(
            copy(target),
            Effect.suspend(() => all(done + 1))
          )
        return footer.tables === done ? Effect.succeed(footer) : Effect.fail(damaged())
      })
    const { sequences } = yield* all(0)
    const absent = [...missing.values()].map(({ name }) => name)
    const unknown = left_out.find((name) => !tables.some((table) => table.name === name))
    if (unknown !== undefined) return yield* unfitting("table", unknown)
    const lost = absent.filter((name) => !left_out.includes(name))
    if (lost.length > 0)
      return yield* new Refused({ message: `The backup is damaged: it lacks the tables ${lost.join(", ")}` })
    yield* advance(repo, sequences)
    yield* repo.run(...tables.map(({ name }) => `ALTER TABLE ${name} ENABLE TRIGGER USER`))
    yield* Effect.forEach(
      keys,
      ({ definition, name, table }) =>
        Effect.catchTag(
          repo.run(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`),
          "SqlError",
          unfit(`The backup is damaged: rows of ${table} refer to missing rows`)
        ),
      { discard: true }
    )
    return absent
  })

/** A refused row is the file's fault; an unreachable server is not. */
const unfit = (problem: string) => (error: SqlError) =>
  isAway(error) ? Effect.die(error) : new Refused({ message: `${problem}: ${sqlMessage(error)}` })

/** A refusal may quote the file, so it is cut to one line. */
const inOneLine = ({ message }: { readonly message: string }) => {
  const line = escapeInvisible(message)
  return new Refused({ message: line.length > 500 ? `${line.slice(0, 500)} …` : line })
}

const unreadable = (file: string) => (error: { readonly message: string }) =>
  new Refused({ message: `${file} cannot be read: ${error.message}` })

/** Restores the database of the backup, then migrates its schema, all or nothing. Its secrets need the master key that sealed them. */
export const restore = Traced.fn("Restore.restore")(function* (file: string, replace: boolean) {
  const fs = yield* FileSystem.FileSystem
  const repo = yield* CatalogRepo
  const roles = yield* Effect.provide(RoleRepo, RoleRepo.Default)
  const bytes = unpack(Stream.mapError(fs.stream(file), unreadable(file)))
  return yield* repo
    .transaction(
      Effect.scoped(
        Effect.gen(function* () {
          const from = yield* reader(bytes)
          const header = yield* from.header
          yield* prepare
          const before = yield* check(repo, replace)
          yield* clear(repo, before)
          const { applied, leftOut } = yield* roles.harmlessly(
            Effect.gen(function* () {
              yield* makeSchema(repo, header)
              const leftOut = yield* fill(repo, header, from)
              const applied = yield* migrate
              if (header.secrets) yield* examine
              return { applied, leftOut }
            })
          )
          const after = new Set((yield* repo.things()).map(({ name }) => name))
          const foreign = before.filter(({ name }) => !after.has(name)).map(({ name }) => name)
          if (foreign.length > 0) {
            return yield* new Refused({
              message: `The database has objects of another program: ${foreign.join(", ")}. Restore into an empty database, or set FINDABLE_DATABASE_SCHEMA.`
            })
          }
          return {
            file,
            made_at: header.made_at,
            secrets: header.secrets ? "sealed" : "left out",
            tables_left_out: leftOut.length === 0 ? "none" : leftOut.join(", "),
            migrations: applied.length === 0 ? "none needed" : applied.join(", ")
          }
        })
      )
    )
    .pipe(
      Effect.catchTags({
        MasterKeyChanged: inOneLine,
        MigrationFailed: inOneLine,
        Refused: inOneLine,
        SchemaUnfit: inOneLine
      })
    )
})
