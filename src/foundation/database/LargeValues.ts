/** Platform adapter: sends large values of a statement in pieces. node-postgres copies a whole value several times in one turn of the thread, 93 ms for 4 MB. */
import { type Connection, Query } from "pg"

/** Bytes, or characters of a text, from which a value is large. */
const large = 256 * 1024

/** Bytes that are written in one turn: what fits a socket's buffer. */
const piece = 64 * 1024

/** Values whose form on the wire is plain: as text, or, of bytes, as they are. */
type Plain = string | number | bigint | boolean | null | Uint8Array

const isPlain = (value: unknown): value is Plain =>
  value === null || value instanceof Uint8Array || ["string", "number", "bigint", "boolean"].includes(typeof value)

const isLarge = (value: unknown) => (typeof value === "string" || value instanceof Uint8Array) && value.length > large

/** The values of a statement of which one is large; undefined where there is none, or one that only the driver knows how to send. */
export const among = (values: ReadonlyArray<unknown>): ReadonlyArray<Plain> | undefined =>
  values.some(isLarge) && values.every(isPlain) ? values : undefined

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const int16s = (...values: ReadonlyArray<number>) => {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [at, value] of values.entries()) bytes.writeInt16BE(value, 2 * at)
  return bytes
}

const bytesOf = (value: Exclude<Plain, null>) => (value instanceof Uint8Array ? value : Buffer.from(String(value)))

/** The message `Bind` of the unnamed statement to the unnamed portal, with results as text (PostgreSQL: Message Formats), in parts. */
const bind = (values: ReadonlyArray<Plain>): ReadonlyArray<Uint8Array> => {
  const formats = values.map((value) => (value instanceof Uint8Array ? 1 : 0))
  const body = [
    Buffer.from("\0\0"),
    int16s(values.length, ...formats, values.length),
    ...values.flatMap((value) => {
      if (value === null) return [int32(-1)]
      const bytes = bytesOf(value)
      return [int32(bytes.length), bytes]
    }),
    int16s(1, 0)
  ]
  const length = body.reduce((sum, { length }) => sum + length, 4)
  return [Buffer.from("B"), int32(length), ...body]
}

function* pieces(parts: ReadonlyArray<Uint8Array>) {
  for (const part of parts)
    for (let at = 0; at < part.length; at += piece) yield part.subarray(at, Math.min(part.length, at + piece))
}

/**
 * A statement whose values are written one piece a turn, as the server takes them. What it ends with comes after its last message, also when it fails
 * before its values were written: until then the server discards them, and the driver submits no other statement.
 */
export const statement = (
  text: string,
  values: ReadonlyArray<Plain>,
  done: (error: unknown, result?: unknown) => void
) => {
  const query = new Query({ text }, done)
  query.submit = (wire: Connection) => {
    const rest = pieces(bind(values))
    const next = () => {
      const { done, value } = rest.next()
      // A write that fails ends the connection, and with it the statement.
      if (!done) return void wire.stream.write(value, (error) => error ?? setImmediate(next))
      wire.describe({ name: "", type: "P" }, true)
      wire.execute({}, true)
      wire.sync()
    }
    wire.parse({ name: "", text, types: [] }, true)
    next()
  }
  return query
}
