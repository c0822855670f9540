import * as Schema from "effect/Schema"
import { Finite, field, Text, Uuid } from "../../foundation/schema/Scalars.ts"
import { Every, Timestamp } from "../../foundation/schema/Time.ts"
import { ProjectId } from "../projects/Domain.ts"
import { course } from "../projects/Schedule.ts"
import { reasons } from "./Statistics.ts"

/** The supported AI engines. */
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
  url: Schema.String.annotations({ description: "URL from the engine, without `utm_source`" }),
  title: Schema.NullOr(Schema.String).annotations({ description: "Title from the engine; null without one" })
}).annotations({ identifier: "GeoCitation", description: "A page that an answer cites" })
export type Citation = typeof Citation.Type

/** Outcomes of an answer for the site; the first three need a web search of the engine. */
const outcomes = ["cited", "mentioned", "absent", "not_searched", "refused", "error"] as const
export const Outcome = Schema.Literal(...outcomes).annotations({
  message: () => ({ message: `must be one of ${outcomes.join(", ")}`, override: true })
})
export type Outcome = typeof Outcome.Type

/** Maximum prompts of a site. */
export const promptsAtMost = 200

/** A language, with or without a region. */
const Locale = Schema.String.pipe(
  Schema.pattern(/^[a-z]{2,3}(?:-[A-Z]{2})?$/, {
    message: () => "must be a language code, with or without a region, such as en or de-AT"
  })
)

/** A question of a site for AI engines. */
export const Prompt = Schema.Struct({
  id: PromptId.annotations({ description: "UUID of the prompt" }),
  text: Schema.String.annotations({ description: "Text of the prompt" }),
  locale: Schema.String.annotations({
    description: "Language, with or without a region; with `de-AT`, engines that support it search from Austria"
  }),
  created_at: field(Timestamp, "When it was created")
}).annotations({ identifier: "GeoPrompt", description: "A prompt for AI assistants" })
export type Prompt = typeof Prompt.Type

/** The fields of a new prompt. */
export const NewPrompt = Schema.Struct({
  text: Text(1000).annotations({ description: "Text of the prompt, 1 to 1,000 characters" }),
  locale: Schema.optionalWith(Locale, { default: () => "en-US", exact: true }).annotations({
    description: "Language, with or without a region; `en-US` by default"
  })
}).annotations({ identifier: "NewGeoPrompt", description: "The prompt" })
export type NewPrompt = typeof NewPrompt.Type

const count = (description: string) => Schema.NonNegativeInt.annotations({ description })
const share = (description: string) => Schema.Number.annotations({ description })
const interval = (description: string) => Schema.Tuple(Schema.Number, Schema.Number).annotations({ description })

const Rate = Schema.Struct({
  rate: share("Share of the answers, from 0 to 1"),
  interval: interval("95% interval, clustered by prompt because answers to one prompt are similar")
}).annotations({ identifier: "GeoRate", description: "A share of answers" })

const Comparison = Schema.Struct({
  delta: Schema.NullOr(Schema.Number).annotations({
    description: "Mean change of the citation rate over prompts; null when fewer than two prompts can be compared"
  }),
  interval: Schema.NullOr(Schema.Tuple(Schema.Number, Schema.Number)).annotations({
    description: "95% interval of `delta`; null without one"
  }),
  p_value: Schema.NullOr(Schema.Number).annotations({
    description: "p-value of a paired t-test over the prompts answered in both runs; null without `delta`"
  }),
  comparable: Schema.Boolean.annotations({
    description: "Whether the two runs are comparable: `reasons` is empty"
  }),
  reasons: Schema.Array(
    Schema.Literal(...reasons).annotations({
      description:
        "`other_engine`: the other run did not use this engine; `other_model`: another model answered; `other_prompts`, `other_tool`: another set of prompts, or version of the search tool; `too_few_prompts`: fewer than 20 prompts in common; `too_few_answers`: less than 90% of a run's prompts were answered"
    })
  ).annotations({ description: "Why the runs are not comparable" })
}).annotations({ identifier: "GeoComparison", description: "Comparison of one engine in two runs" })

/** The visibility of a site in the answers of one engine. */
export const Visible = Schema.Struct({
  engine: Engine.annotations({ description: "The engine" }),
  model: Schema.NullOr(Schema.String).annotations({
    description: "Model that gave most of the answers; null without an answer"
  }),
  prompts: count("Number of prompts"),
  answers: count("Answers behind the rates: the engine searched the web and did not refuse"),
  searched_rate: Schema.NullOr(Schema.Number).annotations({
    description: "Share of answers with a web search, without refusals; null without answers"
  }),
  cited: Schema.NullOr(Rate).annotations({
    description: "Citation rate: answers that cite the site; null without answers"
  }),
  mentioned: Schema.NullOr(Rate).annotations({
    description:
      "Mention rate: answers that name the brand, for prompts that do not name it; null without such answers or without `brand_terms`"
  }),
  errors: count("Prompts without an answer"),
  comparison: Schema.NullOr(Comparison).annotations({
    description: "Change from the run in `compare`; null without it"
  })
}).annotations({ identifier: "GeoVisibility", description: "AI visibility of a site in one engine" })
export type Visible = typeof Visible.Type

/** The visibility of a site in one finished run. */
export const PastRun = Schema.Struct({
  run_id: RunId.annotations({ description: "UUID of the run" }),
  finished_at: field(Timestamp, "When it finished"),
  engines: Schema.Array(Visible).annotations({
    description: "Rates of each engine, without a comparison, in the order of the run"
  })
}).annotations({ identifier: "GeoPastRun", description: "AI visibility of a site in one finished run" })
export type PastRun = typeof PastRun.Type

/** The answer of an engine to a prompt. */
export const GeoAnswer = Schema.Struct({
  id: CallId.annotations({ description: "UUID of the answer" }),
  run_id: RunId.annotations({ description: "UUID of its run" }),
  prompt_id: PromptId.annotations({ description: "UUID of its prompt, which may be deleted" }),
  engine: Engine.annotations({ description: "The engine" }),
  model: Schema.String.annotations({ description: "Model that answered, or that Findable asked" }),
  repeat: Schema.Int.annotations({ description: "Number of the repeat in the run, from 1" }),
  outcome: field(
    Outcome,
    "`cited`: the answer cites the site or a subdomain; `mentioned`: it does not, but names the brand; `absent`: neither. Otherwise `not_searched`, `refused` or `error`"
  ),
  searched: Schema.Boolean.annotations({ description: "Whether the engine searched the web" }),
  text: Schema.NullOr(Schema.String).annotations({ description: "Text of the answer; null without one" }),
  citations: Schema.Array(Citation).annotations({
    description: "Cited pages, each once, in the order of the text"
  }),
  cost_usd: Schema.Number.annotations({ description: "Cost in US dollars" }),
  cost_exact: Schema.Boolean.annotations({
    description:
      "Whether the engine reported the cost; otherwise computed from its token counts and the model's price, or the reserved price"
  }),
  error: Schema.NullOr(
    Schema.Struct({
      code: Schema.String.annotations({
        description:
          "`interrupted`, `credentials`, `quota`, `rate_limited`, `invalid_request`, `unavailable`, `invalid_answer`, `incomplete`, `search_failed`"
      }),
      message: Schema.String.annotations({ description: "One sentence for people" })
    }).annotations({ identifier: "GeoAnswerError", description: "Why there is no answer" })
  ).annotations({ description: "Why there is no answer; null unless `outcome` is `error`" })
}).annotations({ identifier: "GeoAnswer", description: "The answer of an engine to a prompt" })
export type GeoAnswer = typeof GeoAnswer.Type

/** A host that answers cite. */
export const CitedDomain = Schema.Struct({
  domain: Schema.String.annotations({ description: "Host, without `www.`" }),
  own: Schema.Boolean.annotations({ description: "Whether it is the site's host or a subdomain" }),
  answers: count("Number of answers that cite it"),
  instead: count("Number of answers that cite it and do not cite the site"),
  rate: share("Share of the run's answers that cite it, from 0 to 1")
}).annotations({ identifier: "GeoDomain", description: "A host that answers cite" })

/** The power to detect a change. */
export const GeoPower = Schema.Struct({
  power_one_run: share("Power of one run to detect a 10-point rise"),
  power_told: share("Power of two runs in a row, which `geo_score.changed` needs")
}).annotations({
  identifier: "GeoPower",
  description: "Statistical power to detect a 10-point rise of the citation rate"
})

/** Why a run asked fewer questions than planned, or got no answer. */
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

/** Repetitions of each prompt. */
const Repeats = Schema.Int.pipe(Schema.between(1, 10, { message: () => "must be an integer from 1 to 10" }))

/** Distinct engines. */
const SomeEngines = Schema.Array(Engine).pipe(
  Schema.minItems(1, { message: () => "must name at least one engine" }),
  Schema.maxItems(engines.length, { message: () => `must name at most ${engines.length} engines` }),
  Schema.filter((named) => new Set(named).size === named.length, { message: () => "must name each engine once" })
)

/** A round of questions to AI engines. */
export const GeoRun = Schema.Struct({
  id: RunId.annotations({ description: "UUID of the crawl" }),
  status: Schema.Literal("queued", "running", "completed", "partial", "failed").annotations({
    description: "`completed`: every prompt was sent; `partial`: some were not, see `reason`; `failed`: no answers"
  }),
  engines: Schema.Array(Engine).annotations({ description: "Engines of the run" }),
  repeats: Schema.Int.annotations({ description: "Repeats of each prompt per engine" }),
  planned: countField("Number of calls: prompts × engines × repeats"),
  answered: countField("Answers so far"),
  errors: countField("Prompts without an answer so far"),
  cost_usd: Schema.Number.annotations({
    description: "Cost so far in US dollars, including calls in progress at their maximum price"
  }),
  reason: Schema.NullOr(Reason).annotations({
    description:
      "Why it is `partial` or `failed`: `budget`: the daily budget is used up; `quota`: the quota at an engine is used up; `credentials`: an engine rejects its API key; `unavailable`: an engine did not respond; `no_answers`: every call failed; `not_configured`: an engine has no key or price any more; `worker_lost`: the server stopped during the run; `failed`: server error. Otherwise null"
  }),
  created_at: field(Timestamp, "When it was created"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it finished; null before that" })
}).annotations({ identifier: "GeoRun", description: "An AI visibility run" })
export type GeoRun = typeof GeoRun.Type

/** Prompts, engines and repetitions of a run. */
const terms = {
  engines: field(SomeEngines, "Engines, each once"),
  repeats: Schema.optionalWith(Repeats, { default: () => 5, exact: true }).annotations({
    description: "Repeats of each prompt per engine, 1 to 10; 5 by default"
  })
}

export const StartGeoRun = Schema.Struct({
  ...terms,
  dry_run: Schema.optionalWith(Schema.Boolean, { default: () => false, exact: true }).annotations({
    description: "True: returns the cost estimate and starts nothing"
  })
}).annotations({ identifier: "StartGeoRun", description: "Engines and repeats" })
export type StartGeoRun = typeof StartGeoRun.Type

/** The estimated cost of a run. */
export const Estimate = Schema.Struct({
  calls: countField("Number of calls"),
  price: field(
    Schema.Struct({
      low_usd: Schema.Number.annotations({ description: "Low estimate: one search and a short answer per call" }),
      high_usd: Schema.Number.annotations({
        description: "High estimate: the maximum price of every call"
      })
    }).annotations({ identifier: "GeoPrice", description: "A range of US dollars" }),
    "Low and high cost estimate"
  ),
  budget_left_usd: Schema.Number.annotations({
    description: "Daily budget left on the server (UTC day); 0 when none is set"
  })
}).annotations({ identifier: "GeoEstimate", description: "Cost estimate of a run" })
export type Estimate = typeof Estimate.Type

export const ScheduleId = Uuid.pipe(Schema.brand("GeoScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** Recurring runs of AI visibility. */
export const GeoSchedule = Schema.Struct({
  id: ScheduleId.annotations({ description: "UUID of the schedule" }),
  project_id: ProjectId.annotations({ description: "UUID of the site with the prompts" }),
  every: Every,
  engines: Schema.Array(Engine).annotations({ description: "Engines of its runs" }),
  repeats: Schema.Int.annotations({ description: "Repeats of each prompt per engine" }),
  ...course(
    Schema.NullOr(RunId).annotations({
      description: "UUID of the last run that it started; null before the first, and when that run was deleted"
    })
  )
}).annotations({ identifier: "GeoSchedule", description: "Recurring AI visibility runs" })
export type GeoSchedule = typeof GeoSchedule.Type

/** The fields of a new schedule: an interval, and the terms of its runs. */
export const NewSchedule = Schema.Struct({ every: Every, ...terms }).annotations({
  identifier: "NewGeoSchedule",
  description: "The interval, engines and repeats"
})
export type NewSchedule = typeof NewSchedule.Type

const optional = { exact: true } as const

/** Absent fields stay. */
export const PatchSchedule = Schema.Struct({
  every: Schema.optionalWith(Every, optional),
  engines: Schema.optionalWith(SomeEngines, optional).annotations({ description: "Engines, each once" }),
  repeats: Schema.optionalWith(Repeats, optional).annotations({
    description: "Repeats of each prompt per engine, 1 to 10"
  })
}).annotations({
  identifier: "PatchGeoSchedule",
  description: "Fields to change; fields that you leave out stay the same"
})
export type PatchSchedule = typeof PatchSchedule.Type

const nothing = { default: () => null }

/** Counts fit into the columns of the database. */
const Counted = (description: string) =>
  Schema.optionalWith(
    Schema.NullOr(Schema.Int.pipe(Schema.between(0, 2_147_483_647, { message: () => "must be a count" }))),
    nothing
  ).annotations({ description })

/**
 * A measurement of one AI engine's answers about the brand, in points: sentiment −100 to 100, citation rate in percent of the answers. `answers` and `cited`
 * are the counts, if known.
 */
export const VisibilityReading = Schema.Struct({
  engine: Text(200).annotations({ description: "Name of the engine, 1 to 200 characters" }),
  sentiment: Schema.optionalWith(Schema.NullOr(Schema.Number.pipe(Schema.between(-100, 100))), nothing).annotations({
    description: "Brand sentiment of the answers, −100 to 100; null or absent when not measured"
  }),
  citation_rate: Schema.optionalWith(Schema.NullOr(Schema.Number.pipe(Schema.between(0, 100))), nothing).annotations({
    description: "Citation rate in percent; null or absent when not measured, or to be computed from the counts"
  }),
  answers: Counted("Number of answers; null or absent when not counted"),
  cited: Counted("Answers that cite the site; null or absent when not counted")
}).annotations({ identifier: "GeoReading", description: "Measurements of one AI engine" })
export type VisibilityReading = typeof VisibilityReading.Type

/** A measured value, by the name of the event's metric. */
export const VisibilityMetric = Schema.Literal("sentiment", "citation_rate")
export type VisibilityMetric = typeof VisibilityMetric.Type

/** The result of importing readings. */
export const GeoImport = Schema.Struct({
  taken_at: field(Timestamp, "Time of the measurement"),
  readings: Schema.Int.annotations({ description: "Number of engines" }),
  changed: Schema.Array(
    Schema.Struct({
      engine: Schema.String.annotations({ description: "Name of the engine" }),
      metric: VisibilityMetric.annotations({ description: "The metric that changed" }),
      delta: Finite.annotations({ description: "Change in points" })
    }).annotations({ identifier: "GeoImportChange", description: "A metric that changed" })
  ).annotations({ description: "Metrics that changed by 5 points or more; each sends a `geo_score.changed`" })
}).annotations({ identifier: "GeoImport", description: "Result of an import of measurements" })
