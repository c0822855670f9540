import * as Schema from "effect/Schema"
import { Finite, field, Text, Uuid } from "../../foundation/schema/Scalars.ts"
import { Every, Timestamp } from "../../foundation/schema/Time.ts"
import { ProjectId } from "../projects/Domain.ts"
import { course } from "../projects/Schedule.ts"
import { reasons } from "./Statistics.ts"

/** The AI engines that are asked through their interfaces. */
export const engines = ["openai", "anthropic", "perplexity", "xai"] as const

export const Engine = Schema.Literal(...engines).annotations({
  identifier: "GeoEngine",
  description: "An AI engine",
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
const outcomes = ["cited", "mentioned", "absent", "not_searched", "refused", "error"] as const
export const Outcome = Schema.Literal(...outcomes).annotations({
  message: () => ({ message: `must be one of ${outcomes.join(", ")}`, override: true })
})
export type Outcome = typeof Outcome.Type

/** Prompts of a project. */
export const promptsAtMost = 200

/** A language, with or without a region. */
const Locale = Schema.String.pipe(
  Schema.pattern(/^[a-z]{2,3}(?:-[A-Z]{2})?$/, {
    message: () => "must be a language, with or without a region, such as en or de-AT"
  })
)

/** A question that AI engines are asked for a project. */
export const Prompt = Schema.Struct({
  id: PromptId.annotations({ description: "UUID of the prompt" }),
  text: Schema.String.annotations({ description: "What the engines are asked, word for word" }),
  locale: Schema.String.annotations({
    description: "Language, with or without a region: `de-AT` has engines that can search as from Austria"
  }),
  created_at: field(Timestamp, "When it was made")
}).annotations({ identifier: "GeoPrompt", description: "A question that AI engines are asked for a project" })
export type Prompt = typeof Prompt.Type

/** The fields of a new prompt. */
export const NewPrompt = Schema.Struct({
  text: Text(1000).annotations({ description: "What the engines are asked, word for word, 1 to 1,000 characters" }),
  locale: Schema.optionalWith(Locale, { default: () => "en-US", exact: true }).annotations({
    description: "Language, with or without a region; `en-US` by default"
  })
}).annotations({ identifier: "NewGeoPrompt", description: "What the engines are asked" })
export type NewPrompt = typeof NewPrompt.Type

const count = (description: string) => Schema.NonNegativeInt.annotations({ description })
const share = (description: string) => Schema.Number.annotations({ description })
const interval = (description: string) => Schema.Tuple(Schema.Number, Schema.Number).annotations({ description })

const Rate = Schema.Struct({
  rate: share("Share of the answers, from 0 to 1"),
  interval: interval("Interval of 95 %, in which the prompt is the unit: answers to one prompt are alike")
}).annotations({ identifier: "GeoRate", description: "A share of answers" })

const Comparison = Schema.Struct({
  delta: Schema.NullOr(Schema.Number).annotations({
    description:
      "Mean over prompts of how the share of citing answers changed; null where no two prompts can be compared"
  }),
  interval: Schema.NullOr(Schema.Tuple(Schema.Number, Schema.Number)).annotations({
    description: "Interval of 95 % of `delta`; null without one"
  }),
  p_value: Schema.NullOr(Schema.Number).annotations({
    description: "Paired t over the prompts that were answered in both runs; null without `delta`"
  }),
  comparable: Schema.Boolean.annotations({
    description: "Whether `delta` may be read as a change: `reasons` is empty"
  }),
  reasons: Schema.Array(
    Schema.Literal(...reasons).annotations({
      description:
        "`other_engine`: that run did not ask it; `other_model`: not one and the same model answered; `other_prompts`, `other_tool`: another set of prompts, or version of the search tool; `too_few_prompts`: under 20 prompts in common; `too_few_answers`: under 90 % of a run's questions were answered"
    })
  ).annotations({ description: "What forbids to read it as a change" })
}).annotations({ identifier: "GeoComparison", description: "One engine in two runs" })

/** How visible a site is in the answers of one engine. */
export const Visible = Schema.Struct({
  engine: Engine.annotations({ description: "The engine" }),
  model: Schema.NullOr(Schema.String).annotations({
    description: "Model that gave most of the answers; null without an answer"
  }),
  prompts: count("Prompts that were asked"),
  answers: count("Answers that the rates are of: the engine searched, and did not refuse"),
  searched_rate: Schema.NullOr(Schema.Number).annotations({
    description: "Share of answers for which the engine searched, of those that are no refusal; null without one"
  }),
  cited: Schema.NullOr(Rate).annotations({ description: "Answers that cite the site; null without answers" }),
  mentioned: Schema.NullOr(Rate).annotations({
    description:
      "Answers that name the brand, citing or not, to prompts that do not name it themselves; null where there are none, or no `brand_terms`"
  }),
  errors: count("Questions that ended without an answer"),
  comparison: Schema.NullOr(Comparison).annotations({
    description: "What changed since the run of `compare`; null without it"
  })
}).annotations({ identifier: "GeoVisibility", description: "How visible a site is in the answers of one engine" })
export type Visible = typeof Visible.Type

/** The answer of an engine to a prompt. */
export const GeoAnswer = Schema.Struct({
  id: CallId.annotations({ description: "UUID of the answer" }),
  run_id: RunId.annotations({ description: "UUID of its run" }),
  prompt_id: PromptId.annotations({ description: "UUID of its prompt, which may have been deleted since" }),
  engine: Engine.annotations({ description: "The engine" }),
  model: Schema.String.annotations({ description: "Model that answered, or that was asked" }),
  repeat: Schema.Int.annotations({ description: "Which of the run's repeats it is, from 1" }),
  outcome: field(
    Outcome,
    "`cited`: a citation is of the site's host or below it; `mentioned`: it is not, but the text names the brand; `absent`: neither. Apart from these: `not_searched`, `refused`, `error`"
  ),
  searched: Schema.Boolean.annotations({ description: "Whether the engine searched the web for it" }),
  text: Schema.NullOr(Schema.String).annotations({ description: "The answer; null without one" }),
  citations: Schema.Array(Citation).annotations({
    description: "Pages that it cites, each once, in the order of the text"
  }),
  cost_usd: Schema.Number.annotations({ description: "What it cost in US dollars" }),
  cost_exact: Schema.Boolean.annotations({
    description: "Whether the engine said so itself; else by its counts and the model's price, or what was reserved"
  }),
  error: Schema.NullOr(
    Schema.Struct({
      code: Schema.String.annotations({
        description:
          "`interrupted`, `credentials`, `quota`, `rate_limited`, `invalid_request`, `unavailable`, `invalid_answer`, `incomplete`, `search_failed`"
      }),
      message: Schema.String.annotations({ description: "The same in a sentence" })
    }).annotations({ identifier: "GeoAnswerError", description: "Why there is no answer" })
  ).annotations({ description: "Why there is no answer; null unless `outcome` is `error`" })
}).annotations({ identifier: "GeoAnswer", description: "The answer of an engine to a prompt" })
export type GeoAnswer = typeof GeoAnswer.Type

/** A host that answers cite. */
export const CitedDomain = Schema.Struct({
  domain: Schema.String.annotations({ description: "Host, without `www.`" }),
  own: Schema.Boolean.annotations({ description: "Whether it is the site's host, or below it" }),
  answers: count("Answers that cite it"),
  instead: count("Of these, answers that do not cite the site"),
  rate: share("Share of the run's answers that cite it, from 0 to 1")
}).annotations({ identifier: "GeoDomain", description: "A host that answers cite" })

/** The chance to notice a change. */
export const GeoPower = Schema.Struct({
  power_one_run: share("Chance that one run shows a rise of 10 points, significantly"),
  power_told: share("Chance that the two runs show it which `geo_score.changed` needs")
}).annotations({
  identifier: "GeoPower",
  description: "The chance to notice that ten answers in a hundred more cite the site"
})

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

const countField = (description: string) => Schema.NonNegativeInt.annotations({ description })

/** How often a prompt is asked. */
const Repeats = Schema.Int.pipe(Schema.between(1, 10, { message: () => "must be an integer from 1 to 10" }))

/** Some engines, each once. */
const SomeEngines = Schema.Array(Engine).pipe(
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
  planned: countField("Questions in all: prompts × engines × repeats"),
  answered: countField("Questions that were answered so far"),
  errors: countField("Questions that ended without an answer so far"),
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
const terms = {
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
  calls: countField("Questions that it would ask"),
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

export const ScheduleId = Uuid.pipe(Schema.brand("GeoScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** Recurring runs of AI visibility. */
export const GeoSchedule = Schema.Struct({
  id: ScheduleId.annotations({ description: "UUID of the schedule" }),
  project_id: ProjectId.annotations({ description: "UUID of the project whose prompts it asks" }),
  every: Every,
  engines: Schema.Array(Engine).annotations({ description: "Engines that its runs ask" }),
  repeats: Schema.Int.annotations({ description: "How often each engine is asked each prompt" }),
  ...course(
    Schema.NullOr(RunId).annotations({
      description: "UUID of the run that it started last; null before the first, and when that was removed"
    })
  )
}).annotations({ identifier: "GeoSchedule", description: "Recurring runs of AI visibility" })
export type GeoSchedule = typeof GeoSchedule.Type

/** The fields of a new schedule: an interval, and the terms of its runs. */
export const NewSchedule = Schema.Struct({ every: Every, ...terms }).annotations({
  identifier: "NewGeoSchedule",
  description: "The interval, and whom each run asks how often"
})
export type NewSchedule = typeof NewSchedule.Type

const optional = { exact: true } as const

/** Fields that are not sent stay as they are. */
export const PatchSchedule = Schema.Struct({
  every: Schema.optionalWith(Every, optional),
  engines: Schema.optionalWith(SomeEngines, optional).annotations({ description: "Engines to ask, each once" }),
  repeats: Schema.optionalWith(Repeats, optional).annotations({
    description: "How often each is asked each prompt, 1 to 10"
  })
}).annotations({ identifier: "PatchGeoSchedule", description: "The changes; absent fields stay as they are" })
export type PatchSchedule = typeof PatchSchedule.Type

const nothing = { default: () => null }

/** Counts fit into the columns of the database. */
const Counted = (description: string) =>
  Schema.optionalWith(
    Schema.NullOr(Schema.Int.pipe(Schema.between(0, 2_147_483_647, { message: () => "must be a count" }))),
    nothing
  ).annotations({ description })

/**
 * A measurement of what one AI engine says of the brand, in points: sentiment −100 to 100, citation rate in per cent of the answers. `answers` and `cited`
 * are the counts that it is of, where they are known.
 */
export const VisibilityReading = Schema.Struct({
  engine: Text(200).annotations({ description: "Name of the engine, 1 to 200 characters" }),
  sentiment: Schema.optionalWith(Schema.NullOr(Schema.Number.pipe(Schema.between(-100, 100))), nothing).annotations({
    description: "What the answers say of the brand, from −100 to 100; null or absent where it was not measured"
  }),
  citation_rate: Schema.optionalWith(Schema.NullOr(Schema.Number.pipe(Schema.between(0, 100))), nothing).annotations({
    description:
      "Per cent of the answers that cite the site; null or absent where it was not measured, or to be taken from the counts"
  }),
  answers: Counted("Answers that the rate is of; null or absent where they were not counted"),
  cited: Counted("Those of them that cite the site; null or absent where they were not counted")
}).annotations({ identifier: "GeoReading", description: "What was measured of one AI engine" })
export type VisibilityReading = typeof VisibilityReading.Type

/** A measured value, by the name of the event's metric. */
export const VisibilityMetric = Schema.Literal("sentiment", "citation_rate")
export type VisibilityMetric = typeof VisibilityMetric.Type

/** What an import of readings brought. */
export const GeoImport = Schema.Struct({
  taken_at: field(Timestamp, "When it was measured"),
  readings: Schema.Int.annotations({ description: "Engines that were measured" }),
  changed: Schema.Array(
    Schema.Struct({
      engine: Schema.String.annotations({ description: "Name of the engine" }),
      metric: VisibilityMetric.annotations({ description: "What moved" }),
      delta: Finite.annotations({ description: "By how many points" })
    }).annotations({ identifier: "GeoImportChange", description: "A metric that moved" })
  ).annotations({ description: "Metrics that moved by 5 points or more; each is a `geo_score.changed`" })
}).annotations({ identifier: "GeoImport", description: "What an import of readings brought" })
