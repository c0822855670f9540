import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { apiError } from "../../../foundation/http/ApiError.ts"
import { apiRoot, limits } from "../../../foundation/http/Contract.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { fold } from "../../../foundation/text/Words.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { answerList } from "../../accounts/Exports.ts"
import { answer, type Batch } from "../../accounts/Handlers.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { daysOf, endingAt, type StatusCounts, type Window } from "../Domain.ts"
import { WindowDays } from "../Settings.ts"
import { SitesRepo } from "../Site.ts"
import {
  type By,
  type Cannibalised,
  type Compare,
  PerformanceApi,
  type PerformanceParameters,
  PerformanceRow,
  type PerformanceTotals,
  type Summary
} from "./Api.ts"
import type { QueryFilter, Slice } from "./Facts.ts"
import { isOfChange, type Order, PerformanceRepo, rankOf, usual } from "./PerformanceRepo.ts"

/** The filters of a table. */
type TableFilters = Omit<PerformanceParameters, "cursor" | "limit">

/** The days of a table over several pages, and a fingerprint of their data at the first page. */
interface Walk {
  readonly start: string
  readonly end: string
  readonly state: string
}

/** Rows of a page, with the metadata of the table. */
interface Table {
  readonly rows: ReadonlyArray<typeof PerformanceRow.Type>
  readonly totals: typeof PerformanceTotals.Type
  readonly walk: Walk
}

type Row = typeof PerformanceRow.Type

/** A cursor's texts: days and state of the table, then impressions, clicks and key of the previous row, and its rank in an order other than the usual one. */
const Position = Schema.Tuple(
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.NumberFromString,
  Schema.NumberFromString,
  Schema.String,
  Schema.optionalElement(Schema.NumberFromString)
)

/** The position after a row. */
const positionBehind = (row: Row, { end, start, state }: Walk, order: Order): ReadonlyArray<string> => [
  start,
  end,
  state,
  String(row.impressions),
  String(row.clicks),
  row.key,
  String(rankOf(order, row))
]

const decodePosition = (texts: ReadonlyArray<string>) =>
  Effect.mapBoth(Schema.decodeUnknown(Position)(texts), {
    onFailure: () => stale,
    onSuccess: ([start, end, state, impressions, clicks, key, rank = -impressions]) => ({
      after: { clicks, impressions, key, rank },
      days: { end, start },
      state
    })
  })

const stale = apiError(
  "invalid_cursor",
  "The data changed since the first page of this list. Start again without a cursor"
)

const nothing: Table = {
  rows: [],
  totals: { period: null, totals: null, totals_source: null },
  walk: { end: "", start: "", state: "" }
}

type Source = Exclude<Summary["totals_source"], null>

const sourceOf = (sources: ReadonlyArray<Source>): Source | null =>
  new Set(sources).size > 1 ? "mixed" : (sources[0] ?? null)

/** Days between a day and the same weekday a year ago. */
const year = 364

/** The days that a period is compared with. */
const daysBefore = ({ end, start }: Slice["days"], compare: Compare): Slice["days"] => {
  const back = compare === "year" ? year : Day.of(end) - Day.of(start) + 1
  return { end: Day.format(Day.of(end) - back), start: Day.format(Day.of(start) - back) }
}

const measuredOf = ({ clicks, ctr, impressions, position }: Row) => ({ clicks, ctr, impressions, position })

/** Rows with `previous`, the row of the same key in the other period. A day's is the one at its place. */
const compared = (rows: ReadonlyArray<Row>, before: ReadonlyArray<Row>, keyOf: (key: string) => string) => {
  const known = new Map(before.map((row) => [row.key, row]))
  return rows.map((row): Row => {
    const previous = known.get(keyOf(row.key))
    return { ...row, previous: previous === undefined ? null : measuredOf(previous) }
  })
}

/** The order of a table; null for days in the order of their dates. */
const orderOf = ({ by, order, sort }: Pick<TableFilters, "by" | "order" | "sort">): Order | null =>
  by === "date" && sort === undefined ? null : { by: sort ?? "impressions", isDescending: order !== "asc" }

const inOrder = (rows: ReadonlyArray<Row>, filters: Pick<TableFilters, "by" | "order" | "sort">) => {
  const order = orderOf(filters)
  if (order === null) return filters.order === "desc" ? rows.toReversed() : rows
  return rows.toSorted((a, b) => {
    const [here, there] = [rankOf(order, a), rankOf(order, b)]
    return here === there
      ? b.impressions - a.impressions || b.clicks - a.clicks || (a.key < b.key ? -1 : 1)
      : here - there
  })
}

/** The filter by query. A query that lacks the text it must contain is none; no query is empty. */
const filterOf = ({ query, query_contains }: Pick<TableFilters, "query" | "query_contains">): QueryFilter | null => {
  const contains = query_contains === undefined ? "" : fold(query_contains)
  if (query !== undefined) return { exact: fold(query).includes(contains) ? query : "" }
  return contains === "" ? null : { contains }
}

const tooLarge = {
  query_contains:
    "cannot be used here: this site has too many queries for a search in this range of days. Ask for fewer days, or search the latest period with GET /keywords?query=",
  sort: "cannot be used here: this table is too large for another order. Ask for fewer days, filter by `query` or `page_path`, or leave out `sort` and `order` for most impressions first"
} as const

/** The whole of some days of a site. */
const wholeOf = (site: number, { end, start }: Window): Slice => ({
  apartBy: null,
  country: null,
  days: { end: Day.format(end), start: Day.format(start) },
  device: null,
  page: null,
  query: null,
  site
})

const none: StatusCounts = { climbing: 0, dropping: 0, lost: 0, new: 0, stable: 0 }

const apartBy = (by: By) => (by === "device" || by === "country" ? by : null)

const isNarrowed = ({ country, device }: Slice) => country !== null || device !== null

/** Search performance of an account's projects. */
export class Performance extends Effect.Service<Performance>()("rankings/performance/Performance", {
  dependencies: [PerformanceRepo.Default, Projects.Default, SitesRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* PerformanceRepo
    const sites = yield* SitesRepo
    const length = yield* WindowDays

    /** Property totals if known, else page totals, with the level used. */
    const known = (slice: Slice) =>
      Effect.map(repo.totals(slice), ({ clicks, impressions, position, sources }) =>
        sources !== null && impressions !== null && clicks !== null
          ? { position, sources, totals: { clicks, impressions } }
          : { position: null, sources: [], totals: null }
      )

    /** The newest day of a table: of any data for totals by day, of queries, if any, for all other tables. */
    const newestOf = Effect.fnUntraced(function* (
      isTotal: boolean,
      site: { newest_day: string | null; number: number } | undefined
    ) {
      if (site === undefined || (!isTotal && site.newest_day !== null)) return site?.newest_day ?? null
      return (yield* repo.newest(site.number)).day
    })

    /** Totals with CTR and position: of the queries with a filter by query, else of the property or the pages. */
    const wholeTotals = Effect.fnUntraced(function* (slice: Slice) {
      const isOfQueries = slice.query !== null
      const found = isOfQueries ? yield* repo.queries(slice) : undefined
      const { position, sources, totals } =
        found === undefined
          ? yield* known(slice)
          : {
              position: found.position,
              sources: [],
              totals: { clicks: found.clicks ?? 0, impressions: found.impressions ?? 0 }
            }
      return {
        source: isOfQueries ? ("queries" as const) : sourceOf(sources),
        totals:
          totals === null
            ? null
            : { ...totals, ctr: totals.impressions > 0 ? totals.clicks / totals.impressions : 0, position }
      }
    })

    const totalsOf = Effect.fnUntraced(function* (by: By, slice: Slice) {
      const { source: totals_source, totals } = yield* wholeTotals(slice)
      if (by !== "query") return { totals, totals_source }
      const segments = isNarrowed(slice) ? { segments: yield* repo.segments({ ...slice.days, site: slice.site }) } : {}
      if (slice.query !== null) return { anonymised: null, totals, totals_source, ...segments }
      const queries = yield* repo.queries(slice)
      const anonymised =
        totals === null
          ? null
          : {
              clicks: Math.max(0, totals.clicks - (queries.clicks ?? 0)),
              impressions: Math.max(0, totals.impressions - (queries.impressions ?? 0))
            }
      return { anonymised, totals, totals_source, ...segments }
    })

    const daily = Effect.fnUntraced(function* (slice: Slice, previous: Slice | undefined) {
      const rows = yield* repo.byDate(slice)
      if (previous === undefined) return rows
      const back = Day.of(slice.days.start) - Day.of(previous.days.start)
      return compared(rows, yield* repo.byDate(previous), (day) => Day.format(Day.of(day) - back))
    })

    const listed = Effect.fnUntraced(function* (
      by: Exclude<By, "date">,
      slice: Slice,
      previous: Slice | undefined,
      order: Order,
      ...[after, count]: readonly [after: Parameters<typeof repo.rows>[2], count: number | null]
    ) {
      const rows = yield* repo.rows(by, slice, after, count, order, previous)
      if (previous === undefined) return rows
      const keys = rows.map(({ key }) => key)
      return compared(rows, keys.length === 0 ? [] : yield* repo.among(by, previous, keys), (key) => key)
    })

    /**
     * All pages of a table have the days of the first page, even when newer days arrive. When facts of these days change, the cursor is refused, because
     * further pages could miss rows or repeat them.
     */
    const table = Traced.fn("Performance.table")(function* (
      account: AccountId,
      project: ProjectId,
      { by, compare, country, device, page_path, ...filters }: TableFilters,
      { after: cursor, count }: { readonly after: Batch["after"]; readonly count: number | null }
    ) {
      const order = orderOf({ by, ...filters })
      if (order !== null && isOfChange(order) && compare === undefined)
        return yield* Invalid.of("sort", "needs compare=previous or compare=year for a change")
      const query = filterOf(filters)
      const site = Option.getOrUndefined(yield* sites.known(yield* projects.own(account, project)))
      const position = cursor === undefined ? undefined : yield* decodePosition(cursor)
      const days =
        position === undefined
          ? yield* daysOf(filters, yield* newestOf(by === "date" && query === null, site))
          : position.days
      if (site === undefined || days === null) return nothing
      const before = compare === undefined ? undefined : daysBefore(days, compare)
      const { state } = yield* repo.state({ ...days, before: before ?? days, site: site.number })
      if (position !== undefined && position.state !== state) return yield* stale
      const slice = {
        apartBy: apartBy(by),
        country: country?.toLowerCase() ?? null,
        days,
        device: device?.toUpperCase() ?? null,
        page: page_path ?? null,
        query,
        site: site.number
      }
      const previous = before === undefined ? undefined : { ...slice, days: before }
      // The other period is added up as a whole for an order by change, and for a search.
      const isOfBoth = (order !== null && isOfChange(order)) || (query !== null && "contains" in query)
      for (const one of previous !== undefined && isOfBoth ? [slice, previous] : [slice]) {
        const refused = yield* repo.refusedBy(by, one, order ?? usual)
        if (refused !== null) return yield* Invalid.of(refused, tooLarge[refused])
      }
      const rows = yield* by === "date"
        ? Effect.map(daily(slice, previous), (rows) => inOrder(rows, { by, ...filters }))
        : listed(by, slice, previous, order ?? usual, position?.after, count)
      const totals = yield* totalsOf(by, { ...slice, apartBy: null })
      const other =
        previous === undefined
          ? {}
          : { previous: { period: previous.days, totals: (yield* wholeTotals({ ...previous, apartBy: null })).totals } }
      return { rows, totals: { period: days, ...totals, ...other }, walk: { ...days, state } } satisfies Table
    })

    const cannibalised = Traced.fn("Performance.cannibalised")(function* (account: AccountId, project: ProjectId) {
      const site = Option.getOrUndefined(yield* sites.known(yield* projects.own(account, project)))
      const nothing: ReadonlyArray<typeof Cannibalised.Type> = []
      if (site === undefined || site.newest_day === null) return nothing
      const { current } = endingAt(Day.of(site.newest_day), length)
      return yield* repo.cannibalised(wholeOf(site.number, current))
    })

    /** The windows are the list's. Without queries, the windows end with the site's other data. */
    const summary = Traced.fn("Performance.summary")(function* (account: AccountId, project: ProjectId) {
      const own = yield* projects.own(account, project)
      const site = Option.getOrUndefined(yield* sites.known(own))
      const list = Option.getOrUndefined(yield* repo.list(own))
      const newest = list?.end ?? (yield* newestOf(false, site))
      const coverage = list?.coverage ?? null
      const counts = list?.statuses ?? none
      if (site === undefined || newest === null)
        return { ...counts, coverage, current: null, previous: null, totals_source: null } satisfies Summary
      const windows = endingAt(Day.of(newest), length)
      const current = yield* known(wholeOf(site.number, windows.current))
      const previous = yield* known(wholeOf(site.number, windows.previous))
      return {
        ...counts,
        coverage,
        current: current.totals,
        previous: previous.totals,
        totals_source: sourceOf([...current.sources, ...previous.sources])
      } satisfies Summary
    })

    return { cannibalised, summary, table }
  }).pipe(Effect.orDie)
}) {}

const unknown: typeof PerformanceTotals.Type = { period: null, totals: null, totals_source: null }

/** Rows of an export's batch. Each batch adds up all facts again, so batches are large; rows are short. */
const exportBatch = 10_000

export const layer = HttpApiBuilder.group(apiRoot.add(PerformanceApi), "performance", (handlers) =>
  Effect.gen(function* () {
    const performance = yield* Performance
    return handlers
      .handle("performance", ({ path: { project_id }, urlParams: { cursor, limit, ...filters } }) =>
        Effect.gen(function* () {
          const beside = yield* Ref.make(unknown)
          const isWhole = filters.by === "date"
          const columns = Object.keys(PerformanceRow.fields).filter(
            (column) => column !== "previous" || filters.compare !== undefined
          )
          const order = orderOf(filters) ?? usual
          return yield* answerList(
            {
              read: (account, batch) =>
                Effect.flatMap(performance.table(account, project_id, filters, batch), ({ rows, totals, walk }) =>
                  Effect.as(
                    Ref.set(beside, totals),
                    rows.map((row) => ({ row, walk }))
                  )
                ),
              batch: exportBatch,
              columns,
              json: ({ row }) => JSON.stringify(row),
              position: ({ row, walk }) => positionBehind(row, walk, order),
              query: {
                cursor,
                limit: isWhole ? Math.max(limits.maximum, 500) : limit,
                of: ["performance", project_id, JSON.stringify(Object.entries(filters).sort())]
              }
            },
            ({ data, links, meta }) =>
              Effect.map(Ref.get(beside), (totals) => ({
                data: data.map(({ row }) => row),
                links,
                meta: { ...meta, per_page: limit, ...totals }
              }))
          )
        })
      )
      .handle("summary", ({ path }) => answer((account) => performance.summary(account, path.project_id)))
      .handle("cannibalisation", ({ path }) => answer((account) => performance.cannibalised(account, path.project_id)))
  })
).pipe(Layer.provide(Performance.Default))
