import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Day from "../../foundation/schema/Day.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { field, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { ProjectId } from "../projects/Domain.ts"

/** The id of a ranking record. Site, query and page path determine the id, so a new computation keeps it. */
export const RankingId = Schema.String.pipe(
  Schema.pattern(/^kw_[0-9a-f]{32}$/),
  Schema.brand("RankingId"),
  Schema.annotations({ identifier: "RankingId", description: "Id of a ranking record" })
)
export type RankingId = typeof RankingId.Type

/** How a query moved between the two windows. */
export const RankingStatus = Schema.Literal("climbing", "dropping", "stable", "new", "lost").annotations({
  identifier: "RankingStatus",
  description:
    "Position change between the two periods: gained or lost a whole position or more (`climbing`, `dropping`), changed less (`stable`), not ranked before (`new`) or no longer ranked (`lost`)"
})
export type RankingStatus = typeof RankingStatus.Type

const Records = Schema.NonNegativeInt

/** How many records of a list have each status. */
export const StatusCounts = Schema.Struct({
  climbing: Records.annotations({ description: "Rankings that gained a whole position or more" }),
  dropping: Records.annotations({ description: "Rankings that lost a whole position or more" }),
  stable: Records.annotations({ description: "Rankings that changed less" }),
  new: Records.annotations({ description: "New rankings: not ranked in the previous period" }),
  lost: Records.annotations({ description: "Lost rankings: not ranked in the current period" })
})
export type StatusCounts = typeof StatusCounts.Type

/** A calendar day, `YYYY-MM-DD`, in the Pacific time zone of Search Console. */
export const IsoDate = Schema.String.pipe(
  Schema.filter((date) => Option.isSome(Day.parse(date)) || "a day written YYYY-MM-DD"),
  Schema.annotations({ identifier: "IsoDate", description: "Day, YYYY-MM-DD", jsonSchema: { format: "date" } })
)

/** The first and the last day of the current window. */
const Period = Schema.Struct({
  start: field(IsoDate, "First day, in the Pacific time zone of Search Console"),
  end: field(IsoDate, "Last day")
}).annotations({ identifier: "Period", description: "Days of the current period, both inclusive" })

const Position = Schema.Number.pipe(Schema.finite(), Schema.greaterThanOrEqualTo(1))

/** A keyword ranking record as `GET /api/v1/keywords` lists it; `position_delta` is previous − current, 0 without both. */
export const KeywordRanking = Schema.Struct({
  id: field(RankingId, "Id of the ranking; it stays the same for a site, query and page"),
  site_id: ProjectId.annotations({ description: "UUID of the site" }),
  query: Schema.String.annotations({ description: "Search query as in Search Console" }),
  page_path: Schema.String.annotations({
    description: "Path and query string of the page, decoded, such as `/تعویض/`"
  }),
  current_position: Schema.NullOr(Position).annotations({
    description:
      "Average position in the current period, weighted by impressions; 1 is the top; null when the query did not rank"
  }),
  previous_position: Schema.NullOr(Position).annotations({
    description: "Average position in the previous period; null when the query did not rank"
  }),
  position_delta: Schema.Number.pipe(Schema.finite()).annotations({
    description: "`previous_position` − `current_position`: positive is a gain; 0 unless both are known"
  }),
  impressions: Schema.NonNegativeInt.annotations({ description: "Impressions in the current period" }),
  clicks: Schema.NonNegativeInt.annotations({ description: "Clicks in the current period" }),
  ctr: Schema.Number.pipe(Schema.between(0, 1)).annotations({
    description: "Clicks ÷ impressions, from 0 to 1; 0 without impressions"
  }),
  ranking_status: field(RankingStatus, "Position change"),
  period: field(Period, "The current period"),
  recorded_at: field(Timestamp, "When the rankings were computed")
}).annotations({
  identifier: "KeywordRanking",
  description: "A query and page of a site: the latest period compared with the previous one"
})
export type KeywordRanking = typeof KeywordRanking.Type

const WindowCoverage = Schema.Struct({
  start: field(IsoDate, "First day"),
  end: field(IsoDate, "Last day"),
  days_with_data: Schema.NonNegativeInt.annotations({ description: "Days of the period with data" })
}).annotations({ identifier: "WindowCoverage", description: "How much of a period has data" })

/** How many days of a site's two windows have data, with warnings. */
export const Coverage = Schema.Struct({
  site_id: ProjectId.annotations({ description: "UUID of the site" }),
  current: field(WindowCoverage, "The period that ends on the latest day with data"),
  previous: field(WindowCoverage, "The previous period of the same length"),
  warnings: Schema.Array(Schema.String).annotations({
    description: "Warnings about the comparison; empty when there are none"
  })
}).annotations({ identifier: "RankingCoverage", description: "Days with data in the two periods of a site" })
export type Coverage = typeof Coverage.Type

/** The first and the last day to read, both inclusive; by default the 28 days that end at the newest day. */
export const DayParameters = {
  start: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description: "First day, YYYY-MM-DD, inclusive; 27 days before `end` by default"
  }),
  end: Schema.optionalWith(IsoDate, {
    exact: true
  }).annotations({ description: "Last day, YYYY-MM-DD, inclusive; the latest day with data by default" })
}

/** The id of a stored table without dates. */
export const SnapshotId = Uuid.pipe(Schema.brand("RankingSnapshotId"))
export type SnapshotId = typeof SnapshotId.Type

/** The days that the sums of a table without dates cover. */
export const Range = Schema.Struct({
  start: field(IsoDate, "First day, in the Pacific time zone of Search Console"),
  end: field(IsoDate, "Last day")
}).annotations({ identifier: "RankingRange", description: "First and last day, both inclusive" })

/** A caller's range of days. */
export interface DayRange {
  readonly start?: string | undefined
  readonly end?: string | undefined
}

/** A range of days for statements. */
export interface Days {
  readonly start: string
  readonly end: string
}

/** Days of a range: the default, and the most. */
const [usual, most] = [28, 500]

/** Resolves a range of days against the newest day with data; null without data and without a range. */
export const daysOf = ({ end, start }: DayRange, newest: string | null): Effect.Effect<Days | null, Invalid> =>
  Effect.gen(function* () {
    const last = end ?? newest ?? (start === undefined ? null : Day.format(Day.of(start) + usual - 1))
    if (last === null) return null
    const first = start ?? Day.format(Day.of(last) - usual + 1)
    const length = Day.of(last) - Day.of(first) + 1
    if (length < 1) return yield* Invalid.of("start", `must not be after ${last}, the last day`)
    if (length > most) return yield* Invalid.of("start", `must be at most ${most} days before end`)
    return { end: last, start: first }
  })

/** A closed range of days. */
export interface Window {
  readonly start: Day.DayNumber
  readonly end: Day.DayNumber
}

/** The two windows that a ranking compares: adjacent, of equal length, the current one ending at the newest day. */
interface Windows {
  readonly current: Window
  readonly previous: Window
}

/** The windows of `length` days (an integer of at least 1) that end at `newest`. */
export const endingAt = (newest: Day.DayNumber, length: number): Windows => ({
  current: { start: newest - length + 1, end: newest },
  previous: { start: newest - 2 * length + 1, end: newest - length }
})

/** The formats of search data, as `--format` and the parameter `format` name them. */
export const FileFormat = Schema.Literal("gsc-csv", "gsc-api", "bigquery").annotations({
  identifier: "RankingFileFormat",
  description:
    "`gsc-csv`: performance export (CSV or ZIP); `gsc-api`: API response (JSON); `bigquery`: BigQuery bulk export"
})
export type FileFormat = typeof FileFormat.Type
