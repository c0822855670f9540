import * as Schema from "effect/Schema"
import { type HealthState, IndexabilityState } from "../../crawl/report/MeasuredPage.ts"
import { field, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { RunId } from "../sitehealth/Domain.ts"

export const InspectionId = Uuid.pipe(Schema.brand("InspectionId"))
export type InspectionId = typeof InspectionId.Type

/** States of pages that a run offers for inspection. */
export const offered = ["eligible", "hidden"] as const satisfies ReadonlyArray<HealthState>

/** Why Google returned no inspection of a URL. */
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
      "`not_connected`: the site is no longer connected to Search Console; `unauthorised`: Google rejects the credentials; `forbidden`: the credentials have no access to the property; `refused`: Google rejects the request; `unavailable`: Google did not respond, even after retries; `failed`: server error; `worker_lost`: the server stopped during the inspection"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, in words" })
}).annotations({ identifier: "InspectionError", description: "Why the inspection failed" })
export type InspectionError = typeof InspectionError.Type

const text = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** Google's state of a URL, beside the crawl's. */
export const Inspection = Schema.Struct({
  id: InspectionId.annotations({ description: "UUID of the inspection; it stays the same for a URL of a site" }),
  url: Schema.String.annotations({ description: "Inspected URL" }),
  status: Schema.Literal("queued", "done", "failed").annotations({
    description: "Status; while `queued`, the other fields show the last result"
  }),
  verdict: text(
    "Google's result: `PASS`, `FAIL`, `NEUTRAL`, `PARTIAL` or `VERDICT_UNSPECIFIED`; null before the first"
  ),
  coverage_state: text("Google's reason, such as `Submitted and indexed`"),
  indexing_state: text("Whether Google may index the page, such as `INDEXING_ALLOWED`"),
  google_canonical: text("Canonical URL that Google chose"),
  user_canonical: text("Canonical URL declared by the page when Google crawled it"),
  last_crawl_at: Schema.NullOr(Timestamp).annotations({ description: "When Google last crawled the URL" }),
  inspected_at: Schema.NullOr(Timestamp).annotations({
    description: "When Google returned this result; null before the first"
  }),
  changed_at: Schema.NullOr(Timestamp).annotations({
    description: "When `verdict`, coverage, indexing or canonical URLs last changed; null before the first change"
  }),
  run_id: Schema.NullOr(RunId).annotations({
    description: "Latest crawl with this URL when it was queued; null without one"
  }),
  indexability_state: Schema.NullOr(IndexabilityState).annotations({
    description: "Indexability of the URL in that crawl"
  }),
  agrees: Schema.NullOr(Schema.Boolean).annotations({
    description:
      "Whether Google and the crawl agree: `PASS` for an `indexable` page, `FAIL` or `NEUTRAL` for others. Null without a crawl, and for other results"
  }),
  error: Schema.NullOr(InspectionError).annotations({
    description: "Why it failed; null unless the status is `failed`"
  })
}).annotations({
  identifier: "Inspection",
  description: "Google's URL inspection result, next to what the crawl found"
})
export type Inspection = typeof Inspection.Type

/** The numbers of queued and waiting URLs. */
export const Queued = Schema.Struct({
  queued: Schema.NonNegativeInt.annotations({ description: "URLs that this request queued" }),
  joined: Schema.NonNegativeInt.annotations({ description: "URLs that were already queued" }),
  position_estimate: field(
    Schema.NonNegativeInt,
    "URLs of this account that are queued ahead of these. Google allows 2,000 URLs per property and day, and 600 per minute, shared by all accounts"
  )
}).annotations({ identifier: "QueuedInspections", description: "Numbers of queued URLs" })
export type Queued = typeof Queued.Type
