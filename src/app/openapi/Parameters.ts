import * as Record from "effect/Record"
import type { Facts } from "./Facts.ts"
import { isJson, type Json } from "./Schemas.ts"

/** The contract declares ids in paths as any text, since a malformed one is not found; the document shows their form. */
const pathIds: Readonly<Record<string, Json>> = {
  day: { format: "date", type: "string" },
  delivery_id: { pattern: "^dlv_", type: "string" },
  event_id: { pattern: "^evt_", type: "string" },
  keyword_id: { pattern: "^kw_", type: "string" },
  webhook_id: { pattern: "^wh_", type: "string" }
}
const uuid = { format: "uuid", type: "string" }

/** Header names in title case. */
const titled = (name: string) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

/** A plain `id` belongs to the thing of its group: `growth-projects.get` takes a `growth_project_id`. */
const idName = (operation: unknown) =>
  `${String(operation)
    .replace(/s?\..*$/, "")
    .replaceAll("-", "_")}_id`

/** A parameter of an operation as the document shows it: header names in title case, the form of ids, one text. */
export const parameter =
  (operation: unknown, texts: Facts["parameters"]) =>
  (value: unknown): unknown => {
    if (!isJson(value) || typeof value.name !== "string") return value
    const { schema, ...rest } = value
    const description = texts[value.name] ?? value.description
    // The text stands beside the schema, once.
    const known = { ...rest, description, schema: isJson(schema) ? Record.remove(schema, "description") : schema }
    if (value.in === "header") return { ...known, name: titled(value.name) }
    if (value.in !== "path") return known
    const name = value.name === "id" ? idName(operation) : value.name
    const subject = name.replace(/_id$/, "").replaceAll("_", " ")
    return { ...known, description: description ?? `Id of the ${subject}`, schema: pathIds[name] ?? uuid }
  }
