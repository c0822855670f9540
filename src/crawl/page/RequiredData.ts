import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { isObject, type JsonLdNodes, type JsonObject, type TypedNode } from "./JsonLdNodes.ts"
import { judgedAs, requirements } from "./RequiredProperties.ts"
import { keep } from "./Strings.ts"

/** What the structured data of a page lack. */
export interface DataFault {
  readonly detail: string
  /** The address at fault as written; null when something is missing. */
  readonly value: string | null
}

/** Faults that are kept of one page. */
const maxFaults = 10
const worthOfNode = 64
/** Work on one page, in characters: some hundred times what the largest product pages take. */
const maxWork = 2_000_000

/** Properties that hold what the page is about or shows: a thing mentioned elsewhere, such as the maker of a product, need not be whole. */
const ownParts = new Set(["mainEntity", "breadcrumb", "video", "review", "reviews", "event", "hasPart", "item"])

const tableName = (type: string): string => judgedAs.get(type) ?? type

/** Whether a need does not apply to this node. */
const isExempt = ({ holder, object }: TypedNode, type: string, need: string): boolean => {
  if (type !== "Review") return false
  if (need.startsWith("itemReviewed")) return holder !== null
  return need.startsWith("reviewRating") && ("positiveNotes" in object || "negativeNotes" in object)
}

/** A path of properties leads to a value, or to a node off the page, of which nothing is known. */
const leadsToValue = (nodes: JsonLdNodes, object: JsonObject, path: ReadonlyArray<string>): boolean => {
  const [property = "", ...rest] = path
  const values = nodes.values(object, property)
  if (rest.length === 0) return values.length > 0
  const held = nodes.held(object, property)
  return held.length === 0 ? values.some(isObject) : held.some((inner) => leadsToValue(nodes, inner, rest))
}

/** The nodes in which a need is looked for. */
const placesOf = (nodes: JsonLdNodes, object: JsonObject, hops: ReadonlyArray<string>): ReadonlyArray<JsonObject> =>
  hops.reduce<ReadonlyArray<JsonObject>>(
    (found, hop) => {
      const [property = "", type] = hop.split(":")
      return found.flatMap((one) => nodes.held(one, property, type))
    },
    [object]
  )

/** The need as people read it when it is not met; null when it is. */
const unmet = (nodes: JsonLdNodes, { object }: TypedNode, need: string): string | null => {
  const hops = need.split(".")
  const choices = hops.pop()?.split("|") ?? []
  const places = placesOf(nodes, object, hops)
  const lacking = places.filter((place) => !choices.some((choice) => leadsToValue(nodes, place, choice.split("/"))))
  // The page itself is the last entry of its trail.
  const allowed = need === "itemListElement.item" && lacking.length === 1 && lacking[0] === places.at(-1) ? 1 : 0
  if (lacking.length <= allowed) return null
  const where = hops.map((hop) => hop.split(":", 1)[0]).join(".")
  const names = choices.map((choice) => [where, choice.replace("/", ".")].filter((part) => part !== "").join("."))
  return names.join(" or ")
}

const isRelative = (value: string): boolean => value.trim() !== "" && !URL.canParse(value.trim())
/** `#name` means a node of this very document, and `_:name` one without an address. */
const isLocal = (id: string): boolean => id.startsWith("#") || id.startsWith("_:")

/** Addresses of a node that are not absolute. */
const relativeIn = (
  nodes: JsonLdNodes,
  { object }: TypedNode,
  type: string
): ReadonlyArray<readonly [string, string]> => {
  const texts = (from: JsonObject, property: string) =>
    nodes.values(from, property).flatMap((value) => (typeof value === "string" ? [[property, value] as const] : []))
  const idOf = (from: JsonObject) => texts(from, "@id").filter(([, id]) => !isLocal(id))
  const entries = type === "BreadcrumbList" ? nodes.held(object, "itemListElement") : []
  const items = entries.flatMap((entry) => [...texts(entry, "item"), ...nodes.held(entry, "item").flatMap(idOf)])
  return [...idOf(object), ...texts(object, "url"), ...items].filter(([, value]) => isRelative(value))
}

const faultsOf = (nodes: JsonLdNodes, node: TypedNode, written: string): ReadonlyArray<DataFault> => {
  const type = tableName(written)
  const known = requirements.get(type)
  if (known === undefined) return []
  const isOwn = node.holder === null || ownParts.has(node.holder)
  const missing = (isOwn ? known.needs : [])
    .filter((need) => !isExempt(node, type, need))
    .flatMap((need) => unmet(nodes, node, need) ?? [])
  return [
    ...(missing.length === 0 ? [] : [{ detail: keep(`${written} without ${missing.join(", ")}`, 300), value: null }]),
    ...relativeIn(nodes, node, type).map(([property, value]) => ({
      detail: `${written} with a relative ${property}: "${keep(value, 200)}"`,
      value: keep(value, 300)
    }))
  ]
}

/** What the nodes of a page lack of what search engines require, and their addresses that are not absolute; each once. */
export function* dataFaults(nodes: JsonLdNodes): Steps<ReadonlyArray<DataFault>> {
  const found = new Map<string, DataFault>()
  yield* each(nodes.typed, (node) => {
    const before = nodes.spent
    if (found.size < maxFaults && before < maxWork)
      for (const fault of node.types.flatMap((type) => faultsOf(nodes, node, type))) found.set(fault.detail, fault)
    return worthOfNode + nodes.spent - before
  })
  return [...found.values()].slice(0, maxFaults)
}
