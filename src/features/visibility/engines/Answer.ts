import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Citation } from "../Domain.ts"
import type { Usage } from "./Prices.ts"

/** A prompt as an engine is asked. */
interface Question {
  readonly text: string
  /** A language, with or without a region: `en`, `de-AT`. */
  readonly locale: string
}

/** What an engine answered. */
export interface Answer {
  readonly _tag: "Answer"
  /** The model that answered, as the engine names it; null where it does not. */
  readonly model: string | null
  readonly text: string
  readonly searched: boolean
  readonly isRefusal: boolean
  readonly citations: ReadonlyArray<Citation>
  /** Null where the engine does not say it, or says what is no amount. */
  readonly usage: Usage | null
}

/** The engine paused; `next` is the body of the request by which it goes on. */
export interface Paused {
  readonly _tag: "Paused"
  readonly next: object
  readonly usage: Usage | null
}

/** An answer in which there is none: the engine's own error code, or what it lacks. */
export interface Unusable {
  readonly _tag: "Unusable"
  readonly code: "incomplete" | "search_failed" | "invalid_answer"
  readonly message: string
  readonly usage: Usage | null
}

/** How an engine is asked, and how its answers are read. */
export interface Dialect {
  readonly path: string
  /** The version of its search tool: rates by another one are not compared. */
  readonly tool: string
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly body: (model: string, question: Question) => object
  readonly read: (json: unknown, asked: object) => Either.Either<Answer | Paused, Unusable>
}

/** The country of a locale. */
export const regionOf = (locale: string): string | undefined => locale.split("-")[1]

/** A URL without the mark by which OpenAI counts its visitors. */
export const unmarked = (address: string): string => {
  const url = URL.parse(address)
  if (url === null || url.searchParams.get("utm_source") !== "openai") return address
  url.searchParams.delete("utm_source")
  return url.href
}

/** What is kept of an answer at most: an honest one is far below, a hostile one must not fill pages and memory. Lengths are in UTF-16 units. */
const most = { citations: 200, model: 200, text: 65_536, title: 300, url: 2048 } as const

/** An address that begins with its scheme and has neither blanks nor backslashes, which browsers read in ways of their own. */
const spelled = /^https?:\/\/[^\s\\]+$/i

/** Whether an address is one of a page on the web. One that holds a name or a password passes for another host. */
const isPage = (url: string) => {
  const page = url.length <= most.url && spelled.test(url) ? URL.parse(url) : null
  return page !== null && page.username === "" && page.password === ""
}

/** The cited pages, each once in the order of the text. */
export const citing = (found: Iterable<{ readonly title: string; readonly url: string }>): ReadonlyArray<Citation> => {
  const pages = new Map<string, Citation>()
  for (const { title, url } of found) {
    if (pages.size === most.citations) break
    if (pages.has(url) || !isPage(url)) continue
    pages.set(url, { title: title === "" ? null : title.slice(0, most.title).toWellFormed(), url })
  }
  return [...pages.values()]
}

/** The written parts of an answer as one text. */
export const written = (parts: ReadonlyArray<string>): string => parts.join("").slice(0, most.text).toWellFormed()

/** A model's name as it is kept. */
export const named = (model: string | null): string | null =>
  model === null || model === "" ? null : model.slice(0, most.model).toWellFormed()

/** A count of tokens or searches. */
export const Count = Schema.NonNegativeInt

/** A sum of money, in whatever unit. */
export const Amount = Schema.NonNegative.pipe(Schema.finite())

/** A field that may be missing, and is then this. */
export const lenient = <A, I>(schema: Schema.Schema<A, I>, missing: () => A) =>
  Schema.optionalWith(schema, { default: missing, nullable: true })

/** A usage without a single token is none. */
export const used = (told: Usage): Usage | null => (told.usd === null && told.input + told.output === 0 ? null : told)

/** Objects and lists of an answer at most: honest ones have some hundreds, and to read a million would stop the process for seconds. */
const parts = 20_000

/** Whether an answer has more parts than are read. */
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

/** Reads an answer as its engine writes it. */
export const reading = ({ read }: Dialect, json: unknown, asked: object) =>
  isVast(json) ? Either.left(unreadable) : read(json, asked)
