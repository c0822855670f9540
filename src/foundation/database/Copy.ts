import { Readable } from "node:stream"
import * as BunStream from "@effect/platform-bun/BunStream"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"

/** Platform adapter: PostgreSQL's `COPY` on the connection of the current transaction. The driver has the messages of `COPY`, but no statement. */

/** The part of the driver's connection that copying needs. */
interface Wire {
  readonly query: (statement: string) => void
  readonly sendCopyFromChunk: (bytes: Buffer) => void
  readonly endCopyFrom: () => void
  readonly stream: { readonly pause: () => void; readonly resume: () => void }
}

/** An entry of the driver's queue; the driver calls it with each message of the server. */
interface Command {
  readonly submit: (wire: Wire) => void
  readonly handleCopyInResponse?: (wire: Wire) => void
  readonly handleCopyData?: (message: { readonly chunk: Buffer }, wire: Wire) => void
  readonly handleCommandComplete: () => void
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: unknown) => void
}

interface Driver {
  readonly query: (command: Command) => unknown
}

const isDriver = (value: unknown): value is Driver =>
  Predicate.hasProperty(value, "query") && Predicate.isFunction(value.query)

const driver = Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (transaction) => {
  const connection = Option.getOrUndefined(transaction)?.[0]
  return Predicate.hasProperty(connection, "pg") && isDriver(connection.pg)
    ? Effect.succeed(connection.pg)
    : Effect.dieMessage("COPY needs a transaction of the PostgreSQL driver")
})

const failed = (cause: unknown) => new SqlError({ cause, message: "COPY failed" })

/** Runs a `COPY … FROM STDIN` statement with all of its data (a few megabytes at most), uninterruptibly. */
export const copyIn = Effect.fnUntraced(function* (statement: string, data: string | Uint8Array) {
  const pg = yield* driver
  yield* Effect.uninterruptible(
    Effect.async<void, SqlError>((resume) => {
      pg.query({
        submit: (wire) => wire.query(statement),
        handleCopyInResponse: (wire) => {
          wire.sendCopyFromChunk(
            typeof data === "string" ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.length)
          )
          wire.endCopyFrom()
        },
        handleCommandComplete: () => {},
        handleReadyForQuery: () => resume(Effect.void),
        handleError: (cause) => resume(Effect.fail(failed(cause)))
      })
    })
  )
})

/** Bytes buffered for a slow reader before the server is held back. */
const heldAtMost = 1 << 20

const copied = (pg: Driver, statement: string) => {
  let socket: Wire["stream"] | undefined
  const readable = new Readable({
    highWaterMark: heldAtMost,
    read: () => socket?.resume(),
    // The connection can be used again only after the rest of an abandoned copy has drained.
    destroy: (error, done) => {
      socket?.resume()
      done(error)
    }
  })
  pg.query({
    submit: (wire) => {
      socket = wire.stream
      wire.query(statement)
    },
    handleCopyData: ({ chunk }, wire) => {
      // The chunk is copied, because the driver overwrites it with the next message.
      if (!readable.destroyed && !readable.push(Buffer.from(chunk))) wire.stream.pause()
    },
    handleCommandComplete: () => {},
    handleReadyForQuery: () => readable.push(null),
    handleError: (cause) => readable.destroy(failed(cause))
  })
  return readable
}

/** The data of a `COPY … TO STDOUT` statement, at the pace of its reader. */
export const copyOut = (statement: string): Stream.Stream<Uint8Array, SqlError> =>
  Stream.unwrap(Effect.map(driver, (pg) => BunStream.fromReadable(() => copied(pg, statement), failed)))

/** Bytes of a piece: the memory that a received file takes, and the size of one COPY when the file is decoded. */
const pieceBytes = 512 * 1024

/** Joins small chunks and splits large ones; all pieces except the last have an equal length. */
export const inPieces = <E, R>(chunks: Stream.Stream<Uint8Array, E, R>) =>
  Stream.suspend(() => {
    let held = new Uint8Array(pieceBytes)
    let filled = 0
    const cut = (chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
      const pieces: Array<Uint8Array> = []
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + pieceBytes - filled)
        held.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < pieceBytes) continue
        pieces.push(held)
        held = new Uint8Array(pieceBytes)
        filled = 0
      }
      return pieces
    }
    const rest = Stream.suspend(() => (filled === 0 ? Stream.empty : Stream.make(held.subarray(0, filled))))
    return chunks.pipe(Stream.mapConcat(cut), Stream.concat(rest))
  })

/** Reads the pieces of a file by their numbers, up to the first missing number. */
export const numbered = <E, R>(read: (number: number) => Effect.Effect<Option.Option<Uint8Array>, E, R>) =>
  Stream.unfoldEffect(0, (number) =>
    Effect.map(
      read(number),
      Option.map((bytes) => [bytes, number + 1] as const)
    )
  )
