import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Child from "../../../../foundation/process/Child.ts"
import { FileFormat } from "../../Domain.ts"
import * as Decode from "../../decode/Decode.ts"

import { type Load, ofBatches, PartExtent } from "../../import/Loads.ts"
import { Dropped, ExportDays, ImportFailed, Incomplete, Met, SnapshotKind } from "../../RawRow.ts"

/** Bytes of the length before each frame, the most significant first. */
export const headBytes = 4

/** The most bytes of a frame; a longer one is not from our process. */
export const mostBytes = 8 * 1024 * 1024

/** A frame: the length of the bytes, then the bytes. */
export const frame = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = new Uint8Array(headBytes + length)
  new DataView(bytes.buffer).setUint32(0, length)
  let at = headBytes
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** The length of a frame, from the bytes before it. */
export const lengthOf = (head: Uint8Array): number => new DataView(head.buffer, head.byteOffset, headBytes).getUint32(0)

/** The input is no frame, or ends inside a frame. */
class FrameBroken extends Data.TaggedError("FrameBroken") {}

/** Splits chunks of any size into frames. */
export const frames = <E, R>(chunks: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | FrameBroken, R> =>
  Stream.suspend(() => {
    const head = new Uint8Array(headBytes)
    let body: Uint8Array | undefined
    let filled = 0
    const cut = (chunk: Uint8Array): Effect.Effect<ReadonlyArray<Uint8Array>, FrameBroken> => {
      const found: Array<Uint8Array> = []
      for (let at = 0; at < chunk.length; ) {
        const target = body ?? head
        const part = chunk.subarray(at, at + target.length - filled)
        target.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < target.length) continue
        filled = 0
        if (body !== undefined) {
          found.push(body)
          body = undefined
          continue
        }
        const length = lengthOf(head)
        if (length > mostBytes) return new FrameBroken()
        if (length === 0) found.push(new Uint8Array(0))
        else body = new Uint8Array(length)
      }
      return Effect.succeed(found)
    }
    const rest = Stream.suspend(() =>
      filled > 0 || body !== undefined ? Stream.fail(new FrameBroken()) : Stream.empty
    )
    return chunks.pipe(
      Stream.mapEffect(cut),
      Stream.mapConcat((found) => found),
      Stream.concat(rest)
    )
  })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The job of the process, the first frame of its standard input: how to read the file. */
const DecodeJob = Schema.Struct({
  format: FileFormat,
  file: Schema.String,
  options: Schema.Struct({
    host: Schema.String,
    origin: optional(Schema.String),
    property: optional(
      Schema.Union(
        Schema.TaggedStruct("Host", { host: Schema.String }),
        Schema.TaggedStruct("Domain", { domain: Schema.String })
      )
    ),
    date: optional(Schema.String),
    notAfter: optional(Schema.String),
    dimensions: optional(Schema.Array(Schema.String))
  })
})
type DecodeJob = typeof DecodeJob.Type

const Table = Schema.Union(
  Schema.Struct({
    file: Schema.String,
    level: Schema.Literal("queries", "pages", "property", "url"),
    exact: Schema.Boolean
  }),
  Schema.Struct({ file: Schema.String, kind: SnapshotKind })
)

/**
 * The process's messages, a frame each. The lines of a load follow its message: `rows` bytes of rows, `snapshots` bytes of rows without dates, then the
 * variants.
 */
export const Message = Schema.Union(
  Schema.TaggedStruct("Load", {
    rows: Schema.Int,
    snapshots: Schema.Int,
    tables: Schema.Array(Table),
    extents: Schema.Array(PartExtent),
    dropped: Dropped,
    exported: Schema.Array(ExportDays),
    passedOver: Schema.Array(Schema.String),
    met: Schema.Array(Met),
    incomplete: Schema.Array(Incomplete)
  }),
  Schema.TaggedStruct("Refused", { file: Schema.String, line: Schema.Int, reason: Schema.String }),
  Schema.TaggedStruct("Finished", {})
)
export type Message = typeof Message.Type

export const JobText = Schema.parseJson(DecodeJob)
export const MessageText = Schema.parseJson(Message)

/** Platform adapter: the program of the decoding process, found relative to this file. */

/** A file was not read to its end because of a fault of ours. */
export class DecodeFailed extends Data.TaggedError("DecodeFailed")<{ readonly message: string }> {}

/** Decodes files that callers sent. A service, because a hostile file must not slow the process that serves requests. */
export class FileDecoder extends Context.Tag("rankings/uploads/FileDecoder")<
  FileDecoder,
  {
    /** The loads of a file's bytes. Decoding ends, in any process, when nobody reads the loads. */
    readonly decode: (
      job: DecodeJob,
      bytes: Stream.Stream<Uint8Array>
    ) => Stream.Stream<Load, DecodeFailed | ImportFailed>
  }
>() {}

const script = new URL("child/main.ts", import.meta.url)

/** The only variables that the process gets. It reads foreign files, so it gets no keys and no database URL. */
const inherited = ["TMPDIR"]

/** The most megabytes of the process; decoding takes a third for any file. */
const megabytes = 380

const ended = new DecodeFailed({
  message: "The server stopped reading the file before its end. Nothing was imported. Send the file again"
})

const tooLarge = (file: string) =>
  new ImportFailed({
    file,
    line: 0,
    reason: `the file needs more than ${megabytes} MB of memory. Split it into several files`
  })

const decodeMessage = Schema.decode(MessageText)
const lineEnd = 10

/** Splits a frame into its message and the following lines. */
const read = (bytes: Uint8Array) => {
  const end = bytes.indexOf(lineEnd)
  return Effect.map(
    decodeMessage(new TextDecoder().decode(bytes.subarray(0, end))),
    (message) => [message, bytes.subarray(end + 1)] as const
  )
}

const loadsOf = (messages: Stream.Stream<readonly [Message, Uint8Array], DecodeFailed>) =>
  Stream.suspend(() => {
    let isFinished = false
    const loads = messages.pipe(
      Stream.mapEffect(([message, lines]): Effect.Effect<ReadonlyArray<Load>, ImportFailed> => {
        switch (message._tag) {
          case "Load": {
            const { _tag, rows, snapshots, ...load } = message
            return Effect.succeed([
              {
                ...load,
                rows: lines.subarray(0, rows),
                snapshots: lines.subarray(rows, rows + snapshots),
                variants: lines.subarray(rows + snapshots)
              }
            ])
          }
          case "Refused":
            return new ImportFailed(message)
          case "Finished":
            isFinished = true
            return Effect.succeed([])
        }
      }),
      Stream.mapConcat((loads) => loads)
    )
    return Stream.concat(
      loads,
      Stream.suspend(() => (isFinished ? Stream.empty : Stream.fail(ended)))
    )
  })

const start = Effect.fnUntraced(function* (
  job: DecodeJob,
  bytes: Stream.Stream<Uint8Array>,
  environment: Readonly<Record<string, string>>
) {
  const text = yield* Schema.encode(JobText)(job)
  const unreadable = yield* Deferred.make<never>()
  const file = Stream.catchAllCause(bytes, (cause) =>
    Stream.fromEffect(Effect.zipRight(Deferred.failCause(unreadable, cause), Effect.never))
  )
  const input = Stream.make(new TextEncoder().encode(text)).pipe(
    Stream.concat(file),
    Stream.concat(Stream.make(new Uint8Array(0))),
    Stream.map((bytes) => frame(bytes)),
    Stream.concat(Stream.never)
  )
  const child = yield* Child.start({ environment, input, memory: megabytes * 1e6, script })
  const messages = frames(child.stdout).pipe(
    Stream.mapEffect(read),
    Stream.mapError(() => ended)
  )
  return loadsOf(messages).pipe(
    Stream.catchTag("DecodeFailed", (failed) =>
      Stream.unwrap(Effect.map(child.isTooLarge, (isTooLarge) => Stream.fail(isTooLarge ? tooLarge(job.file) : failed)))
    ),
    Stream.interruptWhenDeferred(unreadable)
  )
})

/** Up to this many bytes, any uncompressed file costs less to decode than a process costs to start. */
const small = 8 * 1024

const isForProcess = (start: Uint8Array) => start.length > small || Decode.isPacked(start)

/** Reads the beginning of a file, enough to choose between a process and this one; a small file is read to its end. */
const beginning = Sink.fold(
  new Uint8Array(0),
  (start) => !isForProcess(start),
  (start, piece: Uint8Array) => Buffer.concat([start, piece])
)

/** Decodes each file in a separate process, but a small file here, without waiting for a process to start on a busy machine. */
export const layer = Layer.effect(
  FileDecoder,
  Effect.gen(function* () {
    const executor = yield* CommandExecutor.CommandExecutor
    const environment = yield* Child.inherited(inherited)
    return FileDecoder.of({
      decode: (job, bytes) =>
        Stream.unwrapScoped(
          Effect.gen(function* () {
            const [begun, rest] = yield* Stream.peel(bytes, beginning)
            const known = Stream.make(begun)
            if (!isForProcess(begun)) return ofBatches(Decode.rows(job.format, job.file, job.options)(known))
            return yield* start(job, Stream.concat(known, rest), environment).pipe(
              Effect.provideService(CommandExecutor.CommandExecutor, executor),
              Effect.catchAll((error) =>
                Effect.zipRight(Effect.logError("The process that reads an import file did not start", error), ended)
              )
            )
          })
        )
    })
  })
).pipe(Layer.provide(BunContext.layer))
