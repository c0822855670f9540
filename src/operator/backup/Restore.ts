import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { copyIn } from "../../database/Copy.ts"
import { migrate, migrateTo } from "../../database/Migrations.ts"
import { sqlMessage } from "../../database/SqlState.ts"
import { Refused } from "../../schema/DomainError.ts"
import * as Traced from "../../schema/Traced.ts"
import * as InstallationKey from "../../secrets/InstallationKey.ts"
import { damaged, type Footer, type Header, type Reader, reader, targetOf } from "./BackupFile.ts"
import { CatalogRepo } from "./CatalogRepo.ts"
import { gunzip } from "./Gzip.ts"

type Repo = typeof CatalogRepo.Service

/** Nobody else may work on the database meanwhile, and what is in it is not lost by accident. */
const checkTarget = (repo: Repo, replace: boolean) =>
  Effect.gen(function* () {
    const others = yield* repo.others()
    if (others.length > 0) {
      const names = others.map(({ name }) => name).join(", ")
      return yield* new Refused({ message: `Stop the nodes of this database first: ${names}` })
    }
    const things = yield* repo.things()
    const used = things.some(({ name }) => name === "accounts") && (yield* repo.accounts()).length > 0
    if (used && !replace) {
      return yield* new Refused({ message: "The database is not empty; --replace removes what it holds" })
    }
    if (things.length > 0) yield* migrate
    return yield* repo.things()
  })

/** The schema that the rows of the backup fit. */
const makeSchema = (repo: Repo, { partitions, schema }: Header) =>
  Effect.gen(function* () {
    // What a migration left in this session would be in the way of the same migration.
    yield* repo.run("DISCARD TEMP")
    yield* migrateTo(schema.at(-1)?.id ?? 0)
    const ours = new Map((yield* repo.migrations()).map(({ checksum, id }) => [id, checksum]))
    const unknown = schema.find(({ checksum, id }) => ours.get(id) !== checksum)
    if (unknown !== undefined) {
      return yield* new Refused({
        message: `The backup was made by another version: this one does not know ${unknown.file}`
      })
    }
    yield* repo.run(
      ...partitions.map(
        ({ bounds, name, parent }) => `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${parent} ${bounds}`
      )
    )
  })

/** Puts the rows of all tables in, in the order of the file: references are checked when all are there, and triggers are for changes, not for copies. */
const fill = (repo: Repo, { next, rows }: Reader) =>
  Effect.gen(function* () {
    const tables = yield* repo.tables()
    const names = new Map(tables.map((table) => [targetOf(table), table.name]))
    const keys = yield* repo.foreignKeys()
    yield* repo.run(
      ...keys.map(({ name, table }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
      ...tables.map(({ name }) => `ALTER TABLE ${name} DISABLE TRIGGER USER`)
    )
    const table = (target: string) =>
      Effect.gen(function* () {
        const name = names.get(target)
        if (name === undefined)
          return yield* new Refused({ message: `The backup has a table that does not fit its schema: ${target}` })
        // Migrations put rows of their own into some tables.
        yield* repo.run(`TRUNCATE ${name}`)
        yield* rows((lines) => copyIn(`COPY ${target} FROM STDIN`, lines)).pipe(
          Effect.catchTag(
            "SqlError",
            (error) => new Refused({ message: `The rows of ${name} do not fit: ${sqlMessage(error)}` })
          )
        )
      })
    const all = (done: number): Effect.Effect<Footer, Refused> =>
      Effect.flatMap(next, ({ footer, target }) => {
        if (target !== undefined)
          return Effect.zipRight(
            table(target),
            Effect.suspend(() => all(done + 1))
          )
        return footer.tables === done ? Effect.succeed(footer) : Effect.fail(damaged())
      })
    const { sequences } = yield* all(0)
    yield* Effect.forEach(sequences, repo.advance, { discard: true })
    yield* repo.run(
      ...tables.map(({ name }) => `ALTER TABLE ${name} ENABLE TRIGGER USER`),
      ...keys.map(({ definition, name, table }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    )
  })

const unreadable = (file: string) => (error: { readonly message: string }) =>
  new Refused({ message: `${file} cannot be read: ${error.message}` })

/**
 * Makes the database what it was when the backup was made, and then brings its schema up to date: all of it or, if anything is wrong, nothing. The secrets
 * in it need the master key that they were sealed with.
 */
export const restore = Traced.fn("Restore.restore")(function* (file: string, replace: boolean) {
  const fs = yield* FileSystem.FileSystem
  const repo = yield* CatalogRepo
  const bytes = gunzip(Stream.mapError(fs.stream(file), unreadable(file)))
  return yield* repo.transaction(
    Effect.scoped(
      Effect.gen(function* () {
        const from = yield* reader(bytes)
        const header = yield* from.header
        const before = yield* checkTarget(repo, replace)
        yield* repo.run(...before.map(({ kind, name }) => `DROP ${kind} IF EXISTS ${name} CASCADE`))
        yield* makeSchema(repo, header)
        yield* fill(repo, from)
        const applied = yield* migrate
        const after = new Set((yield* repo.things()).map(({ name }) => name))
        const foreign = before.filter(({ name }) => !after.has(name)).map(({ name }) => name)
        if (foreign.length > 0) {
          return yield* new Refused({ message: `The database holds what is not Findable's: ${foreign.join(", ")}` })
        }
        if (header.secrets) yield* InstallationKey.examine
        return {
          file,
          made_at: header.made_at,
          secrets: header.secrets ? "sealed" : "left out",
          migrations: applied.length === 0 ? "none were needed" : applied.join(", ")
        }
      })
    )
  )
})
