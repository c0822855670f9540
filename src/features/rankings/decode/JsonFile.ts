import * as Either from "effect/Either"
import * as Text from "../../../foundation/text/Decoding.ts"
import type { Batch } from "../RawRow.ts"
import { failing, type Reader } from "./Decoder.ts"
import type * as JsonObjects from "./JsonObjects.ts"

/** Decodes a file of JSON through an object reader; `take` gives the rows that its objects became. */
export const reader = (file: string, objects: JsonObjects.ObjectReader, take: () => Batch): Reader => {
  const text = Text.reader()
  const read = (bytes: Uint8Array, last: boolean) => {
    const decoded = text(bytes, last)
    if (Either.isLeft(decoded)) return failing(file, objects.line(), decoded.left)
    const problem = objects.push(decoded.right, last)
    return problem === undefined ? Either.right(take()) : failing(file, problem.line, problem.reason)
  }
  return { push: (bytes) => read(bytes, false), end: () => read(new Uint8Array(0), true) }
}

/** Parses text that should be one JSON value. */
export const parse = (json: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => JSON.parse(json), catch: () => `not JSON: ${json.slice(0, 60)}` })

/** Whether a value is an object with members to read. */
export const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
