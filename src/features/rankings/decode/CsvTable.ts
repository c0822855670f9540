import * as Either from "effect/Either"
import * as Csv from "../../../foundation/text/Csv.ts"
import { emptyBatch } from "../RawRow.ts"
import type { Collector } from "./Collector.ts"
import { failing, type Reader } from "./Decoder.ts"
import * as Text from "./Text.ts"

/** A table whose header was understood: where rows go, and how a record becomes one. */
export interface Table {
  readonly collector: Collector
  readonly onRecord: Csv.OnRecord
}

/** Decides by its header whether a table can be imported; the left side is the reason when it cannot. */
type OnHeader = (header: ReadonlyArray<string>) => Either.Either<Table, string>

/** A header is one line; this is more than any has. */
const longestHeader = 65536

/** Reads a delimited file: the first line decides the delimiter and the table, the rest are records. */
export const reader = (file: string, onHeader: OnHeader): Reader => {
  const text = Text.reader()
  let csv: Csv.CsvReader | undefined
  let table: Table | undefined
  let head = ""

  const onRecord: Csv.OnRecord = (cells, line) => {
    if (table !== undefined) return table.onRecord(cells, line)
    const made = onHeader(cells)
    if (Either.isLeft(made)) return made.left
    table = made.right
    return undefined
  }

  const read = (bytes: Uint8Array, last: boolean) => {
    const decoded = text(bytes, last)
    if (Either.isLeft(decoded)) return failing(file, csv?.line() ?? 1, decoded.left)
    let input = decoded.right
    if (csv === undefined) {
      head += input
      const newline = head.indexOf("\n")
      if (newline === -1 && !last && head.length < longestHeader) return Either.right(emptyBatch)
      const preamble = /^sep=(.)\r?\n/i.exec(head)
      csv = Csv.reader(preamble?.[1] ?? delimiterOf(newline === -1 ? head : head.slice(0, newline)))
      if (preamble !== null) csv.push(preamble[0], false, () => undefined)
      input = preamble === null ? head : head.slice(preamble[0].length)
      head = ""
    }
    const problem = csv.push(input, last, onRecord)
    if (problem !== undefined) {
      return failing(file, problem.line, problem.reason)
    }
    if (table === undefined)
      return last ? failing(file, 0, "the file is empty: it has no header line") : Either.right(emptyBatch)
    return Either.right(table.collector.take())
  }

  return { push: (bytes) => read(bytes, false), end: () => read(new Uint8Array(0), true) }
}

/** The candidate that splits the header into most cells, quoted parts aside; a comma when none does. */
const delimiterOf = (header: string) => {
  const bare = header.replace(/"[^"]*"/g, "")
  const [best] = [",", ";", "\t"]
    .map((delimiter) => ({ delimiter, cells: bare.split(delimiter).length }))
    .sort((a, b) => b.cells - a.cells)
  return best?.delimiter ?? ","
}
