import * as Either from "effect/Either"
import { emptyBatch } from "../RawRow.ts"
import * as BigQueryRow from "./BigQueryRow.ts"
import type { Collector } from "./Collector.ts"
import type { Reader } from "./Decoder.ts"
import * as JsonFile from "./JsonFile.ts"
import * as JsonObjects from "./JsonObjects.ts"
import type { Options } from "./Options.ts"

/** Reads a table of the bulk export as JSON: one object a line, or an array of objects. Fields that are null may be absent. */
export const reader = (file: string, options: Options): Reader => {
  const layoutOf = layouts()
  let level: BigQueryRow.Layout["level"] | undefined
  let rows: Collector | undefined
  const onObject: JsonObjects.OnObject = (json, line) => {
    const parsed = JsonFile.parse(json)
    if (Either.isLeft(parsed)) return parsed.left
    const row = parsed.right
    if (!JsonFile.isRecord(row)) return "not an object"
    const layout = layoutOf(Object.keys(row))
    if (typeof layout === "string") return layout
    if (level !== undefined && level !== layout.level) return "the file contains rows of both tables of the bulk export"
    level = layout.level
    rows ??= BigQueryRow.collectorOf(file, layout, options)
    return BigQueryRow.read(rows, (name) => row[name], layout, line)
  }
  const objects = JsonObjects.reader(isRow, onObject, onDocument)
  return JsonFile.reader(file, objects, () => rows?.take() ?? emptyBatch)
}

/** Judges the fields of a row once for all rows in sequence that have the same ones. */
const layouts = () => {
  let known: ReadonlyArray<string> = []
  let layout: BigQueryRow.Layout | string = "no fields"
  return (fields: ReadonlyArray<string>) => {
    if (fields.length === known.length && fields.every((field, index) => field === known[index])) return layout
    known = fields
    layout = BigQueryRow.layoutOf(fields.includes("query") ? fields : [...fields, "query"])
    return layout
  }
}

const isRow: JsonObjects.Selects = (open) => open.length === 0 || (open.length === 1 && open[0]?.kind === "[")

const onDocument: JsonObjects.OnDocument = (json) => {
  if (json === "0") return undefined
  const rest = JsonFile.parse(json)
  if (Either.isLeft(rest)) return rest.left
  return Array.isArray(rest.right) && rest.right.every((value) => value === 0) ? undefined : "not rows of a bulk export"
}
