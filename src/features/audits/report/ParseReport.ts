import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type ReportUnreadable, unreadable } from "./ReportUnreadable.ts"

/** Largest report that is read, in bytes; the biggest public samples have 2 MB. */
export const maxReportBytes = 32 * 1024 * 1024

const encodingOf = (bytes: Uint8Array) => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le" as const
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be" as const
  return "utf-8" as const
}

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

/**
 * Bytes of a report to a JSON value: UTF-8, or UTF-16 with a byte order mark (what PowerShell's `>` writes). `parse` reads the JSON; by default the texts in
 * it stay as they are.
 */
export const parseReport = (
  bytes: Uint8Array,
  source: string,
  parse: (json: string) => Option.Option<unknown> = parseJson
): Either.Either<unknown, ReportUnreadable> => {
  if (bytes.length === 0) return Either.left(unreadable(source, [], "the file is empty"))
  if (bytes.length > maxReportBytes)
    return Either.left(unreadable(source, [], `larger than ${maxReportBytes / 1024 / 1024} MiB`))
  const json = new TextDecoder(encodingOf(bytes)).decode(bytes)
  return Either.fromOption(parse(json), () => unreadable(source, [], "not valid JSON"))
}
