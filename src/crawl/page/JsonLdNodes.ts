import type { Steps } from "../../foundation/schema/Steps.ts"

/** An object of JSON-LD as written. */
export type JsonObject = Readonly<Record<string, unknown>>

/** An object that has a type, and the property that holds it; null for one that stands by itself. */
export interface TypedNode {
  readonly object: JsonObject
  readonly types: ReadonlyArray<string>
  readonly holder: string | null
}

/** What a value to look into is worth, in characters. */
const worthOfValue = 16
/** Typed nodes of one page that are looked at. */
const maxNodes = 2000
/** Values of one property, and objects of one node. */
const maxValues = 100
const maxObjects = 20

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const asList = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value.flat() : [value])

/** A type without the name of its vocabulary. */
const typesOf = (object: JsonObject): ReadonlyArray<string> =>
  asList(object["@type"]).flatMap((type) =>
    typeof type === "string" ? [type.replace(/^(?:https?:\/\/schema\.org\/|schema:)/, "")] : []
  )

/** It says no more than which node is meant. */
const isReference = (object: JsonObject): boolean =>
  "@id" in object && Object.keys(object).every((key) => key === "@id" || key === "@type" || key === "@context")

/** Whether there is a value: neither null nor blank nor empty. */
const isThere = (value: unknown): boolean => {
  if (typeof value === "string") return value.trim() !== ""
  if (isObject(value)) return Object.keys(value).length > 0
  return value !== null && value !== undefined
}

/** The JSON-LD of a page as one graph: nodes with one `@id` are one node, in whichever block they stand (JSON-LD 1.1 §3.3). */
export class JsonLdNodes {
  readonly typed: Array<TypedNode> = []
  private readonly byId = new Map<string, Array<JsonObject>>()
  /** What looking values up was worth so far, in characters. */
  spent = 0

  private take(object: JsonObject, holder: string | null): void {
    if (holder !== null && isReference(object)) return
    const id = object["@id"]
    if (typeof id === "string") this.byId.set(id, [...(this.byId.get(id) ?? []), object].slice(0, maxObjects))
    const types = typesOf(object)
    if (types.length > 0 && this.typed.length < maxNodes) this.typed.push({ object, types, holder })
  }

  /** Takes in a block; the values wait on a list, since they may be nested without end. */
  *add(document: unknown): Steps<void> {
    const waiting: Array<{ readonly value: unknown; readonly holder: string | null }> = [
      { value: document, holder: null }
    ]
    let looked = 0
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (++looked % 1024 === 0) yield 1024 * worthOfValue
      const { holder, value } = next
      if (Array.isArray(value)) for (const item of value.toReversed()) waiting.push({ value: item, holder })
      if (!isObject(value)) continue
      this.take(value, holder)
      for (const [key, member] of Object.entries(value).toReversed())
        if (typeof member === "object") waiting.push({ value: member, holder: key === "@graph" ? null : key })
    }
    yield (looked % 1024) * worthOfValue
  }

  /** What all objects of the same node say of a property. */
  values(object: JsonObject, property: string): ReadonlyArray<unknown> {
    const id = object["@id"]
    const same = typeof id === "string" ? (this.byId.get(id) ?? []) : []
    const found = [...new Set([object, ...same])]
      .flatMap((each) => asList(each[property] ?? each[`schema:${property}`]).slice(0, maxValues))
      .filter(isThere)
    this.spent += (1 + same.length + found.length) * worthOfValue
    return found
  }

  /** The nodes that a property holds, references followed; one that leads off the page is unknown and left out. */
  held(object: JsonObject, property: string, type?: string): ReadonlyArray<JsonObject> {
    const nodes = this.values(object, property).flatMap((value) => {
      if (!isObject(value)) return []
      const id = value["@id"]
      return isReference(value) ? (typeof id === "string" ? (this.byId.get(id) ?? []) : []) : [value]
    })
    return type === undefined ? nodes : nodes.filter((node) => typesOf(node).includes(type))
  }
}
