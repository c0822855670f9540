import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { Days } from "../Days.ts"
import type { Level } from "../RawRow.ts"

/** Which facts are added up: of a site, on a range of days, filtered by device, country or page. */
export interface Slice {
  readonly site: number
  readonly days: Days
  readonly device: string | null
  readonly country: string | null
  readonly page: string | null
  /** The dimension that facts are grouped by, beyond the filters. */
  readonly apartBy: "device" | "country" | null
}

const tables = {
  pages: { facts: "ranking_page_facts", months: "ranking_page_months", segments: "ranking_page_segments" },
  property: { facts: "ranking_property_facts" },
  queries: { facts: "ranking_query_facts", months: "ranking_query_months", segments: "ranking_query_segments" }
} as const

/** Of which facts of a site sums by day and by month are kept: of all, of a device, of a country. */
type Kept = Pick<Slice, "country" | "device" | "site">

/** Whether sums by day and by month are kept of the facts of a slice. */
export const isKept = ({ apartBy, country, device, page }: Slice): boolean =>
  apartBy === null && page === null && (country === null || device === null)

const isWhole = ({ country, device }: Kept): boolean => country === null && device === null

/** The bit of `counts` that a slice adds up: facts whose country, device or both are known, or the whole. */
const bitOf = ({ apartBy, country, device }: Slice): number =>
  (country !== null || apartBy === "country" ? 1 : 0) + (device !== null || apartBy === "device" ? 2 : 0)

const bits = ["1", "2", "4", "8"] as const

/** The facts of a slice as fragments of statements. */
export class FactsRepo extends Effect.Service<FactsRepo>()("rankings/performance/FactsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Days of a range that are known at a level. */
    const known = (level: Level, { days, site }: Slice): Fragment =>
      sql`SELECT day FROM ranking_days WHERE site = ${site} AND level = ${level} AND day BETWEEN ${days.start}::date AND ${days.end}::date`

    const onPage = (level: Level, { page, site }: Slice): Fragment => {
      if (page === null || level === "property") return sql`true`
      return level === "pages"
        ? sql`f.key = (SELECT id FROM ranking_pages WHERE site = ${site} AND key = md5(${page})::uuid)`
        : sql`f.key = ANY(ARRAY(SELECT id FROM ranking_pairs WHERE site = ${site} AND page = ${page}))`
    }

    const range = ({ days }: Slice): Fragment => sql`f.day BETWEEN ${days.start}::date AND ${days.end}::date`

    /** The facts of a page are looked up in each known day: a range of days would be read whole. */
    const onDays = (level: Level, slice: Slice): Fragment =>
      slice.page === null ? range(slice) : sql`f.day = ANY(ARRAY(${known(level, slice)}))`

    const isCounted = (slice: Slice): Fragment => sql`f.counts & ${sql.literal(bits[bitOf(slice)] ?? "1")} <> 0`

    const variants = sql`JOIN ranking_variants v ON v.site = f.site AND v.id = f.variant`

    const isNamed = ({ country, device }: Slice): Fragment =>
      sql`${device === null ? sql`true` : sql`v.device = ${device}`} AND ${country === null ? sql`true` : sql`v.country = ${country}`}`

    /** `f` a fact of a level, `v` its variant where device or country matter. */
    const of = (level: Level, slice: Slice, isOnDay: Fragment = onDays(level, slice)): Fragment =>
      sql`${sql(tables[level].facts)} f ${bitOf(slice) === 0 ? sql`` : variants}
        WHERE f.site = ${slice.site} AND ${isOnDay} AND ${isCounted(slice)} AND ${onPage(level, slice)} AND ${isNamed(slice)}`

    /**
     * The same of few texts or days, which are found before their variants: a site may have tens of thousands of these, and a plan that begins with them
     * looks for each in each day.
     */
    const among = (level: Level, slice: Slice, isMeant: Fragment): Fragment => {
      const found = sql`${sql(tables[level].facts)} f WHERE f.site = ${slice.site} AND ${isMeant} AND ${isCounted(slice)}`
      return bitOf(slice) === 0
        ? found
        : sql`(SELECT f.* FROM ${found} OFFSET 0) AS f ${variants} WHERE ${isNamed(slice)}`
    }

    /** Which of the kept sums by segment are those of a slice, after its site; the whole has tables of its own. */
    const ofSegment = (slice: Kept): Fragment => {
      if (isWhole(slice)) return sql``
      const name = slice.device === null ? sql`country = ${slice.country}` : sql`device = ${slice.device}`
      return sql`AND segment = (SELECT id FROM ranking_segments WHERE site = ${slice.site} AND ${name})`
    }

    /** The kept sums of all days of a slice. */
    const daily = (level: Level, slice: Kept): Fragment =>
      isWhole(slice)
        ? sql`ranking_days f WHERE f.site = ${slice.site} AND f.level = ${level} AND f.impressions > 0`
        : sql`ranking_segment_days f WHERE f.site = ${slice.site} AND f.level = ${level} ${ofSegment(slice)}`

    /** The kept sums by month of a slice at a level. */
    const monthly = (level: "pages" | "queries", slice: Kept): Fragment => {
      const kept = tables[level][isWhole(slice) ? "months" : "segments"]
      return sql`${sql(kept)} WHERE site = ${slice.site} ${ofSegment(slice)}`
    }

    /** Facts that only their sums by day are wanted of. */
    const sums = (level: Level, slice: Slice): Fragment =>
      isKept(slice) ? sql`${daily(level, slice)} AND ${range(slice)}` : of(level, slice)

    /** Those of the pages on the days of which the property is not known; where there are none, no facts are read. */
    const others = (slice: Slice): Fragment =>
      isKept(slice)
        ? sql`${sums("pages", slice)} AND f.day NOT IN (${known("property", slice)})`
        : of("pages", slice, sql`f.day = ANY(ARRAY(${known("pages", slice)} EXCEPT ${known("property", slice)}))`)

    /** Totals, of the property where it is known; of a page, and elsewhere, of the pages. */
    const totals = (slice: Slice, columns: Fragment): Fragment =>
      slice.page !== null
        ? sql`SELECT ${columns}, 'pages' AS source FROM ${sums("pages", slice)}`
        : sql`SELECT ${columns}, 'property' AS source FROM ${sums("property", slice)}
            UNION ALL SELECT ${columns}, 'pages' FROM ${others(slice)}`

    return { among, daily, known, monthly, of, sums, totals }
  })
}) {}
