import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Chunk from "effect/Chunk"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { copyOut } from "../../../foundation/database/Copy.ts"
import { sqlMessage } from "../../../foundation/database/SqlState.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { gunzip, gzip } from "../../../foundation/text/Compressed.ts"
import { escapeInvisible } from "../../../foundation/text/Words.ts"
import { sealedTables } from "../Secrets.ts"
import { Applied, CatalogRepo, Partition, Sequence, type Table } from "./CatalogRepo.ts"

// A backup is gzipped text in the form of `pg_dump --data-only`: a first line with a description, a COPY statement with rows for each table, and a last line. A
// reader needs only the migrations that the first line names.

/** The first line: the schema of the rows, whether they include secrets, and the missing tables. */
export const Header = Schema.Struct({
  format: Schema.Literal("findable backup 1"),
  made_at: Schema.String.pipe(Schema.pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/)),
  secrets: Schema.Boolean,
  left_out: Schema.Array(Schema.String),
  schema: Schema.NonEmptyArray(Applied),
  partitions: Schema.Array(Partition)
})
export type Header = typeof Header.Type

/** The last line; a file without it is incomplete. */
export const Footer = Schema.Struct({ tables: Schema.Int, sequences: Schema.Array(Sequence) })
export type Footer = typeof Footer.Type

const comment = "-- "
const encode = new TextEncoder()
const lineOf = <A, I>(schema: Schema.Schema<A, I>) => {
  const write = Schema.encodeSync(Schema.parseJson(schema))
  return (value: A) => encode.encode(`${comment}${write(value)}\n`)
}
const headerLine = lineOf(Header)
const footerLine = lineOf(Footer)

/** The target of COPY for a table. */
export const targetOf = ({ columns, name }: Table) => `${name} (${columns.join(", ")})`

/** The lines around a table's rows. */
const opening = (table: Table) => encode.encode(`COPY ${targetOf(table)} FROM stdin;\n`)
const closing = encode.encode("\\.\n")

const readHeader = Schema.decode(Schema.parseJson(Header))
const readFooter = Schema.decode(Schema.parseJson(Footer))
const statement = /^COPY (\S+ \(.+\)) FROM stdin;$/

/** The content of a comment. */
const uncommented = (line: string): Effect.Effect<string, Refused> =>
  line.startsWith(comment) ? Effect.succeed(line.slice(comment.length)) : damaged()

const newline = 10
const end = Buffer.from("\n\\.\n")
const longestLine = 16 << 20
/** The longest row. The largest rows, results of runs, have about 10 MB. */
const longestRow = 64 << 20
export const damaged = () =>
  new Refused({ message: "The file is not a Findable backup, or it is damaged. Use another backup." })

/** The size of the pieces in bytes, packed or not; a row can be large. */
const pieceBytes = 1 << 20
const pack = gzip({ failed: () => new Refused({ message: "The backup could not be compressed" }), pieceBytes })
export const unpack = gunzip({ failed: damaged, pieceBytes })

/** The error for a file that names something outside its schema. */
export const unfitting = (thing: "table" | "partition" | "counter", name: string) =>
  new Refused({
    message: `The backup is damaged: its schema has no ${thing} ${escapeInvisible(name.slice(0, 100))}`
  })

/** Reads a backup from front to back. */
export const reader = (bytes: Stream.Stream<Uint8Array, Refused>) =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(bytes)
    // A newline before the first byte, because an end mark always follows a newline.
    let held = Buffer.from("\n")

    const more = Effect.gen(function* () {
      const chunks = yield* Effect.mapError(pull, Option.getOrElse(damaged))
      held = Buffer.concat([held, ...Chunk.toReadonlyArray(chunks)])
    })

    const take = (length: number) => {
      const piece = held.subarray(0, length)
      held = held.subarray(length)
      return piece
    }

    /** Reads one line; leaves its newline for the next read. */
    const line: Effect.Effect<string, Refused> = Effect.suspend(() => {
      const at = held.indexOf(newline, 1)
      if (at !== -1) return Effect.succeed(take(at).toString("utf8", 1))
      return held.length > longestLine ? damaged() : Effect.zipRight(more, line)
    })

    /** Passes on the rows of a table as they arrive, in pieces of whole lines. */
    const rows = <E2, R2>(
      use: (lines: Uint8Array) => Effect.Effect<void, E2, R2>
    ): Effect.Effect<void, E2 | Refused, R2> =>
      Effect.suspend(() => {
        const at = held.indexOf(end)
        const last = at === -1 ? held.lastIndexOf(newline) : at
        if (last <= 0 && held.length > longestRow) return damaged()
        const step = last > 0 ? use(Buffer.concat([take(last).subarray(1), Buffer.of(newline)])) : Effect.void
        if (at === -1) return Effect.zipRight(step, Effect.zipRight(more, rows(use)))
        return Effect.map(step, () => {
          take(end.length - 1)
        })
      })

    const header = line.pipe(
      Effect.flatMap(uncommented),
      Effect.flatMap(readHeader),
      Effect.catchTag("ParseError", damaged)
    )

    /** Reads to the end: nothing may follow the last line, and gzip checks its sum only at the end of the stream. */
    const over: Effect.Effect<void, Refused> = Effect.suspend(() =>
      held.length > 1
        ? damaged()
        : Effect.matchEffect(pull, {
            onFailure: Option.match({ onNone: () => Effect.void, onSome: Effect.fail }),
            onSuccess: (chunks) => {
              held = Buffer.concat([held, ...Chunk.toReadonlyArray(chunks)])
              return over
            }
          })
    )

    /** The next table's `name (columns)`, or the last line of the file. */
    const next = Effect.gen(function* () {
      const text = yield* line
      const [, target] = statement.exec(text) ?? []
      if (target !== undefined) return { footer: undefined, target }
      const footer = yield* uncommented(text).pipe(Effect.flatMap(readFooter), Effect.catchTag("ParseError", damaged))
      yield* over
      return { footer, target: undefined }
    })

    return { header, next, rows }
  })

export type Reader = Effect.Effect.Success<ReturnType<typeof reader>>

/** Tables with secrets: values sealed by the master key, hashes of keys, and the key that signs cursors. */
const secretTables = [...sealedTables, "api_keys", "console_codes", "installation"]

/** Secret tables, and tables with rows that depend on them. */
const withheld = (keys: ReadonlyArray<{ readonly table: string; readonly to: string }>) => {
  const found = new Set(secretTables)
  for (const table of found) {
    for (const key of keys) if (key.to === table) found.add(key.table)
  }
  return found
}

/** Days and times as text that does not depend on settings of the server and its roles. */
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

/** Writes bytes to a file that gets its name only when it is complete and on the disk. */
const writeWhole = (file: string, bytes: Stream.Stream<Uint8Array, Refused>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const part = `${file}.part`
    if (yield* fs.exists(file))
      return yield* new Refused({ message: `${file} already exists. Name another file, or a directory.` })
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
 * Writes the whole database of one moment to a file, while servers keep working. Secrets stay sealed by the master key, which is not in the file. Without
 * secrets, subscriptions, API keys and credentials are left out.
 */
export const backup = Traced.fn("Backup.backup")(function* (file: string, secrets: boolean) {
  const repo = yield* CatalogRepo
  const madeAt = DateTime.formatIso(yield* DateTime.now)
  const done = yield* repo.transaction(
    Effect.gen(function* () {
      yield* repo.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", unambiguous)
      const things = yield* repo.things()
      if (!things.some(({ name }) => name === "schema_migrations")) {
        return yield* new Refused({
          message: "Nothing to back up: the database has no tables yet. Is DATABASE_URL or FINDABLE_DATA_DIR right?"
        })
      }
      const [first, ...others] = yield* repo.migrations()
      if (first === undefined)
        return yield* new Refused({
          message:
            "Nothing to back up: the database has no data of Findable yet. Is DATABASE_URL or FINDABLE_DATA_DIR right?"
        })
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
  // A standby takes no writes, and its backup is as good.
  yield* Effect.catchAllDefect(repo.record({ at: madeAt, bytes: done.bytes, secrets }), () => Effect.void)
  return done
})

// A backup's description of partitions is untrusted text. Only its year and month become SQL, as numbers; the table is one of the catalogue.

const firstOf = (year: number, month: number) => `${pad(year, 4)}-${pad(month, 2)}-01`

const pad = (value: number, width: number) => String(value).padStart(width, "0")

/** The bounds of a month in PostgreSQL's spelling. */
const boundsOf = (year: number, month: number) => {
  const end = month === 12 ? firstOf(year + 1, 1) : firstOf(year, month + 1)
  return `FOR VALUES FROM ('${firstOf(year, month)}') TO ('${end}')`
}

/**
 * The statement that creates a month's partition of one of these tables. A partition with another name, or with bounds that differ from its month, is refused.
 */
export const partitionStatement =
  (parents: ReadonlyArray<{ readonly name: string }>) =>
  ({ bounds, name, parent }: Partition): Either.Either<string, Refused> => {
    const table = parents.find((known) => known.name === parent)
    const [, year, month] = /_(\d{4})_(0[1-9]|1[0-2])$/.exec(name) ?? []
    if (table !== undefined && year !== undefined && month !== undefined && Number(year) > 0) {
      const part = `${table.name}_${pad(Number(year), 4)}_${pad(Number(month), 2)}`
      const written = boundsOf(Number(year), Number(month))
      if (name === part && bounds === written) {
        return Either.right(`CREATE TABLE IF NOT EXISTS ${part} PARTITION OF ${table.name} ${written}`)
      }
    }
    return Either.left(unfitting("partition", name))
  }

/** Backups in a directory are named after their start, so their names sort by age. A `.part` is an unfinished backup. */
const ours = /^findable-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.gz(?<part>\.part)?$/

const nameAt = (now: DateTime.Utc) => `findable-${DateTime.formatIso(now).replace(/[:.]/g, "-")}.gz`

const refused = (path: string) => (error: PlatformError) => new Refused({ message: `${path}: ${error.message}` })

const isDirectory = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.exists(path)) && (yield* fs.stat(path)).type === "Directory"
})

/** The file of a new backup: the path itself, or in a directory a file named after this moment. A number of files to keep needs a directory. */
export const place = (path: string, keep: Option.Option<number>) =>
  Effect.gen(function* () {
    const { join } = yield* Path.Path
    if (yield* isDirectory(path)) return { directory: Option.some(path), file: join(path, nameAt(yield* DateTime.now)) }
    if (Option.isNone(keep)) return { directory: Option.none<string>(), file: path }
    return yield* new Refused({
      message: `${path} is not a directory. --keep works in a directory of backups: create it, or name another.`
    })
  }).pipe(Effect.catchTags({ BadArgument: refused(path), SystemError: refused(path) }))

/**
 * Removes all but the newest backups from a directory, unfinished ones too, and returns the number of removed files. Files with other names stay. The just
 * written backup stays even after the clock was set back.
 */
export const retain = (directory: string, keep: number, written: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { basename, join } = yield* Path.Path
    const names = (yield* fs.readDirectory(directory)).filter((name) => ours.test(name)).sort()
    const [oldest = ""] = names.filter((name) => ours.exec(name)?.groups?.part === undefined).slice(-keep)
    const old = names.filter((name) => name < oldest && name !== basename(written))
    yield* Effect.forEach(old, (name) => fs.remove(join(directory, name), { force: true }), { discard: true })
    return old.length
  }).pipe(Effect.catchTags({ BadArgument: refused(directory), SystemError: refused(directory) }))
