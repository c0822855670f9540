import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Day from "../../foundation/schema/Day.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../projects/Domain.ts"

/** The id of a ranking record: the same for one site, query and page path however often it is computed. */
export const RankingId = Schema.String.pipe(
  Schema.pattern(/^kw_[0-9a-f]{32}$/),
  Schema.brand("RankingId"),
  Schema.annotations({ identifier: "RankingId" })
)
export type RankingId = typeof RankingId.Type

/** How a query moved between the two windows. */
export const RankingStatus = Schema.Literal("climbing", "dropping", "stable", "new", "lost").annotations({
  identifier: "RankingStatus"
})
export type RankingStatus = typeof RankingStatus.Type

/** A calendar day, `YYYY-MM-DD`, in the Pacific time zone of Search Console. */
export const IsoDate = Schema.String.pipe(
  Schema.filter((date) => Option.isSome(Day.parse(date)) || "a day written YYYY-MM-DD"),
  Schema.annotations({ identifier: "IsoDate", jsonSchema: { type: "string", format: "date" } })
)

/** The first and the last day of the current window. */
const Period = Schema.Struct({ start: IsoDate, end: IsoDate }).annotations({ identifier: "Period" })

const Position = Schema.Number.pipe(Schema.finite(), Schema.greaterThanOrEqualTo(1))

/** A keyword ranking record as `GET /api/v1/keywords` lists it; `position_delta` is previous − current, 0 without both. */
export const KeywordRanking = Schema.Struct({
  id: RankingId,
  site_id: ProjectId,
  query: Schema.String,
  page_path: Schema.String,
  current_position: Schema.NullOr(Position),
  previous_position: Schema.NullOr(Position),
  position_delta: Schema.Number.pipe(Schema.finite()),
  impressions: Schema.NonNegativeInt,
  clicks: Schema.NonNegativeInt,
  ctr: Schema.Number.pipe(Schema.between(0, 1)),
  ranking_status: RankingStatus,
  period: Period,
  recorded_at: Timestamp
}).annotations({ identifier: "KeywordRanking" })
export type KeywordRanking = typeof KeywordRanking.Type

const WindowCoverage = Schema.Struct({
  start: IsoDate,
  end: IsoDate,
  days_with_data: Schema.NonNegativeInt
})

/** How many days of a site's two windows have data, with warnings. */
export const Coverage = Schema.Struct({
  site_id: ProjectId,
  current: WindowCoverage,
  previous: WindowCoverage,
  warnings: Schema.Array(Schema.String)
}).annotations({ identifier: "RankingCoverage" })
export type Coverage = typeof Coverage.Type
