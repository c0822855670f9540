import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Text from "../../../foundation/text/Compressed.ts"
import type { Batch, Incomplete, Level } from "../RawRow.ts"
import { collector, failing, type Options, type Reader } from "./Collector.ts"
import * as Days from "./Days.ts"
import { codeOf, nameOf } from "./Values.ts"

/** Receives the text of one captured object and the line it starts on. Returns the reason to stop, or undefined. */
export type OnObject = (json: string, line: number) => string | undefined

/** Receives a whole document in which `0` stands for all captured objects that followed each other. */
export type OnDocument = (json: string, line: number) => string | undefined

/** Text that is no JSON, or was refused. */
interface JsonProblem {
  readonly line: number
  readonly reason: string
}

/** Cuts JSON that arrives in pieces into small objects without holding a whole document. */
interface ObjectReader {
  readonly push: (text: string, last: boolean) => JsonProblem | undefined
  readonly line: () => number
}

/**
 * Which objects to capture, by the containers that are open around them, the outermost first. `first` is the name of an object's first member, empty where
 * it has none; undefined, here and as the answer, while that has not arrived.
 */
export type Selects = (open: ReadonlyArray<Container>, first: () => string | undefined) => boolean | undefined

/** An open object or array; `key` is the member being read in an object. */
interface Container {
  readonly kind: "{" | "["
  key: string
}

/** Characters that one captured object, or the rest of one document, may have. */
const longest = 1 << 20

/** Containers within containers: data of the API has five, and parsing text without such a bound takes seconds for half a megabyte. */
const deepest = 64

const tooDeep = `a value has more than ${deepest} arrays and objects within one another`

const quoteMark = 34
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

const closing = { "{": "}", "[": "]" } as const

/**
 * Makes a reader over any number of documents, one after another or one a line. What is captured and what remains of a
 * document are handed over as text, so that the caller's `JSON.parse` checks all of it.
 */
export const reader = (selects: Selects, onObject: OnObject, onDocument: OnDocument): ObjectReader => {
  const open: Array<Container> = []
  let rest = ""
  let skeleton = ""
  let gap = ""
  let isAfterCapture = false
  let text = ""
  let line = 1
  let documentLine = 1
  let newlines = newlineCounter("")

  const isFresh = () => open.length === 0 && skeleton === "" && gap === ""

  /** Moves over the input to `to`, counting lines; what lies between stays in the document's skeleton. */
  const keep = (input: string, from: number, to: number) => {
    if (isFresh()) documentLine = line
    gap += input.slice(from, to)
    line += newlines(from, to)
  }

  const endDocument = () => {
    const problem = onDocument(skeleton + gap, documentLine)
    skeleton = ""
    gap = ""
    isAfterCapture = false
    return problem === undefined ? undefined : { line: documentLine, reason: problem }
  }

  const capture = (input: string, from: number, to: number): JsonProblem | undefined => {
    const problem = onObject(input.slice(from, to), line)
    if (problem !== undefined) return { line, reason: problem }
    if (isFresh()) documentLine = line
    line += newlines(from, to)
    if (!isAfterCapture || gap.trim() !== ",") skeleton += `${gap}0`
    gap = ""
    isAfterCapture = true
    return open.length === 0 ? endDocument() : undefined
  }

  const step = (input: string, at: number): number | JsonProblem => {
    const unit = input.charCodeAt(at)
    if (unit === quoteMark && open.length > 0) {
      const end = stringEnd(input, at + 1)
      if (end === -1) return -1
      text = input.slice(at + 1, end - 1)
      keep(input, at, end)
      return end
    }
    if (unit === openBrace || unit === openBracket) {
      const isCaptured = unit === openBrace && selects(open, () => firstName(input, at + 1))
      if (isCaptured === undefined) return -1
      if (isCaptured) {
        const end = objectEnd(input, at, deepest - open.length)
        if (end === "too deep") return { line, reason: tooDeep }
        return end === -1 ? -1 : (capture(input, at, end) ?? end)
      }
      if (open.length === deepest) return { line, reason: tooDeep }
      keep(input, at, at + 1)
      open.push({ kind: unit === openBrace ? "{" : "[", key: "" })
      return at + 1
    }
    if (unit === closeBrace || unit === closeBracket) {
      const container = open.pop()
      if (container === undefined || closing[container.kind] !== input[at]) {
        return { line, reason: `"${input[at]}" closes nothing` }
      }
      keep(input, at, at + 1)
      return open.length === 0 ? (endDocument() ?? at + 1) : at + 1
    }
    if (unit === colon) {
      const container = open.at(-1)
      if (container !== undefined) container.key = text
    }
    const end = plainEnd(input, at + 1)
    if (open.length > 0) keep(input, at, end)
    else if (input.slice(at, end).trim() !== "")
      return { line, reason: `unexpected ${JSON.stringify(input.slice(at, at + 20))}` }
    else line += newlines(at, end)
    return end
  }

  const push = (piece: string, last: boolean): JsonProblem | undefined => {
    const input = rest === "" ? piece : rest + piece
    newlines = newlineCounter(input)
    let at = 0
    while (at < input.length) {
      const next = step(input, at)
      if (typeof next !== "number") return next
      if (next === -1) break
      at = next
    }
    rest = input.slice(at)
    if (rest.length > longest || skeleton.length + gap.length > longest) return { line, reason: "a value is too large" }
    return last && (rest !== "" || open.length > 0) ? { line, reason: "the file ends inside a value" } : undefined
  }
  return { push, line: () => line }
}

/** Where a string's closing quote ends, or −1; a quote is escaped by an odd number of backslashes. */
const stringEnd = (input: string, from: number) => {
  for (let quote = input.indexOf('"', from); quote !== -1; quote = input.indexOf('"', quote + 1)) {
    let slashes = 0
    while (quote - 1 - slashes >= from && input.charCodeAt(quote - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return quote + 1
  }
  return -1
}

/** The name of the first member of an object that begins before `from`, without regard to escapes. */
const firstName = (input: string, from: number): string | undefined => {
  let start = from
  while (start < input.length && input.charCodeAt(start) <= 32) start++
  if (start === input.length) return undefined
  if (input.charCodeAt(start) !== quoteMark) return ""
  const end = stringEnd(input, start + 1)
  return end === -1 ? undefined : input.slice(start + 1, end - 1)
}

const objectEnd = (input: string, from: number, most: number): number | "too deep" => {
  let [braces, brackets] = [0, 0]
  for (let at = from; at < input.length; at++) {
    const unit = input.charCodeAt(at)
    if (unit === quoteMark) {
      const end = stringEnd(input, at + 1)
      if (end === -1) return -1
      at = end - 1
    } else if (unit === openBrace) braces++
    else if (unit === openBracket) brackets++
    else if (unit === closeBracket) brackets--
    else if (unit === closeBrace && --braces === 0) return at + 1
    if (braces + brackets > most) return "too deep"
  }
  return -1
}

/** The next character that opens, closes, quotes or names. */
const plainEnd = (input: string, from: number) => {
  let at = from
  while (at < input.length && !isStructure(input.charCodeAt(at))) at++
  return at
}

const isStructure = (unit: number) =>
  unit === quoteMark ||
  unit === openBrace ||
  unit === closeBrace ||
  unit === openBracket ||
  unit === closeBracket ||
  unit === colon

/** Counts the line ends of stretches that come one after another; each is sought once. */
const newlineCounter = (input: string) => {
  const after = (from: number) => {
    const found = input.indexOf("\n", from)
    return found === -1 ? input.length : found
  }
  let next = -1
  return (from: number, to: number) => {
    let count = 0
    for (next = next < from ? after(from) : next; next < to; next = after(next + 1)) count++
    return count
  }
}

/** Decodes a file of JSON through an object reader; `take` gives the rows that its objects became. */
export const jsonReader = (file: string, objects: ObjectReader, take: () => Batch): Reader => {
  const text = Text.reader()
  const read = (bytes: Uint8Array, last: boolean) => {
    const decoded = text(bytes, last)
    if (Either.isLeft(decoded)) return failing(file, objects.line(), decoded.left)
    const problem = objects.push(decoded.right, last)
    return problem === undefined ? Either.right(take()) : failing(file, problem.line, problem.reason)
  }
  return { push: (bytes) => read(bytes, false), end: () => read(new Uint8Array(0), true) }
}

/** Parses text that should be one JSON value. */
export const parse = (json: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => JSON.parse(json), catch: () => `not JSON: ${json.slice(0, 60)}` })

interface Row {
  readonly [name: string]: unknown
}

/** Whether a value is an object with members to read. */
export const isRecord = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The dimensions of a request's keys, in the order of a request that names none. */
export const defaultDimensions = ["date", "query", "page"] as const

/** Dimensions that the API can combine with date, query and page. */
const supported = new Set(["date", "hour", "query", "page", "country", "device"])

/**
 * Reads answers of `searchanalytics.query`: one document, several after one another or one a line, or an array of them; and the rows of answers, likewise.
 * Rows have their dimensions as `keys`, or each under its own name, as tools write them. Positions are exact ratios there, so that position × impressions
 * gives back the integer sum.
 */
export const apiReader = (file: string, options: Options): Reader => {
  const dimensions = options.dimensions ?? defaultDimensions
  const refusal = refusalOf(dimensions, options)
  if (refusal !== undefined) return { push: () => failing(file, 0, refusal), end: () => failing(file, 0, refusal) }
  let rows = collector(options, { exact: true, file, level: levelOf(dimensions) }, dimensions.includes("hour"))
  /** The names of the dimensions that rows have; none while they are keys. */
  let own: ReadonlyArray<string> | undefined
  let isKeyed = false

  /** The values of a row's dimensions by their names, or why it has none. */
  const keysOf = (row: Row): ReadonlyMap<string, string> | string => {
    const { keys } = row
    if (keys === undefined) return namedKeysOf(row)
    if (own !== undefined) return "a row has keys where rows before it have names of dimensions"
    isKeyed = true
    if (!isTexts(keys)) return "a row's keys are not an array of texts"
    return keys.length === dimensions.length
      ? new Map(dimensions.map((name, index) => [name, keys[index] ?? ""]))
      : `${keys.length} keys where the dimensions are ${dimensions.join(", ")}`
  }

  /** Rows with names say themselves what their dimensions are; all rows of a file have the same. */
  const namedKeysOf = (row: Row): ReadonlyMap<string, string> | string => {
    const names = [...supported, "searchAppearance"].filter((name) => row[name] !== undefined)
    if (isKeyed || names.length === 0) return "a row has no keys"
    if (own === undefined) {
      const refused = refusalOf(names, options)
      if (refused !== undefined) return refused
      own = names
      rows = collector(options, { exact: true, file, level: levelOf(names) }, names.includes("hour"))
    }
    if (own.join() !== names.join()) return `a row has ${names.join(", ")} where rows before it have ${own.join(", ")}`
    const values = names.map((name) => row[name])
    return isTexts(values) ? new Map(names.map((name, index) => [name, values[index] ?? ""])) : "a dimension is no text"
  }

  const onRow: OnObject = (json, line) => {
    const parsed = parse(json)
    if (Either.isLeft(parsed)) return parsed.left
    if (!isRecord(parsed.right)) return "a row is not an object"
    const keys = keysOf(parsed.right)
    if (typeof keys === "string") return keys
    const search = searchOf(parsed.right)
    if (search !== "web") return search === "other" ? rows.drop("otherSearchType") : search.reason
    const unknown = parsed.right.keys === undefined ? unknownOf(parsed.right) : undefined
    if (unknown !== undefined) return unknown
    const { clicks, impressions, position } = parsed.right
    if (typeof clicks !== "number" || typeof impressions !== "number") return "clicks or impressions are not numbers"
    if (impressions !== 0 && !(typeof position === "number" && position >= 1)) {
      return `position ${JSON.stringify(position)} is not a number of at least 1`
    }
    return rows.add({
      date: keys.get("hour") ?? keys.get("date") ?? options.date ?? "",
      ...defined("query", keys.get("query")),
      ...defined("page", keys.get("page")),
      ...defined("country", keys.get("country"), codeOf),
      ...defined("device", keys.get("device"), nameOf),
      impressions,
      clicks,
      sumTop: typeof position === "number" ? Math.round(position * impressions) : 0,
      line
    })
  }
  let answers = 0
  let incomplete: ReadonlyArray<Incomplete> = []
  const onAnswers: OnDocument = (json) => {
    answers += 1
    const read = answersOf(json, dimensions.includes("page"))
    const days = rows.takeDays()
    if (typeof read === "string") return read
    const { firstIncomplete } = read
    if (firstIncomplete !== undefined)
      incomplete = [...incomplete, ...[...days].filter((day) => day >= firstIncomplete).map((day) => ({ day, file }))]
    return undefined
  }
  const take = (): Batch => {
    const batch = { ...rows.take(), incomplete }
    incomplete = []
    return batch
  }
  const inner = jsonReader(file, reader(isRow, onRow, onAnswers), take)
  const end = () =>
    Either.flatMap(inner.end(), (batch) =>
      answers === 0 ? failing(file, 0, "the file is empty: it contains no answer of the API") : Either.right(batch)
    )
  return { push: inner.push, end }
}

/** A key of an object, where there is a value. */
const defined = (name: string, value: string | undefined, read: (text: string) => string = identity) =>
  value === undefined ? {} : { [name]: read(value) }

const levelOf = (dimensions: ReadonlyArray<string>): Level =>
  dimensions.includes("query") ? "queries" : dimensions.includes("page") ? "pages" : "property"

const refusalOf = (dimensions: ReadonlyArray<string>, options: Options) => {
  const unknown = dimensions.filter((name) => !supported.has(name))
  if (unknown.some((name) => name.toLowerCase() === "searchappearance"))
    return "search appearances cannot be imported from answers of the API; a bulk export has them"
  if (unknown.length > 0) return `the dimension ${unknown.join(", ")} cannot be imported`
  if (!dimensions.includes("date") && !dimensions.includes("hour") && options.date === undefined)
    return "the dimensions lack date"
  return dimensions.includes("query") && !dimensions.includes("page")
    ? "the dimensions lack page: queries are stored with their pages"
    : undefined
}

/** Members that name the kind of search, as tools write them. */
const searches = ["searchType", "search_type", "type"]

const otherSearches = new Set(["image", "video", "news", "discover", "googlenews"])

/** Which search a row is of: that of the web, where it names none. */
const searchOf = (row: Row): "web" | "other" | { readonly reason: string } => {
  for (const name of searches) {
    const search = String(row[name] ?? "web").toLowerCase()
    if (otherSearches.has(search)) return "other"
    if (search !== "web") return { reason: `${name} ${JSON.stringify(row[name])} is not a type of search` }
  }
  return "web"
}

/** Rows that differ in an unknown member alone would look like parts of one fact. */
const unknownOf = (row: Row) => {
  const name = Object.keys(row).find((key) => !ofRows.has(key) && row[key] !== null)
  return name === undefined
    ? undefined
    : `the member ${JSON.stringify(name.slice(0, 100))} of a row is not known: rows that differ only there would count as one. Remove it, or ask for rows without that dimension`
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

/** Members of rows, of which answers have none. */
const ofRows = new Set([
  ...supported,
  ...searches,
  "searchAppearance",
  "keys",
  "clicks",
  "impressions",
  "ctr",
  "position"
])

/** A row is an element of the array `rows` of an answer, or stands where answers do and begins as a row does. */
const isRow: Selects = (open, first) => {
  const depth = open[0]?.kind === "[" ? 1 : 0
  if (open.length === depth) {
    const name = first()
    return name === undefined ? undefined : ofRows.has(name)
  }
  const answer = open[depth]
  return open.length === depth + 2 && open[depth + 1]?.kind === "[" && answer?.kind === "{" && answer.key === "rows"
}

/** What answers say beside their rows: the first day that is not final, if they name one. A row that stands where answers do is 0 here. */
const answersOf = (json: string, hasPages: boolean): { readonly firstIncomplete: string | undefined } | string => {
  const rest = parse(json)
  if (Either.isLeft(rest)) return rest.left
  const answers: ReadonlyArray<unknown> = Array.isArray(rest.right) ? rest.right : [rest.right]
  const days: Array<string> = []
  for (const answer of answers) {
    if (answer === 0) continue
    const problem = problemOf(answer, hasPages)
    if (problem !== undefined) return problem
    const found = incompleteDays(answer)
    if (typeof found === "string") return found
    days.push(...found)
  }
  return { firstIncomplete: days.sort().at(0) }
}

/** Where the metadata of an answer say from when on its data are still collected: as the API writes them, and as its clients do. */
const untilFinal = ["first_incomplete_date", "first_incomplete_hour", "firstIncompleteDate", "firstIncompleteHour"]

const incompleteDays = (answer: unknown): ReadonlyArray<string> | string => {
  const metadata = isRecord(answer) && isRecord(answer.metadata) ? answer.metadata : {}
  const days: Array<string> = []
  for (const name of untilFinal) {
    const text = metadata[name]
    if (text === undefined || text === null || text === "") continue
    const found = Days.read(String(text))
    if ("reason" in found) return `metadata.${name}: ${found.reason}`
    days.push(found.day)
  }
  return days
}

/** Answers without data have no `rows`, an answer about an error has nothing else. */
const problemOf = (answer: unknown, hasPages: boolean) => {
  if (!isRecord(answer)) return "not an answer of the Search Console API"
  if (isRecord(answer.error)) {
    return `the file contains an error of the API, not data: ${String(answer.error.message ?? "no message")}`
  }
  const { responseAggregationType: aggregation, rows } = answer
  if (rows !== undefined && !(Array.isArray(rows) && rows.every((row) => row === 0)))
    return "rows are not an array of objects"
  if (hasPages && aggregation === "byProperty" && Array.isArray(rows) && rows.length > 0)
    return "the rows are aggregated by property, not by page"
  const isAnswer =
    rows !== undefined || aggregation !== undefined || "metadata" in answer || Object.keys(answer).length === 0
  return isAnswer ? undefined : "not an answer of the Search Console API"
}
