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
  readonly usage: Usage
}

/** The engine paused; `next` is the body of the request by which it goes on. */
export interface Paused {
  readonly _tag: "Paused"
  readonly next: object
  readonly usage: Usage
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

/** Every page once, in the order of the text. */
export const distinct = (citations: ReadonlyArray<Citation>): ReadonlyArray<Citation> =>
  citations.filter(({ url }, at) => citations.findIndex((other) => other.url === url) === at)

/** A field that may be missing, and is then this. */
export const lenient = <A, I>(schema: Schema.Schema<A, I>, missing: () => A) =>
  Schema.optionalWith(schema, { default: missing, nullable: true })

export const unreadable: Unusable = {
  _tag: "Unusable",
  code: "invalid_answer",
  message: "The answer of the engine cannot be read",
  usage: null
}
