import * as Either from "effect/Either"
import * as BigQueryRow from "./BigQueryRow.ts"
import * as CsvTable from "./CsvTable.ts"
import type { Decoder } from "./Decoder.ts"
import type { Options } from "./Options.ts"

/** Reads the bulk export's url table as CSV. */
export const decoder = (file: string, options: Options): Decoder =>
  CsvTable.decoder(file, (cells) => {
    const header = cells.map((cell) => cell.trim())
    const reason = BigQueryRow.refusalOf(header)
    return reason === undefined ? Either.right(tableOf(header, options)) : Either.left(reason)
  })

const tableOf = (header: ReadonlyArray<string>, options: Options): CsvTable.Table => {
  const collector = BigQueryRow.collectorOf(header, options)
  const others = BigQueryRow.apart(header)
  const places = new Map(header.map((name, index) => [name, index]))
  let current: ReadonlyArray<string> = []
  const field = (name: string) => {
    const place = places.get(name)
    const cell = place === undefined ? undefined : current[place]
    return cell === "" ? undefined : cell
  }
  return {
    collector,
    onRecord: (record) => {
      if (record.length !== header.length) return `${record.length} cells where the header has ${header.length}`
      current = record
      return BigQueryRow.read(collector, field, others)
    }
  }
}
