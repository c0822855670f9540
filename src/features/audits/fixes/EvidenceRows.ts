import { at, isJsonObject, members, text } from "../report/Json.ts"
import { evidenceText } from "./Prompt.ts"

const maxRows = 8
const maxFields = 8
const maxRow = 600
const maxDepth = 4

/** Positions and internal names: they do not help to find the source. */
const skipped = new Set([
  "type",
  "lhId",
  "path",
  "boundingRect",
  "nodeLabel",
  "debugData",
  "urlProvider",
  "granularity",
  "key"
])

/** axe lists problems as lines under a heading; evidence joins them into one line. */
const problemOf = (explanation: string | null): string | undefined =>
  explanation
    ?.slice(0, 4_000)
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^Fix (?:any|all) of the following:$/.test(line))
    .join(" / ")

const nodeFields = (node: unknown): ReadonlyArray<string> =>
  [
    ["selector", at(node, "selector"), 300],
    ["html", at(node, "snippet"), 300],
    ["problem", problemOf(text(at(node, "explanation"))), 160]
  ].flatMap(([label, value, max]) =>
    typeof value === "string" && value !== "" ? [`${label}: ${evidenceText(value, Number(max))}`] : []
  )

const location = (value: unknown): string => {
  const line = at(value, "line")
  const column = at(value, "column")
  const url = text(at(value, "url")) ?? ""
  return typeof line === "number" && typeof column === "number" ? `${url}:${line + 1}:${column + 1}` : url
}

const fieldsOf = (key: string, value: unknown): ReadonlyArray<string> => {
  if (typeof value === "number" && Number.isFinite(value)) return [`${key}: ${Math.round(value * 1000) / 1000}`]
  if (typeof value === "boolean") return [`${key}: ${value}`]
  if (typeof value === "string") return value === "" ? [] : [`${key}: ${evidenceText(value, 300)}`]
  if (!isJsonObject(value)) return []
  if (value.type === "node") return nodeFields(value)
  if (value.type === "source-location") return [`${key}: ${evidenceText(location(value), 300)}`]
  const inner = text(value.value) ?? text(value.text) ?? text(value.url)
  return inner === null || inner === "" ? [] : [`${key}: ${evidenceText(inner, 300)}`]
}

/** The first fields of an item, at most `most`. */
const firstFields = (item: unknown, most: number): ReadonlyArray<string> => {
  const own = at(item, "type") === "node" ? nodeFields(item) : []
  if (own.length > 0) return own.slice(0, most)
  const found: Array<string> = []
  for (const [key, value] of members(item).slice(0, 40)) {
    if (found.length >= most) break
    if (!skipped.has(key) && /^[A-Za-z]\w{0,39}$/.test(key)) found.push(...fieldsOf(key, value))
  }
  return found.slice(0, most)
}

/** A row; of one that is only counted, its first field stands for it. */
const rowOf = (item: unknown, isCounted: boolean): string => {
  const row = firstFields(item, isCounted ? 1 : maxFields).join("; ")
  return row.length > maxRow ? `${row.slice(0, maxRow - 1)}…` : row
}

const longestLink = (chains: unknown): unknown => {
  const links = members(chains)
  return (links.find(([, link]) => at(link, "isLongest") === true) ?? links[0])?.[1]
}

const chainRows = function* (chains: unknown): Generator<string> {
  let link = longestLink(chains)
  for (let place = 1; link !== undefined && place <= maxRows; place++) {
    const url = text(at(link, "url")) ?? text(at(link, "request", "url"))
    if (url !== null) yield `link ${place}: ${evidenceText(url, 300)}`
    link = longestLink(at(link, "children"))
  }
}

const checklistRows = function* (items: unknown): Generator<string> {
  for (const [, item] of members(items)) {
    const label = text(at(item, "label"))
    if (at(item, "value") === false && label !== null) yield `not met: ${evidenceText(label, 300)}`
  }
}

/** Depth first through tables, lists and their sections, in the order of the report; empty rows are left out. */
const rowsOf = function* (details: unknown, budget: { left: number; shown: number }, depth = 0): Generator<string> {
  if (depth > maxDepth || !isJsonObject(details)) return
  if (details.type === "checklist") return yield* checklistRows(details.items)
  if (isJsonObject(details.chains)) return yield* chainRows(details.chains)
  if (details.type === "list-section") return yield* rowsOf(details.value, budget, depth + 1)
  if (!Array.isArray(details.items)) {
    const row = rowOf(details, budget.shown <= 0)
    if (row === "") return
    budget.shown -= 1
    yield row
    return
  }
  for (const item of details.items) {
    if (budget.left-- <= 0) return
    yield* rowsOf(item, budget, depth + 1)
  }
}

/** What a check found, as safe lines. */
interface EvidenceRows {
  /** At most 8 lines. */
  readonly rows: ReadonlyArray<string>
  /** Further rows of the report; items beyond the first thousand are not counted. */
  readonly more: number
}

/** The rows of a check's details, each one line of evidence that cannot leave its block. */
export const evidenceRows = (details: unknown): EvidenceRows => {
  if (!isJsonObject(details) || (!Array.isArray(details.items) && details.type !== "checklist"))
    return { rows: [], more: 0 }
  const rows = [...rowsOf(details, { left: 1_000, shown: maxRows })]
  return { rows: rows.slice(0, maxRows), more: Math.max(0, rows.length - maxRows) }
}
