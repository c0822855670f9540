import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { StatementLimit } from "../../../foundation/database/Connection.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import { each, type Steps, unhurried } from "../../../foundation/schema/Steps.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Owned } from "../../accounts/Owned.ts"
import type { Project } from "../../projects/Domain.ts"
import { bulkWork, newestFinalDay, SitesRepo } from "../Site.ts"

/** Days of a site, from the first to the last, both inclusive. */
const OfDays = { first: Schema.String, last: Schema.String, site: Schema.Int }

/** Paths as one parameter, because the driver sends a long text faster than a list. */
const Paths = Schema.parseJson(Schema.Array(Schema.String))

/** A day with imported page totals, and facts about the import. */
const TotalsDay = Schema.Struct({
  day: Schema.String,
  imported_at: Schema.DateTimeUtc,
  sources: Schema.Array(Schema.String),
  cut_off: Schema.Boolean
})
export type TotalsDay = typeof TotalsDay.Type

/** A page with its clicks over some days. */
const ClickedPage = Schema.Struct({ path: Schema.String, clicks: Schema.Number })
export type ClickedPage = typeof ClickedPage.Type

/** Clicks and impressions of two groups of pages on a day. */
const GroupsDay = Schema.Struct({
  date: Schema.String,
  treatment_clicks: Schema.Number,
  treatment_impressions: Schema.Number,
  control_clicks: Schema.Number,
  control_impressions: Schema.Number
})

/** The place of the row with the days. */
const daysPlace = 0

/** A path pattern as `LIKE` takes it; `*` matches any text. */
const likeOf = (pattern: string) => pattern.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")

/** A selection of pages: by a pattern, by a list, or all. */
type PagesOf = { readonly pattern: string } | { readonly pages: ReadonlyArray<string> } | "all"

/** The totals of pages by week and over days, including anonymised queries. */
export class PageTotalsRepo extends Effect.Service<PageTotalsRepo>()("rankings/totals/PageTotalsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Weeks of pages in one statement, so days and numbers come from one state. A page's row has its place in the list, from 1, and week, clicks and
     * impressions for each week with impressions; the row of place 0 has the days as JSON. The facts are read once; a loop over pages would read all days for
     * each. Sums of four-byte integers need no memory beside their group, so hundreds of thousands of groups fit; no page has so many impressions in a day.
     */
    const weeks = Query.all({
      Request: Schema.Struct({ ...OfDays, paths: Paths }),
      Result: Schema.Struct({ place: Schema.Int, text: Schema.String }),
      execute: ({ first, last, paths, site }) => sql`
        WITH asked AS MATERIALIZED (
          SELECT p.id, a.place FROM json_array_elements_text(${paths}::json) WITH ORDINALITY AS a (path, place)
          JOIN ranking_pages p ON p.site = ${site} AND p.key = md5(a.path)::uuid
        ), weeks AS (
          SELECT f.key, (f.day - ${first}::date) / 7 AS week, sum(least(f.clicks, 2147483647)::integer) AS clicks,
            sum(least(f.impressions, 2147483647)::integer) AS impressions
          FROM ranking_page_facts f
          WHERE f.site = ${site} AND f.day BETWEEN ${first}::date AND ${last}::date AND f.counts & 1 = 1
            AND (f.key IN (SELECT id FROM asked)) IS TRUE
          GROUP BY f.key, week
        )
        SELECT a.place::integer AS place, string_agg(w.week || ' ' || w.clicks || ' ' || w.impressions, ' ') AS text
        FROM weeks w JOIN asked a ON a.id = w.key GROUP BY a.place
        UNION ALL
        SELECT ${daysPlace}::integer, coalesce(json_agg(json_build_object('day', d.day, 'imported_at', iso(d.imported_at), 'sources', d.sources,
          'cut_off', d.cut_off) ORDER BY d.day), '[]')::text
        FROM ranking_days d WHERE d.site = ${site} AND d.level = 'pages' AND d.day BETWEEN ${first}::date AND ${last}::date`
    })

    /** `count` days with page totals: the sums of the first `treated` paths, and of the others. */
    const daily = Query.all({
      Request: Schema.Struct({ ...OfDays, count: Schema.Int, paths: Paths, treated: Schema.Int }),
      Result: GroupsDay,
      execute: ({ count, first, last, paths, site, treated }) => sql`
        WITH asked AS MATERIALIZED (
          SELECT p.id, a.place <= ${treated} AS treated FROM json_array_elements_text(${paths}::json) WITH ORDINALITY AS a (path, place)
          JOIN ranking_pages p ON p.site = ${site} AND p.key = md5(a.path)::uuid
        ), days AS (
          SELECT day FROM ranking_days WHERE site = ${site} AND level = 'pages' AND day BETWEEN ${first}::date AND ${last}::date
          ORDER BY day LIMIT ${count}
        ), sums AS (
          SELECT f.day, sum(f.clicks) FILTER (WHERE a.treated) AS treated_clicks, sum(f.impressions) FILTER (WHERE a.treated) AS treated_impressions,
            sum(f.clicks) FILTER (WHERE NOT a.treated) AS other_clicks, sum(f.impressions) FILTER (WHERE NOT a.treated) AS other_impressions
          FROM ranking_page_facts f JOIN asked a ON a.id = f.key
          WHERE f.site = ${site} AND f.day BETWEEN ${first}::date AND (SELECT max(day) FROM days) AND f.counts & 1 = 1 GROUP BY f.day
        )
        SELECT d.day::text AS date, coalesce(treated_clicks, 0)::float8 AS treatment_clicks,
          coalesce(treated_impressions, 0)::float8 AS treatment_impressions, coalesce(other_clicks, 0)::float8 AS control_clicks,
          coalesce(other_impressions, 0)::float8 AS control_impressions
        FROM days d LEFT JOIN sums s ON s.day = d.day ORDER BY d.day`
    })

    /** The first and the newest day with page totals, up to `last`; null without such days. */
    const span = Query.one({
      Request: Schema.Struct({ last: Schema.String, site: Schema.Int }),
      Result: Schema.Struct({ first: Schema.NullOr(Schema.String), newest: Schema.NullOr(Schema.String) }),
      execute: ({ last, site }) => sql`
        SELECT min(day)::text AS first, (max(day) FILTER (WHERE day <= ${last}::date))::text AS newest
        FROM ranking_days WHERE site = ${site} AND level = 'pages'`
    })

    const meant = (of: PagesOf, site: number): Fragment =>
      of === "all"
        ? sql`p.site = ${site}`
        : "pattern" in of
          ? sql`p.site = ${site} AND p.page LIKE ${likeOf(of.pattern)}`
          : sql`p.site = ${site} AND p.key IN (SELECT md5(a.path)::uuid FROM json_array_elements_text(${JSON.stringify(of.pages)}::json) AS a (path))`

    /** Pages in the data with their clicks, by descending clicks, then in code-point order. */
    const clicked = Query.all({
      Request: Schema.Struct({
        ...OfDays,
        count: Schema.Int,
        least: Schema.Int,
        of: Schema.Union(
          Schema.Struct({ pattern: Schema.String }),
          Schema.Struct({ pages: Schema.Array(Schema.String) }),
          Schema.Literal("all")
        )
      }),
      Result: ClickedPage,
      execute: ({ count, first, last, least, of, site }) => sql`
        SELECT p.page AS path, coalesce(f.clicks, 0)::float8 AS clicks FROM ranking_pages p LEFT JOIN (
          SELECT key, sum(clicks) AS clicks FROM ranking_page_facts
          WHERE site = ${site} AND day BETWEEN ${first}::date AND ${last}::date AND counts & 1 = 1 GROUP BY key
        ) AS f ON f.key = p.id
        WHERE ${meant(of, site)} AND coalesce(f.clicks, 0) >= ${least}
        ORDER BY coalesce(f.clicks, 0) DESC, p.page COLLATE "C" LIMIT ${count}`
    })

    /** Pages that share a query with one of `paths`: each of the two has at least a tenth of the query's impressions. */
    const sharing = Query.all({
      Request: Schema.Struct({ ...OfDays, paths: Paths }),
      Result: Schema.Struct({ path: Schema.String }),
      execute: ({ first, last, paths, site }) => sql`
        WITH shown AS (
          SELECT k.query_number, k.page, sum(f.impressions) AS impressions
          FROM ranking_query_facts f JOIN ranking_pairs k ON k.site = f.site AND k.id = f.key
          WHERE f.site = ${site} AND f.day BETWEEN ${first}::date AND ${last}::date AND f.counts & 1 = 1 GROUP BY k.query_number, k.page
        ), held AS (
          SELECT query_number, page FROM (
            SELECT *, sum(impressions) OVER (PARTITION BY query_number) AS whole FROM shown
          ) AS s WHERE impressions * 10 >= whole
        )
        SELECT DISTINCT h.page AS path FROM held h WHERE h.query_number IN (
          SELECT t.query_number FROM held t WHERE t.page IN (SELECT json_array_elements_text(${paths}::json))
        )`
    })

    /** Hashes groups in this transaction, because the planner expects few groups and would sort millions of facts. */
    const hashing = Effect.orDie(sql`SELECT set_config('enable_sort', 'off', true)`)

    return { clicked, daily, hashing, sharing, span, transaction: Query.transaction(sql), weeks }
  })
}) {}

/** Days, both inclusive. */
interface Span {
  readonly first: Day.DayNumber
  readonly last: Day.DayNumber
}

/** Clicks and impressions of pages in weeks from a day on; zeros for a page without impressions in a week. */
interface WeeklyTotals {
  /** The value of page `p` in week `w` is at `p · weeks + w`. */
  readonly clicks: Float64Array
  readonly impressions: Float64Array
  /** The days with page totals, in their order. */
  readonly days: ReadonlyArray<TotalsDay>
}

const decodeDays = Schema.decodeSync(Schema.parseJson(Schema.Array(TotalsDay)))

/** Reads the numbers of one page, separated by spaces. */
const fill = (text: string, offset: number, { clicks, impressions }: WeeklyTotals) => {
  let [number, place, week, at] = [0, 0, 0, 0]
  for (let index = 0; index <= text.length; index++) {
    const unit = index === text.length ? 32 : text.charCodeAt(index)
    if (unit !== 32) {
      number = number * 10 + unit - 48
      continue
    }
    if (place === 0) week = number
    at = offset + week
    if (place === 1) clicks[at] = number
    if (place === 2) impressions[at] = number
    place = (place + 1) % 3
    number = 0
  }
  return text.length
}

function* totalsOf(
  rows: ReadonlyArray<{ readonly place: number; readonly text: string }>,
  pages: number,
  weeks: number
): Steps<WeeklyTotals> {
  const days = rows.find(({ place }) => place === 0)
  const totals = {
    clicks: new Float64Array(pages * weeks),
    days: decodeDays(days?.text ?? "[]"),
    impressions: new Float64Array(pages * weeks)
  }
  yield* each(rows, ({ place, text }) => (place === 0 ? 1 : fill(text, (place - 1) * weeks, totals)))
  return totals
}

/** Milliseconds that the database may take for the weeks of a design: thousands of pages over years, more than other reads of the API. */
const longest = 60_000

const written = ({ first, last }: Span) => ({ first: Day.format(first), last: Day.format(last) })

/** The totals of a site's pages, on final days. */
export class PageTotals extends Effect.Service<PageTotals>()("rankings/totals/PageTotals", {
  dependencies: [PageTotalsRepo.Default, SitesRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* PageTotalsRepo
    const sites = yield* SitesRepo

    /** The site number and the days of a project's totals; none without page totals of a final day. `newest` is the newest final day with totals. */
    const known = Traced.fn("PageTotals.known")(function* (project: Owned<Project>) {
      const site = yield* sites.known(project)
      if (Option.isNone(site)) return Option.none()
      const { first, newest } = yield* repo.span({ last: yield* newestFinalDay, site: site.value.number })
      return Option.map(
        Option.all({ first: Option.fromNullable(first), newest: Option.fromNullable(newest) }),
        (span) => ({ first: Day.of(span.first), newest: Day.of(span.newest), number: site.value.number })
      )
    })

    const inBulk = <A, E, R>(work: Effect.Effect<A, E, R>) => repo.transaction(Effect.zipRight(bulkWork(sql), work))

    /** The weeks of pages from a day on; `last` is in the last week. */
    const weekly = Traced.fn("PageTotals.weekly")(function* (
      site: number,
      paths: ReadonlyArray<string>,
      weeks: number,
      span: Span
    ) {
      const rows = yield* inBulk(Effect.zipRight(repo.hashing, repo.weeks({ ...written(span), paths, site }))).pipe(
        Effect.provideService(StatementLimit, longest)
      )
      return yield* unhurried(totalsOf(rows, paths.length, weeks))
    })

    /** The sums of two groups of pages on each of the first `count` days with totals. */
    const daily = Traced.fn("PageTotals.daily")(function* (
      site: number,
      { control, treatment }: { readonly control: ReadonlyArray<string>; readonly treatment: ReadonlyArray<string> },
      span: Span,
      count: number
    ) {
      const paths = [...treatment, ...control]
      return yield* inBulk(repo.daily({ ...written(span), count, paths, site, treated: treatment.length }))
    })

    /** Pages with at least `least` clicks, by descending clicks. */
    const clicked = Traced.fn("PageTotals.clicked")(function* (
      site: number,
      of: PagesOf,
      span: Span,
      { count, least = 0 }: { readonly count: number; readonly least?: number }
    ) {
      return yield* inBulk(repo.clicked({ ...written(span), count, least, of, site }))
    })

    /** Pages that share a query with one of the paths. */
    const sharing = Traced.fn("PageTotals.sharing")(function* (site: number, paths: ReadonlyArray<string>, span: Span) {
      const rows = yield* inBulk(repo.sharing({ ...written(span), paths, site }))
      return rows.map(({ path }) => path)
    })

    return { clicked, daily, known, sharing, weekly }
  })
}) {}
