import * as Schema from "effect/Schema"
import { field } from "../../../../foundation/schema/Field.ts"
import { CallId, Citation, Engine, Outcome, PromptId, RunId } from "../Domain.ts"
import { reasons } from "../statistics/Comparison.ts"

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
