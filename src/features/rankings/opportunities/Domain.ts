import * as Schema from "effect/Schema"
import { Count, field } from "../../../foundation/schema/Scalars.ts"
import { IsoDate } from "../Domain.ts"

const described = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) => schema.annotations({ description })

/** The kind of opportunity in a list. */
export const Kind = Schema.Literal("striking_distance", "low_ctr", "decay", "cannibalisation").annotations({
  identifier: "OpportunityKind",
  description:
    "`striking_distance`: queries at positions 4 to 20; `low_ctr`: queries with a lower CTR than the site usually gets at their position; `decay`: pages with fewer clicks than before; `cannibalisation`: queries for which Google alternates between several pages"
})
export type Kind = typeof Kind.Type

/** The devices with lists. */
export const Device = Schema.Literal("DESKTOP", "MOBILE", "TABLET")
export type Device = typeof Device.Type

const Clicks = Schema.Number.pipe(Schema.finite())
const Rate = Schema.Number.pipe(Schema.between(0, 1))
const Position = Schema.NullOr(Schema.Number.pipe(Schema.finite(), Schema.greaterThanOrEqualTo(1)))

const measured = {
  impressions: described(Count, "impressions in the period"),
  clicks: described(Count, "clicks in the period"),
  ctr: described(Rate, "clicks / impressions, from 0 to 1"),
  position: described(Position, "mean position weighted by impressions; null without impressions")
}

const tested = {
  p_value: described(Rate, "p-value: probability of a value this extreme by chance"),
  q_value: described(Rate, "p-value adjusted for multiple tests (Benjamini–Hochberg); at most 0.05 when significant")
}

const Interval = Schema.Struct({
  low: described(Rate, "2.5 % quantile"),
  high: described(Rate, "97.5 % quantile")
}).annotations({ identifier: "CtrInterval", description: "95 % interval of a CTR" })

const StrikingDistance = Schema.Struct({
  target_position: described(Schema.Literal(3), "the position that the gain is for"),
  target_ctr: field(Interval, "95% interval of the site's own CTR at that position")
}).annotations({ identifier: "StrikingDistanceEvidence", description: "Basis of the gain from a better position" })

const LowCtr = Schema.Struct({
  expected_ctr: described(Rate, "the site's usual CTR at this position, without this row"),
  expected_clicks: described(Clicks, "impressions × expected_ctr"),
  ...tested
}).annotations({ identifier: "LowCtrEvidence", description: "Expected CTR and clicks at this position" })

const YearAgo = Schema.Struct({
  before: described(Count, "clicks of the page in the previous period one year (364 days) earlier"),
  after: described(Count, "clicks of the page in the current period one year earlier"),
  property_before: described(Count, "the same for the whole site"),
  property_after: described(Count, "the same for the whole site"),
  season: described(
    Schema.Boolean,
    "true: the site dropped the same way a year ago, and the page is compared with that drop; false: information only"
  )
}).annotations({ identifier: "ClicksYearAgo", description: "Clicks of page and site one year earlier" })

const Window = Schema.Struct(measured).annotations({
  identifier: "WindowTotals",
  description: "Metrics of a page in a period"
})

const Parts = Schema.Struct({
  demand: described(Clicks, "clicks lost or gained through impressions"),
  position: described(Clicks, "clicks lost or gained through position, by the CTR curve"),
  ctr: described(Clicks, "the rest: clicks lost or gained through CTR at the same position")
}).annotations({ identifier: "ClickChangeParts", description: "Why clicks changed; the parts add up to the change" })

const Decay = Schema.Struct({
  before: field(Window, "the page in the previous period"),
  parts: field(Parts, "why clicks changed; the parts add up to the change"),
  year_ago: Schema.NullOr(YearAgo).annotations({ description: "null when those days have no data" }),
  ...tested
}).annotations({ identifier: "DecayEvidence", description: "Previous metrics of a page, and why its clicks fell" })

const Rival = Schema.Struct({
  page_path: described(Schema.String, "path and query string"),
  ...measured,
  share: described(Rate, "of the query's impressions"),
  days_first: described(Count, "days on which this page had the most impressions for the query")
}).annotations({ identifier: "OpportunityRival", description: "A page that is shown for the query" })

const Cannibalisation = Schema.Struct({
  pages: Schema.Array(Rival).annotations({
    description: "pages with at least 10% of the impressions and at least 10 impressions, most shown first"
  })
}).annotations({ identifier: "CannibalisationEvidence", description: "The pages that Google alternates between" })

const Gain = Schema.Struct({
  clicks_low: described(Clicks, "lower end of the 95% interval"),
  clicks_high: described(Clicks, "upper end of the 95% interval")
}).annotations({ identifier: "OpportunityGain", description: "Clicks in 28 days that could be gained" })

const Evidence = Schema.Union(StrikingDistance, LowCtr, Decay, Cannibalisation).annotations({
  identifier: "OpportunityEvidence",
  description: "Basis of the gain, by kind"
})

/** A possible gain in the search results, with its evidence. */
export const Opportunity = Schema.Struct({
  kind: field(Kind, "the requested kind"),
  query: described(Schema.NullOr(Schema.String), "the search query; null for `decay`, which is about pages"),
  page_path: described(
    Schema.String,
    "path and query string; for `cannibalisation` the page with the most impressions"
  ),
  ...measured,
  gain: field(Gain, "clicks in 28 days that could be gained; for `decay` clicks lost"),
  significant: described(
    Schema.Boolean,
    "whether chance alone is an unlikely reason; always true for kinds that are not tested, `striking_distance` and `cannibalisation`"
  ),
  evidence: field(Evidence, "basis of the gain, by kind")
}).annotations({
  identifier: "Opportunity",
  description: "A chance to gain clicks, with the numbers behind it"
})

const Days = Schema.Struct({
  start: described(IsoDate, "the first day"),
  end: described(IsoDate, "the last day")
}).annotations({ identifier: "DayRange", description: "A range of days, both included" })

/** The windows that lists compare. */
export const OpportunityWindows = Schema.Struct({
  current: field(Days, "the latest 28 days"),
  previous: field(Days, "the 28 days before")
}).annotations({ identifier: "OpportunityWindows", description: "The periods that lists compare" })

/** A list that could not be computed, with the reason. */
export const NotAssessed = Schema.Struct({
  kind: Schema.Literal(...Kind.literals, "ctr_curve").annotations({ description: "the kind without enough data" }),
  reason: Schema.Literal("missing_days", "history_too_short").annotations({
    description: "days in the periods are missing (for that device), or the data start too late"
  }),
  needed_days: described(Count, "consecutive days of data needed, up to the latest day")
}).annotations({ identifier: "NotAssessed", description: "A list without enough data" })

/** A point of a click curve. */
export const CurvePoint = Schema.Struct({
  device: described(Schema.NullOr(Device), "null: all devices"),
  brand: described(Schema.Boolean, "whether the queries contain a brand term"),
  position: described(Schema.Int.pipe(Schema.between(1, 20)), "the position, rounded"),
  rows: described(Count, "queries on pages at this position"),
  impressions: described(Count, "their impressions"),
  clicks: described(Count, "their clicks"),
  ctr: described(Rate, "smoothed CTR, which falls with the position"),
  low: described(Rate, "2.5 % quantile"),
  high: described(Rate, "97.5 % quantile")
}).annotations({ identifier: "CurvePoint", description: "A point of a CTR curve" })
