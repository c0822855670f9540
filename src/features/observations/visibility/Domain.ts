import * as Schema from "effect/Schema"
import { Uuid } from "../../../foundation/schema/Scalars.ts"

/** The AI engines that are asked through their interfaces. */
export const engines = ["openai", "anthropic", "perplexity", "xai"] as const

export const Engine = Schema.Literal(...engines).annotations({
  message: () => ({ message: `must be ${engines.slice(0, -1).join(", ")} or ${engines.at(-1)}`, override: true })
})
export type Engine = typeof Engine.Type

export const PromptId = Uuid.pipe(Schema.brand("GeoPromptId"))
export type PromptId = typeof PromptId.Type

export const RunId = Uuid.pipe(Schema.brand("GeoRunId"))
export type RunId = typeof RunId.Type

export const CallId = Uuid.pipe(Schema.brand("GeoCallId"))
export type CallId = typeof CallId.Type

/** A page that an answer cites. */
export const Citation = Schema.Struct({
  url: Schema.String.annotations({ description: "URL as the engine gave it, without its `utm_source`" }),
  title: Schema.NullOr(Schema.String).annotations({ description: "Title that the engine gave; null without one" })
}).annotations({ identifier: "GeoCitation", description: "A page that an answer cites" })
export type Citation = typeof Citation.Type

/** What an answer is, for the site: the first three are of answers for which the engine searched the web. */
export const outcomes = ["cited", "mentioned", "absent", "not_searched", "refused", "error"] as const
export const Outcome = Schema.Literal(...outcomes).annotations({
  message: () => ({ message: `must be one of ${outcomes.join(", ")}`, override: true })
})
export type Outcome = typeof Outcome.Type
