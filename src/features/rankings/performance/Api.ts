import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  about,
  exportableList,
  inPath,
  input,
  PageLinks,
  PageMeta,
  PageParameters,
  read
} from "../../../foundation/http/Contract.ts"
import { Count, field } from "../../../foundation/schema/Scalars.ts"
import { KeywordsRead } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage, DayParameters, Range as Period, StatusCounts } from "../Domain.ts"
import { inAnyForm } from "../PageIdentity.ts"

/** Impressions and clicks of some days. */
const Sums = Schema.Struct({
  impressions: Count.annotations({ description: "Impressions of all days" }),
  clicks: Count.annotations({ description: "Clicks of all days" })
}).annotations({ identifier: "SearchTotals", description: "Impressions and clicks of a range of days" })

/** The source of totals. */
const TotalsSource = Schema.NullOr(Schema.Literal("property", "pages", "mixed"))

/** The movements of a project's rankings, and its totals in both windows, which are never sums over queries. */
export const Summary = Schema.Struct({
  ...StatusCounts.fields,
  current: Schema.NullOr(Sums).annotations({
    description:
      "Totals of the period that ends on the latest day: site totals, or page totals when site totals are missing; null when only query data were imported"
  }),
  previous: Schema.NullOr(Sums).annotations({ description: "The same for the previous period" }),
  totals_source: field(
    TotalsSource,
    "Source of `current` and `previous`; `mixed` when it differs by day; null without both"
  ),
  coverage: Schema.NullOr(Coverage).annotations({
    description: "Days with data in both periods; null without data"
  })
}).annotations({
  identifier: "RankingSummary",
  description: "Position changes of a site, and its totals in both periods"
})
export type Summary = typeof Summary.Type

/** The dimension of a table of search performance. */
export const By = Schema.Literal("date", "page", "device", "country", "query")
export type By = typeof By.Type

const bounded = (longest: number) =>
  Schema.String.pipe(
    Schema.minLength(1, { message: () => "must not be empty" }),
    Schema.maxLength(longest, { message: () => `must be at most ${longest} characters long` }),
    Schema.filter((text) => !text.includes("\0"), { message: () => "must not contain a NUL character" })
  )

/** The numbers that order a table. The changes are of `compare`. */
export const Sort = Schema.Literal(
  "impressions",
  "clicks",
  "ctr",
  "position",
  "impressions_change",
  "clicks_change",
  "position_change"
)
export type Sort = typeof Sort.Type

/** The period that a table is compared with. */
export const Compare = Schema.Literal("previous", "year")
export type Compare = typeof Compare.Type

const oneOf = <A extends string>(choice: Schema.Literal<[A, ...Array<A>]>) =>
  choice.annotations({ message: () => ({ message: `must be one of ${choice.literals.join(", ")}`, override: true }) })

const named = (description: string, longest: number) =>
  Schema.optionalWith(bounded(longest), { exact: true }).annotations({ description })

/** The query parameters of a table of search performance. */
export const PerformanceParameters = Schema.Struct({
  ...PageParameters,
  ...DayParameters,
  by: Schema.optionalWith(oneOf(By), { default: () => "date", exact: true }).annotations({
    description: "Group rows by day, page, device, country or query; by day unless set"
  }),
  device: named("Only this device: DESKTOP, MOBILE or TABLET", 20),
  country: named("Only this country, as a three-letter code (ISO 3166-1 alpha-3) such as `deu`", 20),
  page_path: Schema.optionalWith(inAnyForm(bounded(8192)), { exact: true }).annotations({
    description: "Only this page: path and query string, with or without percent-encoding"
  }),
  query: named("Only this query, as in Search Console", 1000),
  query_contains: named(
    "Only queries that contain this text, in any case; no wildcards. Refused for sites with too many queries",
    1000
  ),
  sort: Schema.optionalWith(oneOf(Sort), { exact: true }).annotations({
    description:
      "Sort by this number; by impressions unless set, days by date. Rows without a position come last. A change needs `compare`, and then lists rows of either period. Refused for too large tables"
  }),
  order: Schema.optionalWith(oneOf(Schema.Literal("asc", "desc")), { exact: true }).annotations({
    description: "Ascending or descending; `desc` by default, `asc` for days by date"
  }),
  compare: Schema.optionalWith(oneOf(Compare), { exact: true }).annotations({
    description:
      "Compare with the days before (`previous`), as many, or with the same weekdays a year (364 days) earlier (`year`): each row then has `previous`"
  })
})
export type PerformanceParameters = typeof PerformanceParameters.Type

const Position = Schema.NullOr(Schema.Number.pipe(Schema.finite(), Schema.greaterThanOrEqualTo(1)))
/** The numbers of a row of search data. */
export const measured = {
  impressions: Count.annotations({ description: "Impressions" }),
  clicks: Count.annotations({ description: "Clicks" }),
  ctr: Schema.Number.pipe(Schema.between(0, 1)).annotations({
    description: "Clicks ÷ impressions, from 0 to 1; 0 without impressions"
  }),
  position: Position.annotations({
    description: "Average position, weighted by impressions; 1 is the top; null without impressions"
  })
}
/** The numbers of one day, page, device, country or query. */
export const PerformanceRow = Schema.Struct({
  key: Schema.String.annotations({
    description: "Day (YYYY-MM-DD), page path, device, country or query, depending on `by`"
  }),
  ...measured,
  previous: Schema.optional(
    Schema.NullOr(
      Schema.Struct(measured).annotations({
        identifier: "PerformanceBefore",
        description: "Search performance in the period that is compared with"
      })
    )
  ).annotations({
    description:
      "With `compare`: the same key in the other period, for a day the day at the same place in it; null without data there"
  })
}).annotations({
  identifier: "PerformanceRow",
  description: "Search performance of one day, page, device, country or query"
})

/** Counts of days by their data for countries and devices of queries: complete, cut off by Google's limit of rows, or unknown. */
export const Segments = Schema.Struct({
  complete: Count.annotations({ description: "Days with complete data by country and device" }),
  partial: Count.annotations({ description: "Days cut off by Google's row limit" }),
  unknown: Count.annotations({ description: "Days whose completeness is unknown" })
}).annotations({
  identifier: "SegmentDays",
  description: "Days by completeness of country and device data"
})

const Totals = Schema.Struct(measured).annotations({
  identifier: "PerformanceTotals",
  description: "Impressions, clicks, CTR and position of a range of days"
})

/** The sums beside the rows; `anonymised` is totals − queries, with `by=query` alone; `segments` with a filter by country or device. */
export const PerformanceTotals = Schema.Struct({
  period: Schema.NullOr(Period).annotations({ description: "Days of the table; null without data" }),
  totals: Schema.NullOr(Totals).annotations({
    description:
      "Site totals, or page totals when site totals are missing; of the filtered page or queries with such a filter; null when only query data were imported"
  }),
  totals_source: field(
    Schema.NullOr(Schema.Literal("property", "pages", "queries", "mixed")),
    "Source of `totals`: `queries` with a filter by query; `mixed` when it differs by day; null without totals"
  ),
  previous: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        period: field(Period, "Days of the other period"),
        totals: Schema.NullOr(Totals).annotations({ description: "`totals` of the other period" })
      }).annotations({ identifier: "PreviousPerformance", description: "The period that is compared with" })
    )
  ).annotations({ description: "With `compare`: the other period; null without data" }),
  anonymised: Schema.optional(Schema.NullOr(Sums)).annotations({
    description:
      "With `by=query`: totals minus the listed queries, which is traffic from queries that Search Console hides; null without totals, and with a filter by query"
  }),
  segments: Schema.optional(Segments).annotations({
    description: "With `by=query` and a filter by country or device: completeness of the days"
  })
})

const PerformancePage = Schema.Struct({
  data: Schema.Array(PerformanceRow).annotations({ description: "Rows of this page, in list order" }),
  meta: field(
    Schema.Struct({ ...PageMeta.fields, ...PerformanceTotals.fields }).annotations({
      identifier: "PerformancePageMeta",
      description: "Position of this page in the list, and the totals"
    }),
    "Position of this page in the list, and the totals"
  ),
  links: field(PageLinks, "URLs of this page and the next one")
})

/** The numbers of a day for a query, seen or not. */
export const SeriesDay = Schema.Struct({
  date: Schema.String.annotations({ description: "Day, YYYY-MM-DD" }),
  ...measured
}).annotations({
  identifier: "SeriesDay",
  description: "Search performance of a query on one day; zeros when it had no impressions"
})

/** A page that competes with others for a query. */
const CompetingPage = Schema.Struct({
  page_path: Schema.String.annotations({ description: "Path and query string of the page" }),
  impressions: Count.annotations({ description: "Impressions of the page for this query" }),
  clicks: Count.annotations({ description: "Clicks of the page for this query" }),
  position: Position.annotations({
    description: "Average position, weighted by impressions; 1 is the top; null without impressions"
  }),
  share: Schema.Number.pipe(Schema.between(0, 1)).annotations({
    description: "Share of the query's impressions, from 0 to 1"
  })
}).annotations({ identifier: "CompetingPage", description: "A page that competes with others for a query" })

/** A query with several competing pages. */
export const Cannibalised = Schema.Struct({
  query: Schema.String.annotations({ description: "Search query" }),
  impressions: Count.annotations({ description: "Impressions of the query in the current period" }),
  clicks: Count.annotations({ description: "Clicks of the query in the current period" }),
  pages: Schema.Array(CompetingPage).annotations({
    description: "Pages with at least 10% of the impressions and at least 10 impressions, most impressions first"
  })
}).annotations({ identifier: "CannibalisedQuery", description: "A query for which several pages are shown" })

const ofProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** Search performance of a project. */
export class PerformanceApi extends HttpApiGroup.make("performance")
  .annotateContext(
    about(
      "Clicks, impressions, CTR and position as Search Console counts them. Totals are never sums of queries, because Search Console hides rare queries."
    )
  )
  .add(
    exportableList("performance", "/projects/:project_id/performance", {
      summary: "Get search performance",
      description:
        "Impressions, clicks, CTR and position by day, page, device, country or query; by default of the latest 28 days. Sorted by impressions, then clicks, highest first, then `key`, unless `sort` says otherwise; days in date order. `meta.totals` are site totals, or page totals when site totals are missing; `meta.anonymised` is the traffic of queries that Search Console hides. For queries filtered by country or device, `meta.segments` counts the complete days and the days cut off by Google's row limit.",
      page: PerformancePage,
      scope: KeywordsRead
    })
      .setPath(ofProject)
      .setUrlParams(input(PerformanceParameters))
  )
  .add(
    read("summary", "/projects/:project_id/rankings/summary", {
      summary: "Get position changes and totals",
      description:
        "Number of rankings by status, and the totals of both periods: site totals, or page totals when site totals are missing.",
      ids: ofProject,
      of: Summary,
      scope: KeywordsRead
    })
  )
  .add(
    read("cannibalisation", "/projects/:project_id/cannibalisation", {
      summary: "List keyword cannibalization",
      description:
        "Queries of the current period for which at least two pages each have 10% of the impressions and 10 impressions. Sorted by the impressions that the largest page does not get.",
      ids: ofProject,
      of: Schema.Array(Cannibalised),
      scope: KeywordsRead
    })
  )
  .prefix("/api/v1") {}
