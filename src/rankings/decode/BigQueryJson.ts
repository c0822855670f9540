import * as Either from "effect/Either"
import * as BigQueryRow from "./BigQueryRow.ts"
import { type Collector, collector } from "./Collector.ts"
import type { Decoder } from "./Decoder.ts"
import * as JsonFile from "./JsonFile.ts"
import * as JsonObjects from "./JsonObjects.ts"
import type { Options } from "./Options.ts"

/** Reads the bulk export's url table as JSON: one object a line, or an array of objects. Fields that are null may be absent. */
export const decoder = (file: string, options: Options): Decoder => {
  const none = collector(options, "bulk", true)
  const layoutOf = layouts()
  let rows: Collector | undefined
  const onObject: JsonObjects.OnObject = (json) => {
    const parsed = JsonFile.parse(json)
    if (Either.isLeft(parsed)) return parsed.left
    const row = parsed.right
    if (!JsonFile.isRecord(row)) return "not an object"
    const fields = Object.keys(row)
    const { apart, reason } = layoutOf(fields)
    if (reason !== undefined) return reason
    rows ??= BigQueryRow.collectorOf(fields, options)
    return BigQueryRow.read(rows, (name) => row[name], apart)
  }
  const objects = JsonObjects.reader(isRow, onObject, onDocument)
  return JsonFile.decoder(file, objects, () => rows ?? none)
}

/** Judges the fields of a row once for all rows in sequence that have the same ones. */
const layouts = () => {
  let known: ReadonlyArray<string> = []
  let layout: { readonly apart: ReadonlyArray<string>; readonly reason: string | undefined } = {
    apart: [],
    reason: "no fields"
  }
  return (fields: ReadonlyArray<string>) => {
    if (fields.length === known.length && fields.every((field, index) => field === known[index])) return layout
    known = fields
    layout = {
      apart: BigQueryRow.apart(fields),
      reason: BigQueryRow.refusalOf(fields.includes("query") ? fields : [...fields, "query"])
    }
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
