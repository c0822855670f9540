import * as Either from "effect/Either"
import type * as Csv from "../../../foundation/text/Csv.ts"
import * as CsvFile from "../../../foundation/text/CsvFile.ts"
import { emptyBatch } from "../RawRow.ts"
import type { Collector } from "./Collector.ts"
import { failing, type Reader } from "./Decoder.ts"

/** A table whose header was understood: where rows go, and how a record becomes one. */
export interface Table {
  readonly collector: Collector
  readonly onRecord: Csv.OnRecord
}

/** Decides by its header whether a table can be imported; the left side is the reason when it cannot. */
type OnHeader = (header: ReadonlyArray<string>) => Either.Either<Table, string>

/** Reads a delimited file: the first line decides the delimiter and the table, the rest are records. */
export const reader = (file: string, onHeader: OnHeader): Reader => {
  const csv = CsvFile.reader()
  let table: Table | undefined

  const onRecord: Csv.OnRecord = (cells, line) => {
    if (table !== undefined) return table.onRecord(cells, line)
    const made = onHeader(cells)
    if (Either.isLeft(made)) return made.left
    table = made.right
    return undefined
  }

  const read = (bytes: Uint8Array, last: boolean) => {
    const problem = csv.push(bytes, last, onRecord)
    if (problem !== undefined) return failing(file, problem.line, problem.reason)
    if (table === undefined)
      return last ? failing(file, 0, "the file is empty: it has no header line") : Either.right(emptyBatch)
    return Either.right(table.collector.take())
  }

  return { push: (bytes) => read(bytes, false), end: () => read(new Uint8Array(0), true) }
}
