import type { PerformanceRow, RankingImport } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { route } from "../Place.ts"
import { hashOf, queryOf } from "../Routes.ts"
import { siteTab } from "../SiteRoutes.ts"

/** The tables of Search Console that the parts of search data need. */
export const tables = {
  pages: "a Search Console table by date and page",
  queries: "a Search Console table by date, query and page",
  totals: "a Search Console table by date (Chart.csv of an export)"
}

/** The reason that rows by query give no totals. */
export const why = "Search Console leaves out rare queries, so rows by query cannot give totals."

/** What pages and experiments need, in the same words on each screen. */
export const pagesNeed = `Pages and experiments need ${tables.pages}. ${why}`

/** What the tables without rows by query need. */
export const needs = {
  countries: `Countries need a Search Console table by date and country. ${why}`,
  devices: `Devices need a Search Console table by date and device. ${why}`,
  pages: pagesNeed,
  queries: null
}

/** Opens the form for files, on the Search screen beside its filters. */
export const ImportLink = ({ site }: { readonly site: string }) => {
  const { query, segments } = route.value
  const search = siteTab(site, "search")
  const filters = hashOf(segments) === hashOf(search) ? Object.fromEntries(query) : {}
  return <a href={hashOf(search, { ...filters, import: null, open: "import" })}>Import search data</a>
}

/** The uses of search data on the days of an import. */
export const GoodFor = ({ id, of: { first_day, last_day } }: { readonly id: string; readonly of: RankingImport }) => {
  const days = { end: last_day, limit: "1", start: first_day }
  const pages = useRead<ReadonlyArray<PerformanceRow>>(
    first_day === null ? null : `/projects/${id}/performance${queryOf({ by: "page", ...days })}`
  )
  const queries = useRead<ReadonlyArray<PerformanceRow>>(
    first_day === null ? null : `/projects/${id}/performance${queryOf({ by: "query", ...days })}`
  )
  if (pages.data === null || queries.data === null) return null
  const [hasPages, hasQueries] = [pages.data.length > 0, queries.data.length > 0]
  const hasTotals = (pages.meta.totals ?? null) !== null
  return (
    <>
      <p>The data of these days are enough for:</p>
      <ul>
        <li>Queries: {hasQueries ? "yes" : `no, they need ${tables.queries}`}</li>
        <li>Totals and chart: {hasTotals ? "yes" : `no, they need ${tables.totals}`}</li>
        <li>Pages and experiments: {hasPages ? "yes" : `no, they need ${tables.pages}`}</li>
      </ul>
      {hasQueries && !(hasPages && hasTotals) && <p class="quiet">{why}</p>}
    </>
  )
}
