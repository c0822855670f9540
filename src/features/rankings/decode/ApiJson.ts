import * as Either from "effect/Either"
import { identity } from "effect/Function"
import type { Level } from "../RawRow.ts"
import { collector } from "./Collector.ts"
import * as Countries from "./Countries.ts"
import { failing, type Reader } from "./Decoder.ts"
import * as Devices from "./Devices.ts"
import * as JsonFile from "./JsonFile.ts"
import * as JsonObjects from "./JsonObjects.ts"
import type { Options } from "./Options.ts"

/** The dimensions of a request's keys, in the order of a request that names none. */
export const defaultDimensions = ["date", "query", "page"] as const

/** Dimensions that the API can combine with date, query and page. */
const supported = new Set(["date", "query", "page", "country", "device"])

/**
 * Reads answers of `searchanalytics.query`: one document, several after one another or one a line, or an array of them.
 * Positions are exact ratios there, so that position × impressions gives back the integer sum.
 */
export const reader = (file: string, options: Options): Reader => {
  const dimensions = options.dimensions ?? defaultDimensions
  const refusal = refusalOf(dimensions, options)
  if (refusal !== undefined) return { push: () => failing(file, 0, refusal), end: () => failing(file, 0, refusal) }
  const rows = collector(options, { exact: true, file, level: levelOf(dimensions) })
  const at = (name: string) => {
    const place = dimensions.indexOf(name)
    return (keys: ReadonlyArray<string>) => (place < 0 ? undefined : keys[place])
  }
  const [date, query, page, country, device] = [at("date"), at("query"), at("page"), at("country"), at("device")]

  const onRow: JsonObjects.OnObject = (json, line) => {
    const parsed = JsonFile.parse(json)
    if (Either.isLeft(parsed)) return parsed.left
    if (!JsonFile.isRecord(parsed.right)) return "a row is not an object"
    const { keys, clicks, impressions, position } = parsed.right
    if (!isTexts(keys)) return "a row's keys are not an array of texts"
    if (keys.length !== dimensions.length)
      return `${keys.length} keys where the dimensions are ${dimensions.join(", ")}`
    if (typeof clicks !== "number" || typeof impressions !== "number") return "clicks or impressions are not numbers"
    if (impressions !== 0 && !(typeof position === "number" && position >= 1)) {
      return `position ${JSON.stringify(position)} is not a number of at least 1`
    }
    return rows.add({
      date: date(keys) ?? options.date ?? "",
      ...defined("query", query(keys)),
      ...defined("page", page(keys)),
      ...defined("country", country(keys), Countries.codeOf),
      ...defined("device", device(keys), Devices.nameOf),
      impressions,
      clicks,
      sumTop: typeof position === "number" ? Math.round(position * impressions) : 0,
      line
    })
  }
  let answers = 0
  const onAnswers: JsonObjects.OnDocument = (json, line) => {
    answers += 1
    return onDocument(dimensions.includes("page"))(json, line)
  }
  const inner = JsonFile.reader(file, JsonObjects.reader(isRow, onRow, onAnswers), rows.take)
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
  if (unknown.includes("searchAppearance"))
    return "search appearances cannot be imported from answers of the API; a bulk export has them"
  if (unknown.length > 0) return `the dimension ${unknown.join(", ")} cannot be imported`
  if (!dimensions.includes("date") && options.date === undefined) return "the dimensions lack date"
  return dimensions.includes("query") && !dimensions.includes("page")
    ? "the dimensions lack page: queries are stored with their pages"
    : undefined
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

/** A row is an element of the array `rows` of an answer. */
const isRow: JsonObjects.Selects = (open) => {
  const depth = open[0]?.kind === "[" ? 1 : 0
  const answer = open[depth]
  return open.length === depth + 2 && open[depth + 1]?.kind === "[" && answer?.kind === "{" && answer.key === "rows"
}

const onDocument =
  (hasPages: boolean): JsonObjects.OnDocument =>
  (json) => {
    const rest = JsonFile.parse(json)
    if (Either.isLeft(rest)) return rest.left
    const answers: ReadonlyArray<unknown> = Array.isArray(rest.right) ? rest.right : [rest.right]
    for (const answer of answers) {
      const problem = problemOf(answer, hasPages)
      if (problem !== undefined) return problem
    }
    return undefined
  }

/** Answers without data have no `rows`, an answer about an error has nothing else. */
const problemOf = (answer: unknown, hasPages: boolean) => {
  if (!JsonFile.isRecord(answer)) return "not an answer of the Search Console API"
  if (JsonFile.isRecord(answer.error)) {
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
