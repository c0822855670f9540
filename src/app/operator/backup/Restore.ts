import * as FileSystem from "@effect/platform/FileSystem"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { copyIn } from "../../../foundation/database/Copy.ts"
import { migrate, migrateTo } from "../../../foundation/database/Migrations.ts"
import * as Namespace from "../../../foundation/database/Namespace.ts"
import { isAway, sqlMessage } from "../../../foundation/database/SqlState.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import * as InstallationKey from "../../../foundation/secrets/InstallationKey.ts"
import { escapeInvisible } from "../../../foundation/text/EscapeInvisible.ts"
import { damaged, type Footer, type Header, type Reader, reader, targetOf, unfitting, unpack } from "./BackupFile.ts"
import { CatalogRepo } from "./CatalogRepo.ts"
import { partitionStatement } from "./Partitions.ts"
import { RoleRepo } from "./RoleRepo.ts"
import * as Target from "./Target.ts"

type Repo = typeof CatalogRepo.Service

/** The schema that the rows of the backup fit. */
const makeSchema = (repo: Repo, { partitions, schema }: Header) =>
  Effect.gen(function* () {
    // Leftovers of a migration in this session would block the same migration.
    yield* repo.run("DISCARD TEMP")
    yield* migrateTo(schema.at(-1)?.id ?? 0)
    const ours = new Map((yield* repo.migrations()).map(({ checksum, id }) => [id, checksum]))
    const unknown = schema.find(({ checksum, id }) => ours.get(id) !== checksum)
    if (unknown !== undefined) {
      return yield* new Refused({
        message: `The backup was made by another version: this one does not know ${unknown.file}`
      })
    }
    if (schema.length !== ours.size) return yield* damaged()
    yield* repo.run(...(yield* Either.all(partitions.map(partitionStatement(yield* repo.partitioned())))))
  })

/** Lets the counters go on behind the numbers that the backup says; an unknown counter or an impossible number is refused. */
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
 * Puts the rows of all tables in, in the order of the file: references are checked when all are there, and triggers are for changes, not for copies.
 * Returns the tables that the file declares as left out.
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
        // Migrations put rows of their own into some tables.
        yield* repo.run(`TRUNCATE ${table.name}`)
        yield* rows((lines) => copyIn(`COPY ${targetOf(table)} FROM STDIN`, lines)).pipe(
          Effect.catchTag("SqlError", unfit(`The rows of ${table.name} do not fit`))
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
    if (lost.length > 0) return yield* new Refused({ message: `The backup lacks tables: ${lost.join(", ")}` })
    yield* advance(repo, sequences)
    yield* repo.run(...tables.map(({ name }) => `ALTER TABLE ${name} ENABLE TRIGGER USER`))
    yield* Effect.forEach(
      keys,
      ({ definition, name, table }) =>
        Effect.catchTag(
          repo.run(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`),
          "SqlError",
          unfit(`The rows of ${table} refer to rows that are not in the backup`)
        ),
      { discard: true }
    )
    return absent
  })

/** Rows that PostgreSQL refuses are the file's fault; an unreachable server is not. */
const unfit = (problem: string) => (error: SqlError) =>
  isAway(error) ? Effect.die(error) : new Refused({ message: `${problem}: ${sqlMessage(error)}` })

/** A refusal may quote the file: it stays one line of some length. */
const inOneLine = ({ message }: { readonly message: string }) => {
  const line = escapeInvisible(message)
  return new Refused({ message: line.length > 500 ? `${line.slice(0, 500)} …` : line })
}

const unreadable = (file: string) => (error: { readonly message: string }) =>
  new Refused({ message: `${file} cannot be read: ${error.message}` })

/**
 * Makes the database what it was when the backup was made, and then brings its schema up to date: all of it or, if anything is wrong, nothing. The secrets
 * in it need the master key that they were sealed with.
 */
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
          yield* Namespace.prepare
          const before = yield* Target.check(repo, replace)
          yield* Target.clear(repo, before)
          const { applied, leftOut } = yield* roles.harmlessly(
            Effect.gen(function* () {
              yield* makeSchema(repo, header)
              const leftOut = yield* fill(repo, header, from)
              const applied = yield* migrate
              if (header.secrets) yield* InstallationKey.examine
              return { applied, leftOut }
            })
          )
          const after = new Set((yield* repo.things()).map(({ name }) => name))
          const foreign = before.filter(({ name }) => !after.has(name)).map(({ name }) => name)
          if (foreign.length > 0) {
            return yield* new Refused({
              message: `The database contains objects that are not Findable's: ${foreign.join(", ")}`
            })
          }
          return {
            file,
            made_at: header.made_at,
            secrets: header.secrets ? "sealed" : "left out",
            tables_left_out: leftOut.length === 0 ? "none" : leftOut.join(", "),
            migrations: applied.length === 0 ? "none were needed" : applied.join(", ")
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
