import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about } from "../../../foundation/http/Contract.ts"
import { exportableList, read } from "../../../foundation/http/Endpoints.ts"
import { PageLinks, PageMeta, PageParameters } from "../../../foundation/http/Pagination.ts"
import { inPath, input } from "../../../foundation/http/RequestSchemas.ts"
import { Count } from "../../../foundation/schema/Scalars.ts"
import { KeywordsRead } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { DayParameters } from "../Days.ts"

/** What search performance is grouped by. */
export const By = Schema.Literal("date", "page", "device", "country", "query")
export type By = typeof By.Type

const named = (description: string, longest: number) =>
  Schema.String.pipe(
    Schema.minLength(1, { message: () => "must not be empty" }),
    Schema.maxLength(longest, { message: () => `must be at most ${longest} characters long` }),
    Schema.filter((text) => !text.includes("\0"), { message: () => "must not contain a NUL character" }),
    Schema.annotations({ description })
  )

/** The query parameters of a table of search performance. */
export const PerformanceParameters = Schema.Struct({
  ...PageParameters,
  ...DayParameters,
  by: Schema.optionalWith(
    By.annotations({ message: () => ({ message: `must be one of ${By.literals.join(", ")}`, override: true }) }),
    { default: () => "date", exact: true }
  ),
  device: Schema.optionalWith(named("DESKTOP, MOBILE or TABLET", 20), { exact: true }),
  country: Schema.optionalWith(named("three letters, such as deu", 20), { exact: true }),
  page_path: Schema.optionalWith(named("a page's path and query string", 8192), { exact: true })
})
export type PerformanceParameters = typeof PerformanceParameters.Type

const Position = Schema.NullOr(Schema.Number.pipe(Schema.finite(), Schema.greaterThanOrEqualTo(1)))
const measured = {
  impressions: Count,
  clicks: Count,
  ctr: Schema.Number.pipe(Schema.between(0, 1)),
  position: Position
}
const Sums = Schema.Struct({ impressions: Count, clicks: Count })

/** The numbers of one day, page, device, country or query. */
export const PerformanceRow = Schema.Struct({ key: Schema.String, ...measured }).annotations({
  identifier: "PerformanceRow"
})

/** Numbers of days, by how completely countries and devices of queries are known: all, cut off by Google's limit of rows, or unknown. */
export const Segments = Schema.Struct({ complete: Count, partial: Count, unknown: Count })

/** The sums beside the rows; `anonymised` is totals − queries, with `by=query` alone; `segments` with a filter by country or device. */
export const PerformanceTotals = Schema.Struct({
  totals: Schema.NullOr(Sums),
  totals_source: Schema.NullOr(Schema.Literal("property", "pages", "mixed")),
  anonymised: Schema.optional(Schema.NullOr(Sums)),
  segments: Schema.optional(Segments)
})

const PerformancePage = Schema.Struct({
  data: Schema.Array(PerformanceRow),
  meta: Schema.Struct({ ...PageMeta.fields, ...PerformanceTotals.fields }),
  links: PageLinks
})

/** The numbers of a day on which a query was or was not seen. */
export const SeriesDay = Schema.Struct({ date: Schema.String, ...measured }).annotations({ identifier: "SeriesDay" })

/** A query for which several pages are shown. */
export const Cannibalised = Schema.Struct({
  query: Schema.String,
  impressions: Count,
  clicks: Count,
  pages: Schema.Array(
    Schema.Struct({
      page_path: Schema.String,
      impressions: Count,
      clicks: Count,
      position: Position,
      share: Schema.Number.pipe(Schema.between(0, 1))
    })
  )
}).annotations({ identifier: "CannibalisedQuery" })

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
