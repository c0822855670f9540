import * as Schema from "effect/Schema"
import { Count, field } from "../../../foundation/schema/Scalars.ts"
import { IsoDate } from "../Domain.ts"

const described = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) => schema.annotations({ description })

/** What kind of opportunity a list has. */
export const Kind = Schema.Literal("striking_distance", "low_ctr", "decay", "cannibalisation").annotations({
  identifier: "OpportunityKind",
  description:
    "`striking_distance`: queries on pages from position 4 to 20; `low_ctr`: clicked more seldom than others at their position; `decay`: pages that lost clicks; `cannibalisation`: queries whose first page changes between several"
})
export type Kind = typeof Kind.Type

/** The devices that lists are made for. */
export const Device = Schema.Literal("DESKTOP", "MOBILE", "TABLET")
export type Device = typeof Device.Type

const Clicks = Schema.Number.pipe(Schema.finite())
const Rate = Schema.Number.pipe(Schema.between(0, 1))
const Position = Schema.NullOr(Schema.Number.pipe(Schema.finite(), Schema.greaterThanOrEqualTo(1)))

const measured = {
  impressions: described(Count, "impressions of the window"),
  clicks: described(Count, "clicks of the window"),
  ctr: described(Rate, "clicks / impressions, from 0 to 1"),
  position: described(Position, "mean position weighted by impressions; null without impressions")
}

const tested = {
  p_value: described(Rate, "chance of a value as far or further if nothing were wrong"),
  q_value: described(Rate, "the same after Benjamini and Hochberg, over all rows of the list's filters; at most 0.05")
}

const Interval = Schema.Struct({
  low: described(Rate, "2.5 % quantile"),
  high: described(Rate, "97.5 % quantile")
}).annotations({ identifier: "CtrInterval", description: "95 % interval of a CTR" })

const StrikingDistance = Schema.Struct({
  target_position: described(Schema.Literal(3), "the place that the gain is for"),
  target_ctr: field(Interval, "95 % interval of the property's own CTR at that place")
}).annotations({ identifier: "StrikingDistanceEvidence", description: "What the gain of a better place rests on" })

const LowCtr = Schema.Struct({
  expected_ctr: described(Rate, "the property's own curve at the position, without the row"),
  expected_clicks: described(Clicks, "impressions × expected_ctr"),
  ...tested
}).annotations({ identifier: "LowCtrEvidence", description: "What was to be expected at the position" })

const YearAgo = Schema.Struct({
  before: described(Count, "clicks of the page in the previous window, a year (364 days) earlier"),
  after: described(Count, "clicks of the page in the current window, a year earlier"),
  property_before: described(Count, "the same for the whole property"),
  property_after: described(Count, "the same for the whole property"),
  season: described(
    Schema.Boolean,
    "true: the property fell now as it fell then, and the page is compared with that fall; false: evidence only"
  )
}).annotations({ identifier: "ClicksYearAgo", description: "Clicks of page and property a year earlier" })

const Window = Schema.Struct(measured).annotations({
  identifier: "WindowTotals",
  description: "What a page had in a window"
})

const Parts = Schema.Struct({
  demand: described(Clicks, "clicks by fewer or more impressions"),
  position: described(Clicks, "clicks by another position, as the curve has it"),
  ctr: described(Clicks, "the rest: clicked more or less often at the same position")
}).annotations({ identifier: "ClickChangeParts", description: "Why clicks changed; the parts add up to the change" })

const Decay = Schema.Struct({
  before: field(Window, "the page in the previous window"),
  parts: field(Parts, "why clicks changed; the parts add up to the change"),
  year_ago: Schema.NullOr(YearAgo).annotations({ description: "null where days of then are not known" }),
  ...tested
}).annotations({ identifier: "DecayEvidence", description: "What a page had before, and why it lost clicks" })

const Rival = Schema.Struct({
  page_path: described(Schema.String, "path and query string"),
  ...measured,
  share: described(Rate, "of the query's impressions"),
  days_first: described(Count, "days on which this page had the most impressions of the query")
}).annotations({ identifier: "OpportunityRival", description: "A page that is shown for the query" })

const Cannibalisation = Schema.Struct({
  pages: Schema.Array(Rival).annotations({
    description: "pages with a tenth of the impressions, and ten, the most shown first"
  })
}).annotations({ identifier: "CannibalisationEvidence", description: "The pages that are shown in turn" })

const Gain = Schema.Struct({
  clicks_low: described(Clicks, "at least, by the 95 % interval"),
  clicks_high: described(Clicks, "at most, by the 95 % interval")
}).annotations({ identifier: "OpportunityGain", description: "Clicks in 28 days that could be gained" })

const Evidence = Schema.Union(StrikingDistance, LowCtr, Decay, Cannibalisation).annotations({
  identifier: "OpportunityEvidence",
  description: "What the gain rests on, by kind"
})

/** What could be gained at a place of the search results, with the evidence for it. */
export const Opportunity = Schema.Struct({
  kind: field(Kind, "the kind that was asked for"),
  query: described(Schema.NullOr(Schema.String), "the search query; null for `decay`, which is about pages"),
  page_path: described(
    Schema.String,
    "path and query string; for `cannibalisation` the page with the most impressions"
  ),
  ...measured,
  gain: field(Gain, "clicks in 28 days that could be gained; for `decay` clicks lost"),
  evidence: field(Evidence, "what the gain rests on, by kind")
}).annotations({
  identifier: "Opportunity",
  description: "What could be gained at a place of the search results, with the evidence for it"
})

const Days = Schema.Struct({
  start: described(IsoDate, "the first day"),
  end: described(IsoDate, "the last day")
}).annotations({ identifier: "DayRange", description: "A range of days, both included" })

/** The windows that lists compare. */
export const OpportunityWindows = Schema.Struct({
  current: field(Days, "the newest 28 days"),
  previous: field(Days, "the 28 days before")
}).annotations({ identifier: "OpportunityWindows", description: "The windows that lists compare" })

/** A list that could not be made. */
export const NotAssessed = Schema.Struct({
  kind: Schema.Literal(...Kind.literals, "ctr_curve").annotations({ description: "what could not be made" }),
  reason: Schema.Literal("missing_days", "history_too_short").annotations({
    description: "days within the windows were not imported (with that device), or all known days are younger"
  }),
  needed_days: described(Count, "days that end at the newest one and must all be known")
}).annotations({ identifier: "NotAssessed", description: "A list that could not be made" })

/** A point of a click curve. */
export const CurvePoint = Schema.Struct({
  device: described(Schema.NullOr(Device), "null: all devices"),
  brand: described(Schema.Boolean, "whether the queries contain a brand term"),
  position: described(Schema.Int.pipe(Schema.between(1, 20)), "the position, rounded"),
  rows: described(Count, "queries on pages at this position"),
  impressions: described(Count, "their impressions"),
  clicks: described(Count, "their clicks"),
  ctr: described(Rate, "the curve: CTR drawn towards the law of the cell, and falling by position"),
  low: described(Rate, "2.5 % quantile"),
  high: described(Rate, "97.5 % quantile")
}).annotations({ identifier: "CurvePoint", description: "A point of a click curve" })
