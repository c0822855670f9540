import * as OpenApi from "@effect/platform/OpenApi"
import { Api } from "../../../src/Api.ts"
import { operationsOf } from "./operations.ts"
import { comment, declaration, entries, isJson, quoted } from "./schemas.ts"

const uncommented = (text: string) => text.replace(/\/\*\*.*?\*\//g, "").replace(/"[^"\n]*"/g, "")

/** The declarations that some text refers to; error bodies are left out, because they become `ApiError`. */
const reached = (text: string, declarations: ReadonlyMap<string, string>, seen = new Set<string>()) => {
  for (const [name] of text.matchAll(/\b[A-Z]\w+\b/g)) {
    const found = declarations.get(name)
    if (found === undefined || seen.has(name)) continue
    seen.add(name)
    reached(found, declarations, seen)
  }
  return seen
}

/** The contract as sources of the package: types of all data in transit, and the routes of its operations. */
export const contract = () => {
  // Bodies are typed as callers write them, and responses may gain fields.
  const document: unknown = OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" })
  if (!isJson(document) || !isJson(document.components)) throw new Error("The contract has no document")
  const operations = Map.groupBy(operationsOf(document), ({ group }) => group)
  const described = new Map(
    Array.isArray(document.tags) ? document.tags.filter(isJson).map((tag) => [tag.name, tag.description]) : []
  )
  const events = entries(document.webhooks).flatMap(([, item]) => {
    const [, schema = ""] = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(item)) ?? []
    return schema
  })
  const groups = Array.from(operations, ([group, all]) => {
    const tag = group.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return `${comment(described.get(tag), "  ")}  readonly ${quoted(group)}: {\n${all.map(({ text }) => text).join("")}  }\n`
  })
  const payload = `/** The body of any delivery, by its \`type\`. */\nexport type WebhookEvent = ${events.join(" | ")}\n`
  const client = `/** Every operation of the contract that needs a key, by group and name. */\nexport interface Client {\n${groups.join("")}}\n`
  const schemas = new Map(entries(document.components.schemas).map((entry) => [entry[0], declaration(entry)]))
  const used = reached(
    uncommented(payload + client),
    new Map(Array.from(schemas, ([name, text]) => [name, uncommented(text)]))
  )
  return {
    declarations: [
      'import type { Metadata, Operation } from "./Client.js"\n',
      ...Array.from(schemas).flatMap(([name, text]) => (used.has(name) ? [text] : [])),
      payload,
      client
    ].join("\n"),
    routes: Object.fromEntries(
      Array.from(operations, ([group, all]) => [group, Object.fromEntries(all.map(({ name, route }) => [name, route]))])
    )
  }
}
