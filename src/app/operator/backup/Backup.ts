import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { copyOut } from "../../../foundation/database/Copy.ts"
import { sqlMessage } from "../../../foundation/database/SqlState.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { sealedTables } from "../SealedRepo.ts"
import { closing, footerLine, headerLine, opening, pack } from "./BackupFile.ts"
import { CatalogRepo, type Table } from "./CatalogRepo.ts"

/** Places of secrets: values sealed by the master key, hashes of keys, and the key that signs cursors. */
const secretTables = [...sealedTables, "api_keys", "console_codes", "installation"]

/** Secret tables, and tables whose rows depend on them. */
const withheld = (keys: ReadonlyArray<{ readonly table: string; readonly to: string }>) => {
  const found = new Set(secretTables)
  for (const table of found) {
    for (const key of keys) if (key.to === table) found.add(key.table)
  }
  return found
}

/** Days and times as text that reads the same whatever the server and its roles are set to. */
const unambiguous = "SET LOCAL datestyle = 'ISO, YMD'"

const rowsOf = (table: Table) =>
  Stream.concat(
    Stream.make(opening(table)),
    Stream.concat(
      copyOut(`COPY (SELECT ${table.columns.join(", ")} FROM ${table.name}) TO STDOUT`),
      Stream.make(closing)
    )
  ).pipe(Stream.mapError((error) => new Refused({ message: `${table.name} cannot be read: ${sqlMessage(error)}` })))

const unwritable = (file: string) => (error: PlatformError) =>
  new Refused({ message: `${file} cannot be written: ${error.message}` })

/** Writes bytes to a file that has its name only when it is whole and on the disk. */
const writeWhole = (file: string, bytes: Stream.Stream<Uint8Array, Refused>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const part = `${file}.part`
    if (yield* fs.exists(file)) return yield* new Refused({ message: `${file} already exists` })
    const written = Effect.scoped(
      Effect.gen(function* () {
        const handle = yield* fs.open(part, { flag: "w", mode: 0o600 })
        yield* Stream.runForEach(bytes, (chunk) => handle.writeAll(chunk))
        yield* handle.sync
        return Number((yield* handle.stat).size)
      })
    )
    return yield* written.pipe(
      Effect.zipLeft(fs.rename(part, file)),
      Effect.onError(() => Effect.ignore(fs.remove(part)))
    )
  }).pipe(Effect.catchTags({ BadArgument: unwritable(file), SystemError: unwritable(file) }))

/**
 * Writes the whole database to a file, as of one moment, while nodes keep working. Secrets stay sealed by the master key, which is not in
 * the file; without them the subscriptions, API keys and credentials are left out.
 */
export const backup = Traced.fn("Backup.backup")(function* (file: string, secrets: boolean) {
  const repo = yield* CatalogRepo
  const madeAt = DateTime.formatIso(yield* DateTime.now)
  return yield* repo.transaction(
    Effect.gen(function* () {
      yield* repo.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", unambiguous)
      const things = yield* repo.things()
      if (!things.some(({ name }) => name === "schema_migrations")) {
        return yield* new Refused({ message: "There is nothing to back up: the database has no tables yet" })
      }
      const [first, ...others] = yield* repo.migrations()
      if (first === undefined)
        return yield* new Refused({ message: "There is nothing to back up: no migration was applied" })
      const left = secrets ? new Set<string>() : withheld(yield* repo.foreignKeys())
      const all = yield* repo.tables()
      const tables = all.filter(({ name }) => !left.has(name))
      const leftOut = all.filter(({ name }) => left.has(name)).map(({ name }) => name)
      yield* repo.run(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")} IN ACCESS SHARE MODE`)
      const header = headerLine({
        format: "findable backup 1",
        left_out: leftOut,
        made_at: madeAt,
        partitions: yield* repo.partitions(),
        schema: [first, ...others],
        secrets
      })
      const footer = Effect.map(repo.sequences(), (sequences) => footerLine({ sequences, tables: tables.length }))
      const lines = Stream.make(header).pipe(
        Stream.concat(Stream.flatMap(Stream.fromIterable(tables), rowsOf)),
        Stream.concat(Stream.fromEffect(footer))
      )
      const bytes = yield* writeWhole(file, pack(lines))
      return { file, bytes, tables: tables.length, secrets: secrets ? "sealed" : "left out" }
    })
  )
})
