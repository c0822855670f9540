import * as Either from "effect/Either"
import * as BigQueryRow from "./BigQueryRow.ts"
import * as CsvTable from "./CsvTable.ts"
import type { Reader } from "./Decoder.ts"
import type { Options } from "./Options.ts"

/** Reads a table of the bulk export as CSV. */
export const reader = (file: string, options: Options): Reader =>
  CsvTable.reader(file, (cells) => {
    const header = cells.map((cell) => cell.trim())
    const layout = BigQueryRow.layoutOf(header)
    return typeof layout === "string" ? Either.left(layout) : Either.right(tableOf(file, header, layout, options))
  })

const tableOf = (
  file: string,
  header: ReadonlyArray<string>,
  layout: BigQueryRow.Layout,
  options: Options
): CsvTable.Table => {
  const collector = BigQueryRow.collectorOf(file, layout, options)
  const places = new Map(header.map((name, index) => [name, index]))
  let current: ReadonlyArray<string> = []
  const field = (name: string) => {
    const place = places.get(name)
    const cell = place === undefined ? undefined : current[place]
    return cell === "" ? undefined : cell
  }
  return {
    collector,
    onRecord: (record, line) => {
      if (record.length !== header.length) return `${record.length} cells where the header has ${header.length}`
      current = record
      return BigQueryRow.read(collector, field, layout, line)
    }
  }
}
