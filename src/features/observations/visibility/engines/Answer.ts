import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Citation } from "../Domain.ts"
import type { Usage } from "./Prices.ts"

/** A prompt as an engine is asked. */
export interface Question {
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
  /** Null where the engine does not say it. */
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

/** The cited pages, each once in the order of the text. What is too long for an address is none. */
export const citing = (found: Iterable<{ readonly title: string; readonly url: string }>): ReadonlyArray<Citation> => {
  const pages = new Map<string, Citation>()
  for (const { title, url } of found) {
    if (url === "" || url.length > most.url || pages.has(url)) continue
    if (pages.size === most.citations) break
    pages.set(url, { title: title === "" ? null : title.slice(0, most.title).toWellFormed(), url })
  }
  return [...pages.values()]
}

/** The written parts of an answer as one text. */
export const written = (parts: ReadonlyArray<string>): string => parts.join("").slice(0, most.text).toWellFormed()

/** A model's name as it is kept. */
export const named = (model: string | null): string | null =>
  model === null || model === "" ? null : model.slice(0, most.model).toWellFormed()

const amount = (told: number) => (Number.isFinite(told) && told > 0 ? told : 0)

/** What a call used, by the engine's own cost or its counts of tokens; null where it says neither. */
export const used = ({ input, output, searches, usd }: Usage): Usage | null => {
  const told = {
    input: amount(input),
    output: amount(output),
    searches,
    usd: usd === null || !(usd >= 0) ? null : amount(usd)
  }
  return told.usd === null && told.input + told.output === 0 ? null : told
}

/** A field that may be missing, and is then this. */
export const lenient = <A, I>(schema: Schema.Schema<A, I>, missing: () => A) =>
  Schema.optionalWith(schema, { default: missing, nullable: true })

export const unreadable: Unusable = {
  _tag: "Unusable",
  code: "invalid_answer",
  message: "The answer of the engine cannot be read",
  usage: null
}
