import * as Schema from "effect/Schema"
import { field } from "../../../../foundation/schema/Field.ts"
import { Timestamp } from "../../../../foundation/schema/Timestamp.ts"
import { Engine, engines, RunId } from "../Domain.ts"

/** Why a run asked less than it planned, or nothing was answered. */
export const Reason = Schema.Literal(
  "budget",
  "quota",
  "credentials",
  "unavailable",
  "no_answers",
  "not_configured",
  "worker_lost",
  "failed"
)
export type Reason = typeof Reason.Type

const count = (description: string) => Schema.NonNegativeInt.annotations({ description })

/** How often a prompt is asked. */
export const Repeats = Schema.Int.pipe(
  Schema.filter((repeats) => repeats >= 1 && repeats <= 10, { message: () => "must be an integer from 1 to 10" })
)

/** Some engines, each once. */
export const SomeEngines = Schema.Array(Engine).pipe(
  Schema.minItems(1, { message: () => "must name at least one engine" }),
  Schema.maxItems(engines.length, { message: () => `must name at most ${engines.length} engines` }),
  Schema.filter((named) => new Set(named).size === named.length, { message: () => "must name each engine once" })
)

/** A round of questions to AI engines. */
export const GeoRun = Schema.Struct({
  id: RunId.annotations({ description: "UUID of the run" }),
  status: Schema.Literal("queued", "running", "completed", "partial", "failed").annotations({
    description:
      "`completed`: every question was asked; `partial`: some were not, `reason` says why; `failed`: nothing was answered"
  }),
  engines: Schema.Array(Engine).annotations({ description: "Engines that are asked" }),
  repeats: Schema.Int.annotations({ description: "How often each engine is asked each prompt" }),
  planned: count("Questions in all: prompts × engines × repeats"),
  answered: count("Questions that were answered so far"),
  errors: count("Questions that ended without an answer so far"),
  cost_usd: Schema.Number.annotations({
    description: "What it costs so far in US dollars, with what is reserved for questions under way"
  }),
  reason: Schema.NullOr(Reason).annotations({
    description:
      "Why it is `partial` or `failed`: `budget`: the day's budget is used up; `quota`: that of an account at an engine is; `credentials`: an engine refuses its key; `unavailable`: an engine did not answer again and again; `no_answers`: every question ended in an error; `not_configured`: an engine has no key or price any more; `worker_lost`: its workers died; `failed`: a fault of the server. Else null"
  }),
  created_at: field(Timestamp, "When it was made"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it ended; null before" })
}).annotations({ identifier: "GeoRun", description: "A round of questions to AI engines" })
export type GeoRun = typeof GeoRun.Type

/** What is asked of whom, and how often. */
export const terms = {
  engines: field(SomeEngines, "Engines to ask, each once"),
  repeats: Schema.optionalWith(Repeats, { default: () => 5, exact: true }).annotations({
    description: "How often each is asked each prompt, 1 to 10; 5 by default"
  })
}

export const StartGeoRun = Schema.Struct({
  ...terms,
  dry_run: Schema.optionalWith(Schema.Boolean, { default: () => false, exact: true }).annotations({
    description: "True: tells what it would cost, and neither stores nor asks anything"
  })
}).annotations({ identifier: "StartGeoRun", description: "Whom to ask, and how often" })
export type StartGeoRun = typeof StartGeoRun.Type

/** What a run would cost. */
export const Estimate = Schema.Struct({
  calls: count("Questions that it would ask"),
  price: field(
    Schema.Struct({
      low_usd: Schema.Number.annotations({ description: "With one search and a short answer to each question" }),
      high_usd: Schema.Number.annotations({
        description: "At the upper price of every question, which is reserved before it is asked"
      })
    }).annotations({ identifier: "GeoPrice", description: "A range of US dollars" }),
    "From what it usually costs at least to what it costs at most"
  ),
  budget_left_usd: Schema.Number.annotations({
    description: "What is left of the installation's budget of this UTC day; 0 where none is set"
  })
}).annotations({ identifier: "GeoEstimate", description: "What a run would cost" })
export type Estimate = typeof Estimate.Type
