import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Citation } from "../Domain.ts"
import type { Usage } from "./Prices.ts"

/** A prompt for an engine. */
interface Question {
  readonly text: string
  /** A language, with or without a region: `en`, `de-AT`. */
  readonly locale: string
}

/** The answer of an engine. */
export interface Answer {
  readonly _tag: "Answer"
  /** The model's name as the engine gives it; null without one. */
  readonly model: string | null
  readonly text: string
  readonly searched: boolean
  readonly isRefusal: boolean
  readonly citations: ReadonlyArray<Citation>
  /** Null if the engine gives no valid amount. */
  readonly usage: Usage | null
}

/** The engine paused; `next` is the body of the continuing request. */
export interface Paused {
  readonly _tag: "Paused"
  readonly next: object
  readonly usage: Usage | null
}

/** A response without an answer: the engine's own error code, or the missing part. */
export interface Unusable {
  readonly _tag: "Unusable"
  readonly code: "incomplete" | "search_failed" | "invalid_answer"
  readonly message: string
  readonly usage: Usage | null
}

/** Requests and responses of an engine. */
export interface Dialect {
  readonly path: string
  /** The version of its search tool: rates of different versions are not compared. */
  readonly tool: string
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly body: (model: string, question: Question) => object
  readonly read: (json: unknown, asked: object) => Either.Either<Answer | Paused, Unusable>
}

/** The country of a locale. */
export const regionOf = (locale: string): string | undefined => locale.split("-")[1]

/** A URL without OpenAI's tracking parameter. */
export const unmarked = (address: string): string => {
  const url = URL.parse(address)
  if (url === null || url.searchParams.get("utm_source") !== "openai") return address
  url.searchParams.delete("utm_source")
  return url.href
}

/** Maximum kept parts of an answer: honest answers have far fewer, and a hostile one must not fill pages and memory. Lengths are in UTF-16 units. */
const most = { citations: 200, model: 200, text: 65_536, title: 300, url: 2048 } as const

/** A URL with a scheme, without blanks and backslashes, which browsers read differently. */
const spelled = /^https?:\/\/[^\s\\]+$/i

/** Whether a URL is a page on the web. A URL with a user name or password may imitate another host. */
const isPage = (url: string) => {
  const page = url.length <= most.url && spelled.test(url) ? URL.parse(url) : null
  return page !== null && page.username === "" && page.password === ""
}

/** The cited pages, each once, in text order. */
export const citing = (found: Iterable<{ readonly title: string; readonly url: string }>): ReadonlyArray<Citation> => {
  const pages = new Map<string, Citation>()
  for (const { title, url } of found) {
    if (pages.size === most.citations) break
    if (pages.has(url) || !isPage(url)) continue
    pages.set(url, { title: title === "" ? null : title.slice(0, most.title).toWellFormed(), url })
  }
  return [...pages.values()]
}

/** The text parts of an answer, joined. */
export const written = (parts: ReadonlyArray<string>): string => parts.join("").slice(0, most.text).toWellFormed()

/** A model's name, cut for storage. */
export const named = (model: string | null): string | null =>
  model === null || model === "" ? null : model.slice(0, most.model).toWellFormed()

/** A count of tokens or searches. */
export const Count = Schema.NonNegativeInt

/** An amount of money, in any unit. */
export const Amount = Schema.NonNegative.pipe(Schema.finite())

/** An optional field with a default. */
export const lenient = <A, I>(schema: Schema.Schema<A, I>, missing: () => A) =>
  Schema.optionalWith(schema, { default: missing, nullable: true })

/** The usage, or null without any token or cost. */
export const used = (told: Usage): Usage | null => (told.usd === null && told.input + told.output === 0 ? null : told)

/** Maximum objects and lists of an answer: honest answers have hundreds, and reading a million would block the process for seconds. */
const parts = 20_000

/** Whether an answer has too many parts. */
const isVast = (json: unknown) => {
  const rest = [json]
  for (let seen = 0; seen < rest.length; seen++) {
    if (rest.length > parts) return true
    const part = rest[seen]
    for (const value of typeof part === "object" && part !== null ? Object.values(part) : [])
      if (typeof value === "object" && value !== null) rest.push(value)
  }
  return false
}

export const unreadable: Unusable = {
  _tag: "Unusable",
  code: "invalid_answer",
  message: "The response of the AI assistant is not readable",
  usage: null
}

/** Reads an answer in its engine's format. */
export const reading = ({ read }: Dialect, json: unknown, asked: object) =>
  isVast(json) ? Either.left(unreadable) : read(json, asked)
