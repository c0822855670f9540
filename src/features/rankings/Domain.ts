import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Day from "../../foundation/schema/Day.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { field, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { ProjectId } from "../projects/Domain.ts"

/** The id of a ranking record: the same for one site, query and page path however often it is computed. */
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
    "How a query moved between the two windows: by a whole position or more (`climbing`, `dropping`), less (`stable`), without an earlier (`new`) or a current (`lost`) measurement"
})
export type RankingStatus = typeof RankingStatus.Type

const Records = Schema.NonNegativeInt

/** How many records of a list have each status. */
export const StatusCounts = Schema.Struct({
  climbing: Records.annotations({ description: "Records that gained a whole position or more" }),
  dropping: Records.annotations({ description: "Records that lost a whole position or more" }),
  stable: Records.annotations({ description: "Records that moved by less" }),
  new: Records.annotations({ description: "Records without an earlier measurement" }),
  lost: Records.annotations({ description: "Records without a current measurement" })
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
}).annotations({ identifier: "Period", description: "Days of the current window, both inclusive" })

const Position = Schema.Number.pipe(Schema.finite(), Schema.greaterThanOrEqualTo(1))

/** A keyword ranking record as `GET /api/v1/keywords` lists it; `position_delta` is previous − current, 0 without both. */
export const KeywordRanking = Schema.Struct({
  id: field(
    RankingId,
    "Id of the record: the same for one site, query and page path however often rankings are computed"
  ),
  site_id: ProjectId.annotations({ description: "UUID of the project" }),
  query: Schema.String.annotations({ description: "Search query as Search Console has it" }),
  page_path: Schema.String.annotations({
    description: "Path and query string of the page: letters of any script without escapes, such as `/تعویض/`"
  }),
  current_position: Schema.NullOr(Position).annotations({
    description:
      "Impression-weighted mean position of the current window, 1 is the top; null when the query was not seen in it"
  }),
  previous_position: Schema.NullOr(Position).annotations({
    description: "The same of the window before it; null when the query was not seen in it"
  }),
  position_delta: Schema.Number.pipe(Schema.finite()).annotations({
    description: "`previous_position` − `current_position`, so a gain is positive; 0 unless both are known"
  }),
  impressions: Schema.NonNegativeInt.annotations({ description: "Impressions in the current window" }),
  clicks: Schema.NonNegativeInt.annotations({ description: "Clicks in the current window" }),
  ctr: Schema.Number.pipe(Schema.between(0, 1)).annotations({
    description: "Clicks ÷ impressions, from 0 to 1; 0 without impressions"
  }),
  ranking_status: field(RankingStatus, "How the query moved"),
  period: field(Period, "The current window"),
  recorded_at: field(Timestamp, "When the rankings were computed")
}).annotations({
  identifier: "KeywordRanking",
  description: "A query on a page of a site, in the newest window of days compared with the one before it"
})
export type KeywordRanking = typeof KeywordRanking.Type

const WindowCoverage = Schema.Struct({
  start: field(IsoDate, "First day"),
  end: field(IsoDate, "Last day"),
  days_with_data: Schema.NonNegativeInt.annotations({ description: "Days of the window that have data" })
}).annotations({ identifier: "WindowCoverage", description: "How much of a window of days has data" })

/** How many days of a site's two windows have data, with warnings. */
export const Coverage = Schema.Struct({
  site_id: ProjectId.annotations({ description: "UUID of the project" }),
  current: field(WindowCoverage, "The window that ends at the newest day with data"),
  previous: field(WindowCoverage, "The window of the same length before it"),
  warnings: Schema.Array(Schema.String).annotations({
    description: "What makes the comparison unsafe, in words; empty when nothing does"
  })
}).annotations({ identifier: "RankingCoverage", description: "How many days of the two windows of a site have data" })
export type Coverage = typeof Coverage.Type

/** The days that are read, both inclusive; without them the 28 days that end at the newest one. */
export const DayParameters = {
  start: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description: "First day, YYYY-MM-DD, inclusive; 27 days before `end` by default"
  }),
  end: Schema.optionalWith(IsoDate, {
    exact: true
  }).annotations({ description: "Last day, YYYY-MM-DD, inclusive; the newest day with data by default" })
}

/** The id of a table without dates that is kept. */
export const SnapshotId = Uuid.pipe(Schema.brand("RankingSnapshotId"))
export type SnapshotId = typeof SnapshotId.Type

/** The days that a table without dates adds up. */
export const Range = Schema.Struct({
  start: field(IsoDate, "First day, in the Pacific time zone of Search Console"),
  end: field(IsoDate, "Last day")
}).annotations({ identifier: "RankingRange", description: "First and last day, both inclusive" })

/** A range of days as a caller names it. */
export interface DayRange {
  readonly start?: string | undefined
  readonly end?: string | undefined
}

/** A range of days as statements take it. */
export interface Days {
  readonly start: string
  readonly end: string
}

/** Days that are read by default, and at most. */
const [usual, most] = [28, 500]

/** The days that are meant where data end at `newest`; null where there are no data and no days were named. */
export const daysOf = ({ end, start }: DayRange, newest: string | null): Effect.Effect<Days | null, Invalid> =>
  Effect.gen(function* () {
    const last = end ?? newest ?? (start === undefined ? null : Day.format(Day.of(start) + usual - 1))
    if (last === null) return null
    const first = start ?? Day.format(Day.of(last) - usual + 1)
    const length = Day.of(last) - Day.of(first) + 1
    if (length < 1) return yield* Invalid.of("start", `must not be after ${last}, the last day`)
    if (length > most) return yield* Invalid.of("start", `must be at most ${most} days before the end`)
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
    "`gsc-csv`: tables of the interface; `gsc-api`: answers of the Search Console API; `bigquery`: rows of the bulk export"
})
export type FileFormat = typeof FileFormat.Type
