/** An object of JSON-LD as written. */
export type JsonObject = Readonly<Record<string, unknown>>

/** An object with a type, and the property that holds it; null for a top-level object. */
export interface TypedNode {
  readonly object: JsonObject
  readonly types: ReadonlyArray<string>
  readonly holder: string | null
}

/** Maximum typed nodes to check per page. */
const maxNodes = 2000
/** Maximum values of one property, and maximum objects of one node. */
const maxValues = 100
const maxObjects = 20

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const asList = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value.flat() : [value])

/** The types without the name of their vocabulary. */
const typesOf = (object: JsonObject): ReadonlyArray<string> =>
  asList(object["@type"]).flatMap((type) =>
    typeof type === "string" ? [type.replace(/^(?:https?:\/\/schema\.org\/|schema:)/, "")] : []
  )

/** Whether the object only refers to a node. */
const isReference = (object: JsonObject): boolean =>
  "@id" in object && Object.keys(object).every((key) => key === "@id" || key === "@type" || key === "@context")

/** Whether there is a value: neither null nor blank nor empty. */
const isThere = (value: unknown): boolean => {
  if (typeof value === "string") return value.trim() !== ""
  if (isObject(value)) return Object.keys(value).length > 0
  return value !== null && value !== undefined
}

/** The JSON-LD of a page as one graph: nodes with one `@id` are one node, in any block (JSON-LD 1.1 §3.3). */
export class JsonLdNodes {
  readonly typed: Array<TypedNode> = []
  private readonly byId = new Map<string, Array<JsonObject>>()
  /** Values looked up so far. */
  looked = 0

  private take(object: JsonObject, holder: string | null): void {
    if (holder !== null && isReference(object)) return
    const id = object["@id"]
    if (typeof id === "string") this.byId.set(id, [...(this.byId.get(id) ?? []), object].slice(0, maxObjects))
    const types = typesOf(object)
    if (types.length > 0 && this.typed.length < maxNodes) this.typed.push({ object, types, holder })
  }

  /** Adds a block; values wait on a list, because they may be nested without end. */
  add(document: unknown): void {
    const waiting: Array<{ readonly value: unknown; readonly holder: string | null }> = [
      { value: document, holder: null }
    ]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { holder, value } = next
      if (Array.isArray(value)) for (const item of value.toReversed()) waiting.push({ value: item, holder })
      if (!isObject(value)) continue
      this.take(value, holder)
      for (const [key, member] of Object.entries(value).toReversed())
        if (typeof member === "object") waiting.push({ value: member, holder: key === "@graph" ? null : key })
    }
  }

  /** Values of a property in all objects of a node. */
  values(object: JsonObject, property: string): ReadonlyArray<unknown> {
    const id = object["@id"]
    const same = typeof id === "string" ? (this.byId.get(id) ?? []) : []
    const found = [...new Set([object, ...same])]
      .flatMap((each) => asList(each[property] ?? each[`schema:${property}`]).slice(0, maxValues))
      .filter(isThere)
    this.looked += 1 + same.length + found.length
    return found
  }

  /** The nodes in a property, with references resolved; references off the page are left out. */
  held(object: JsonObject, property: string, type?: string): ReadonlyArray<JsonObject> {
    const nodes = this.values(object, property).flatMap((value) => {
      if (!isObject(value)) return []
      const id = value["@id"]
      return isReference(value) ? (typeof id === "string" ? (this.byId.get(id) ?? []) : []) : [value]
    })
    return type === undefined ? nodes : nodes.filter((node) => typesOf(node).includes(type))
  }
}

/** The 0-based offset where a text stops being JSON, and the expected token there. */
interface JsonError {
  readonly offset: number
  readonly expected: string
}

const blank = /[\t\n\r ]*/y
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?![\w.+-])/y

/** The end of the token at `at`, or -1 without one there. */
const end = (token: RegExp, text: string, at: number): number => {
  token.lastIndex = at
  return token.test(text) ? token.lastIndex : -1
}

const escape = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y

/** The end of the quoted string at `at`, or -1; a loop, because a pattern may overflow on long strings. */
const endOfString = (text: string, from: number): number => {
  if (text[from] !== '"') return -1
  for (let at = from + 1; at < text.length; ) {
    const char = text.charCodeAt(at)
    if (char === 0x22) return at + 1
    if (char < 0x20) return -1
    at = char === 0x5c ? end(escape, text, at) : at + 1
    if (at === -1) return -1
  }
  return -1
}

/** Finds the first violation of the JSON grammar (RFC 8259), without recursion; null when there is none. */
export const jsonError = (text: string): JsonError | null => {
  const open: Array<"{" | "["> = []
  let at = end(blank, text, 0)
  let wanted: "value" | "value or ]" | "key" | "key or }" | "comma" = "value"
  const skip = (to: number) => {
    at = end(blank, text, to)
  }
  for (;;) {
    const char = text[at]
    if (wanted === "comma") {
      const inside = open.at(-1)
      if (inside === undefined) return at === text.length ? null : { offset: at, expected: "the end" }
      if (char === (inside === "{" ? "}" : "]")) open.pop()
      else if (char === ",") wanted = inside === "{" ? "key" : "value"
      else return { offset: at, expected: inside === "{" ? "a comma or }" : "a comma or ]" }
      skip(at + 1)
    } else if (wanted === "key" || wanted === "key or }") {
      if (wanted === "key or }" && char === "}") {
        open.pop()
        wanted = "comma"
        skip(at + 1)
        continue
      }
      const after = endOfString(text, at)
      if (after === -1) return { offset: at, expected: "a quoted key" }
      skip(after)
      if (text[at] !== ":") return { offset: at, expected: "a colon" }
      wanted = "value"
      skip(at + 1)
    } else if (char === "{" || char === "[") {
      open.push(char)
      wanted = char === "{" ? "key or }" : "value or ]"
      skip(at + 1)
    } else if (wanted === "value or ]" && char === "]") {
      open.pop()
      wanted = "comma"
      skip(at + 1)
    } else {
      const after = char === '"' ? endOfString(text, at) : end(scalar, text, at)
      if (after === -1) return { offset: at, expected: "a value" }
      wanted = "comma"
      skip(after)
    }
  }
}
