import * as Schema from "effect/Schema"
import { type HealthState, IndexabilityState } from "../../crawl/report/MeasuredPage.ts"
import { field, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { RunId } from "../sitehealth/Domain.ts"

export const InspectionId = Uuid.pipe(Schema.brand("InspectionId"))
export type InspectionId = typeof InspectionId.Type

/** States of pages that a run offers for inspection. */
export const offered = ["eligible", "hidden"] as const satisfies ReadonlyArray<HealthState>

/** Why Google was not able to say anything of a URL. */
export const InspectionError = Schema.Struct({
  code: Schema.Literal(
    "not_connected",
    "unauthorised",
    "forbidden",
    "refused",
    "unavailable",
    "failed",
    "worker_lost"
  ).annotations({
    description:
      "`not_connected`: the project has no source any more; `unauthorised`: Google refuses the credentials; `forbidden`: they have no access to the property; `refused`: Google refuses the request; `unavailable`: it did not answer, also when asked again; `failed`: a fault of the server; `worker_lost`: its worker died"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, for people" })
}).annotations({ identifier: "InspectionError", description: "Why Google said nothing of a URL" })
export type InspectionError = typeof InspectionError.Type

const text = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** What Google says of a URL, beside what the crawl says. */
export const Inspection = Schema.Struct({
  id: InspectionId.annotations({ description: "UUID of the inspection, the same for a URL of a project" }),
  url: Schema.String.annotations({ description: "URL that is inspected" }),
  status: Schema.Literal("queued", "done", "failed").annotations({
    description: "`queued` waits for Google's answer, and shows the last one until then"
  }),
  verdict: text(
    "Google's verdict: `PASS`, `FAIL`, `NEUTRAL`, `PARTIAL` or `VERDICT_UNSPECIFIED`; null before an answer"
  ),
  coverage_state: text("Why, in Google's words, such as `Submitted and indexed`"),
  indexing_state: text("Whether the page allows indexing, as Google says it, such as `INDEXING_ALLOWED`"),
  google_canonical: text("Canonical that Google chose"),
  user_canonical: text("Canonical that the page declared when Google crawled it"),
  last_crawl_at: Schema.NullOr(Timestamp).annotations({ description: "When Google crawled it last" }),
  inspected_at: Schema.NullOr(Timestamp).annotations({
    description: "When Google gave this answer; null before the first"
  }),
  changed_at: Schema.NullOr(Timestamp).annotations({
    description:
      "When an answer last differed from the one before in verdict, coverage, indexing or canonicals; null before the second"
  }),
  run_id: Schema.NullOr(RunId).annotations({
    description: "Newest run that had fetched the URL when it was queued; null without one"
  }),
  indexability_state: Schema.NullOr(IndexabilityState).annotations({ description: "What that run said of it" }),
  agrees: Schema.NullOr(Schema.Boolean).annotations({
    description:
      "Whether Google and the run agree: `PASS` where it is `indexable`, another verdict where it is not. Null without a run, or unless the verdict is PASS, FAIL or NEUTRAL"
  }),
  error: Schema.NullOr(InspectionError).annotations({
    description: "Why it failed; null unless the status is `failed`"
  })
}).annotations({
  identifier: "Inspection",
  description: "What Google says of a URL, beside what the crawl says of it"
})
export type Inspection = typeof Inspection.Type

/** What was put into the queue. */
export const Queued = Schema.Struct({
  queued: Schema.NonNegativeInt.annotations({ description: "URLs that this request put into the queue" }),
  joined: Schema.NonNegativeInt.annotations({ description: "URLs that were in the queue already" }),
  position_estimate: field(
    Schema.NonNegativeInt,
    "URLs of this account that wait in front of the first of these; a property has 2,000 a day and 600 a minute, which all accounts share"
  )
}).annotations({ identifier: "QueuedInspections", description: "What was put into the queue" })
export type Queued = typeof Queued.Type
