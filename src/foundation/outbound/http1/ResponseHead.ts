import * as Either from "effect/Either"

/** Name and value of a field; the name in lower case. */
type Field = readonly [name: string, value: string]

/** A status line and the fields under it, in their order, repeated ones kept. */
export interface Head {
  readonly status: number
  /** HTTP/1.1; an HTTP/1.0 server closes the connection after its answer. */
  readonly persistent: boolean
  readonly fields: ReadonlyArray<Field>
}

const newline = 0x0a
const carriageReturn = 0x0d

/** The end of the head at the start of the bytes, −1 while it is incomplete. Lines may end in a bare line feed (RFC 9112 §2.2). */
export const endOf = (bytes: Uint8Array): number => {
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
    const next = bytes[at + 1] === carriageReturn ? at + 2 : at + 1
    if (bytes[next] === newline) return next + 1
  }
  return -1
}

const piece = 8192

/** Bytes as ISO 8859-1, which is lossless. */
const latin1 = (bytes: Uint8Array) => {
  let text = ""
  for (let at = 0; at < bytes.length; at += piece) text += String.fromCharCode(...bytes.subarray(at, at + piece))
  return text
}

const isStatusLine = /^HTTP\/1\.([01]) +([1-9]\d\d)(?: |$)/
const isToken = /^[\w!#$%&'*+.^`|~-]+$/

/** A line that begins with a blank continues the one before (RFC 9112 §5.2); a lone carriage return is a blank (§2.2). */
const unfold = (text: string) => text.replace(/\r?\n[\t ]+/g, " ").split(/\r?\n/)

const readField = (line: string): Either.Either<Field, string> => {
  const colon = line.indexOf(":")
  const name = line.slice(0, Math.max(colon, 0))
  if (!isToken.test(name) || line.includes("\0")) return Either.left("The response has a malformed field")
  const value = line.slice(colon + 1).replaceAll("\r", " ")
  return Either.right([name.toLowerCase(), value.replace(/^[\t ]+|[\t ]+$/g, "")])
}

/** Reads a whole head, its last empty line included. */
export const parse = (bytes: Uint8Array): Either.Either<Head, string> => {
  const [statusLine = "", ...lines] = unfold(latin1(bytes))
  const [, minor, status] = isStatusLine.exec(statusLine) ?? []
  if (status === undefined) return Either.left("The answer is not an HTTP/1.1 response")
  return Either.map(Either.all(lines.filter((line) => line !== "").map(readField)), (fields) => ({
    status: Number(status),
    persistent: minor === "1",
    fields
  }))
}

/** All members of a comma-separated field, over all its lines, without empty ones (RFC 9110 §5.6.1). */
export const members = (head: Head, name: string): ReadonlyArray<string> =>
  head.fields
    .filter((field) => field[0] === name)
    .flatMap((field) => field[1].split(","))
    .map((member) => member.trim())
    .filter((member) => member !== "")
