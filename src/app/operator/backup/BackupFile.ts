import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { escapeInvisible } from "../../../foundation/text/EscapeInvisible.ts"
import { gunzip, gzip } from "../../../foundation/text/Gzip.ts"
import { Applied, Partition, Sequence, type Table } from "./CatalogRepo.ts"

// A backup is gzipped text in the form of `pg_dump --data-only`: a first line that says what it is, a COPY statement with its rows for each table, and a
// last line. A program that reads it needs nothing but the migrations that the first line names.

/** The first line: the schema that the rows fit, whether they include secrets, and the tables that the file lacks. */
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
export const headerLine = lineOf(Header)
export const footerLine = lineOf(Footer)

/** A table as COPY names it. */
export const targetOf = ({ columns, name }: Table) => `${name} (${columns.join(", ")})`

/** The lines around a table's rows. */
export const opening = (table: Table) => encode.encode(`COPY ${targetOf(table)} FROM stdin;\n`)
export const closing = encode.encode("\\.\n")

const readHeader = Schema.decode(Schema.parseJson(Header))
const readFooter = Schema.decode(Schema.parseJson(Footer))
const statement = /^COPY (\S+ \(.+\)) FROM stdin;$/

/** The content of a comment. */
const uncommented = (line: string): Effect.Effect<string, Refused> =>
  line.startsWith(comment) ? Effect.succeed(line.slice(comment.length)) : damaged()

const newline = 10
const end = Buffer.from("\n\\.\n")
const longestLine = 16 << 20
/** The largest rows are results of runs, of some 10 MB. */
const longestRow = 64 << 20
export const damaged = () => new Refused({ message: "The file is not a Findable backup, or it is damaged" })

/** The size of the pieces in bytes, packed or not; a row can be large. */
const pieceBytes = 1 << 20
export const pack = gzip({ failed: () => new Refused({ message: "The backup could not be compressed" }), pieceBytes })
export const unpack = gunzip({ failed: damaged, pieceBytes })

/** The file names something that its schema does not have. */
export const unfitting = (thing: "table" | "partition" | "counter", name: string) =>
  new Refused({
    message: `The backup has a ${thing} that does not fit its schema: ${escapeInvisible(name.slice(0, 100))}`
  })

/** Reads a backup from front to back. */
export const reader = (bytes: Stream.Stream<Uint8Array, Refused>) =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(bytes)
    // A newline before the first byte, so that an end mark always follows one.
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

    /** The next line, from behind the newline before it; that at its end stays for what follows. */
    const line: Effect.Effect<string, Refused> = Effect.suspend(() => {
      const at = held.indexOf(newline, 1)
      if (at !== -1) return Effect.succeed(take(at).toString("utf8", 1))
      return held.length > longestLine ? damaged() : Effect.zipRight(more, line)
    })

    /** Hands the rows of a table on, as they come, in pieces of whole lines. */
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

    /** Nothing may follow the last line, and gzip checks its sum only at the end of the stream. */
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

    /** The next table's `name (columns)`, or how the file ends. */
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
