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
import { Coverage, DayParameters, StatusCounts } from "../Domain.ts"
import { inAnyForm } from "../PageIdentity.ts"

/** Impressions and clicks of some days. */
const Sums = Schema.Struct({
  impressions: Count.annotations({ description: "Impressions of all days" }),
  clicks: Count.annotations({ description: "Clicks of all days" })
}).annotations({ identifier: "SearchTotals", description: "Impressions and clicks of a range of days" })

/** Where totals come from. */
const TotalsSource = Schema.NullOr(Schema.Literal("property", "pages", "mixed"))

/** The movements of a project's rankings, and its totals in both windows: never sums over queries. */
export const Summary = Schema.Struct({
  ...StatusCounts.fields,
  current: Schema.NullOr(Sums).annotations({
    description:
      "Sums of the window that ends at the newest day: of the property, or of the pages where the property's are not known; null where only queries are known"
  }),
  previous: Schema.NullOr(Sums).annotations({ description: "The same of the window before it" }),
  totals_source: field(
    TotalsSource,
    "Where `current` and `previous` come from; `mixed` where that differs by day; null without both"
  ),
  coverage: Schema.NullOr(Coverage).annotations({
    description: "How many days of the windows have data; null while there are none"
  })
}).annotations({
  identifier: "RankingSummary",
  description: "How the rankings of a project moved, and its totals in both windows"
})
export type Summary = typeof Summary.Type

/** What search performance is grouped by. */
export const By = Schema.Literal("date", "page", "device", "country", "query")
export type By = typeof By.Type

const bounded = (longest: number) =>
  Schema.String.pipe(
    Schema.minLength(1, { message: () => "must not be empty" }),
    Schema.maxLength(longest, { message: () => `must be at most ${longest} characters long` }),
    Schema.filter((text) => !text.includes("\0"), { message: () => "must not contain a NUL character" })
  )

const named = (description: string, longest: number) =>
  Schema.optionalWith(bounded(longest), { exact: true }).annotations({ description })

/** The query parameters of a table of search performance. */
export const PerformanceParameters = Schema.Struct({
  ...PageParameters,
  ...DayParameters,
  by: Schema.optionalWith(
    By.annotations({ message: () => ({ message: `must be one of ${By.literals.join(", ")}`, override: true }) }),
    { default: () => "date", exact: true }
  ).annotations({ description: "What the rows are grouped by; by day unless set" }),
  device: named("Only this device: DESKTOP, MOBILE or TABLET", 20),
  country: named("Only this country, by three letters (ISO 3166-1 alpha-3), such as `deu`", 20),
  page_path: Schema.optionalWith(inAnyForm(bounded(8192)), { exact: true }).annotations({
    description: "Only this page, by path and query string, with or without escapes"
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
    description: "Impression-weighted mean position, 1 is the top; null without impressions"
  })
}
/** The numbers of one day, page, device, country or query. */
export const PerformanceRow = Schema.Struct({
  key: Schema.String.annotations({
    description: "The day (YYYY-MM-DD), page path, device, country or query, as `by` says"
  }),
  ...measured
}).annotations({
  identifier: "PerformanceRow",
  description: "Search performance of one day, page, device, country or query"
})

/** Numbers of days, by how completely countries and devices of queries are known: all, cut off by Google's limit of rows, or unknown. */
export const Segments = Schema.Struct({
  complete: Count.annotations({ description: "Days of which all queries are known by country and device" }),
  partial: Count.annotations({ description: "Days of which Google's limit of rows cut some off" }),
  unknown: Count.annotations({ description: "Days of which it is not known what is missing" })
}).annotations({
  identifier: "SegmentDays",
  description: "Days by how completely countries and devices of queries are known"
})

/** The sums beside the rows; `anonymised` is totals − queries, with `by=query` alone; `segments` with a filter by country or device. */
export const PerformanceTotals = Schema.Struct({
  totals: Schema.NullOr(Sums).annotations({
    description:
      "Sums of the property, or of the pages where the property's are not known; null where only queries are known"
  }),
  totals_source: field(
    TotalsSource,
    "Where `totals` come from; `mixed` where that differs by day; null without totals"
  ),
  anonymised: Schema.optional(Schema.NullOr(Sums)).annotations({
    description: "Totals less the sums of the known queries, with `by=query`; null without totals"
  }),
  segments: Schema.optional(Segments).annotations({
    description: "With `by=query` and a filter by country or device: how many days are whole"
  })
})

const PerformancePage = Schema.Struct({
  data: Schema.Array(PerformanceRow).annotations({ description: "Rows of this page, in the order of the list" }),
  meta: field(
    Schema.Struct({ ...PageMeta.fields, ...PerformanceTotals.fields }).annotations({
      identifier: "PerformancePageMeta",
      description: "Where the page stands in its list, and the sums beside the rows"
    }),
    "Where the page stands in its list, and the sums beside the rows"
  ),
  links: field(PageLinks, "URLs of this page and the next")
})

/** The numbers of a day on which a query was or was not seen. */
export const SeriesDay = Schema.Struct({
  date: Schema.String.annotations({ description: "Day, YYYY-MM-DD" }),
  ...measured
}).annotations({
  identifier: "SeriesDay",
  description: "Search performance of a query on one day, zeros where it was not seen"
})

/** A page that competes with others for a query. */
const CompetingPage = Schema.Struct({
  page_path: Schema.String.annotations({ description: "Path and query string of the page" }),
  impressions: Count.annotations({ description: "Impressions of the page for this query" }),
  clicks: Count.annotations({ description: "Clicks of the page for this query" }),
  position: Position.annotations({
    description: "Impression-weighted mean position, 1 is the top; null without impressions"
  }),
  share: Schema.Number.pipe(Schema.between(0, 1)).annotations({
    description: "Its part of the query's impressions, from 0 to 1"
  })
}).annotations({ identifier: "CompetingPage", description: "A page that competes with others for a query" })

/** A query for which several pages are shown. */
export const Cannibalised = Schema.Struct({
  query: Schema.String.annotations({ description: "Search query" }),
  impressions: Count.annotations({ description: "Impressions of the query in the current window" }),
  clicks: Count.annotations({ description: "Clicks of the query in the current window" }),
  pages: Schema.Array(CompetingPage).annotations({
    description: "Pages with at least a tenth of the impressions, and ten, the most impressions first"
  })
}).annotations({ identifier: "CannibalisedQuery", description: "A query for which several pages are shown" })

const ofProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** Search performance of a project. */
export class PerformanceApi extends HttpApiGroup.make("performance")
  .annotateContext(about("Search performance as Search Console counts it: totals are never sums over queries."))
  .add(
    exportableList("performance", "/projects/:project_id/performance", {
      summary: "Read search performance",
      description:
        "Impressions, clicks, CTR and position by day, page, device, country or query, by default of the 28 days that end at the newest one. Ordered by impressions and clicks, the most first, then `key`; days in their order. `meta.totals` are those of the property, or of the pages where the property's are not known; the clicks of anonymised queries are `meta.anonymised`. For queries filtered by a country or a device, `meta.segments` counts the days that are complete and those that Google's limit of rows cut off.",
      page: PerformancePage,
      scope: KeywordsRead
    })
      .setPath(ofProject)
      .setUrlParams(input(PerformanceParameters))
  )
  .add(
    read("summary", "/projects/:project_id/rankings/summary", {
      summary: "Read how the rankings moved",
      description:
        "Counts of the list of rankings by status, and the totals of its two windows: those of the property, or of the pages where the property's are not known, never sums over queries.",
      ids: ofProject,
      of: Summary,
      scope: KeywordsRead
    })
  )
  .add(
    read("cannibalisation", "/projects/:project_id/cannibalisation", {
      summary: "Find queries that several pages compete for",
      description:
        "Queries of the current window for which at least two pages have a tenth of the impressions each, and ten impressions. Ordered by the impressions outside of the largest page.",
      ids: ofProject,
      of: Schema.Array(Cannibalised),
      scope: KeywordsRead
    })
  )
  .prefix("/api/v1") {}
