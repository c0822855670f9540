import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { apiError } from "../../../foundation/http/ApiError.ts"
import { apiRoot, limits } from "../../../foundation/http/Contract.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
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
  PerformanceApi,
  type PerformanceParameters,
  PerformanceRow,
  type PerformanceTotals,
  type Summary
} from "./Api.ts"
import type { Slice } from "./Facts.ts"
import { PerformanceRepo } from "./PerformanceRepo.ts"

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

/** A cursor's texts: days and state of the table, then impressions, clicks and key of the previous row. */
const Position = Schema.Tuple(
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.NumberFromString,
  Schema.NumberFromString,
  Schema.String
)

/** The position after a row. */
const positionBehind = (
  { clicks, impressions, key }: typeof PerformanceRow.Type,
  { end, start, state }: Walk
): typeof Position.Encoded => [start, end, state, String(impressions), String(clicks), key]

const decodePosition = (texts: ReadonlyArray<string>) =>
  Effect.mapBoth(Schema.decodeUnknown(Position)(texts), {
    onFailure: () => stale,
    onSuccess: ([start, end, state, impressions, clicks, key]) => ({
      after: { clicks, impressions, key },
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
  totals: { totals: null, totals_source: null },
  walk: { end: "", start: "", state: "" }
}

type Source = Exclude<typeof PerformanceTotals.Type.totals_source, null>

const sourceOf = (sources: ReadonlyArray<Source>): Source | null =>
  new Set(sources).size > 1 ? "mixed" : (sources[0] ?? null)

/** The whole of some days of a site. */
const wholeOf = (site: number, { end, start }: Window): Slice => ({
  apartBy: null,
  country: null,
  days: { end: Day.format(end), start: Day.format(start) },
  device: null,
  page: null,
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
      Effect.map(repo.totals(slice), ({ clicks, impressions, sources }) =>
        sources !== null && impressions !== null && clicks !== null
          ? { sources, totals: { clicks, impressions } }
          : { sources: [], totals: null }
      )

    /** The newest day of a table: of any data for totals by day, of queries, if any, for all other tables. */
    const newestOf = Effect.fnUntraced(function* (
      by: By,
      site: { newest_day: string | null; number: number } | undefined
    ) {
      if (site === undefined || (by !== "date" && site.newest_day !== null)) return site?.newest_day ?? null
      return (yield* repo.newest(site.number)).day
    })

    const totalsOf = Effect.fnUntraced(function* (by: By, slice: Slice) {
      const { sources, totals } = yield* known(slice)
      const totals_source = sourceOf(sources)
      if (by !== "query") return { totals, totals_source }
      const queries = yield* repo.queries(slice)
      const anonymised =
        totals === null
          ? null
          : {
              clicks: Math.max(0, totals.clicks - (queries.clicks ?? 0)),
              impressions: Math.max(0, totals.impressions - (queries.impressions ?? 0))
            }
      const segments = isNarrowed(slice) ? { segments: yield* repo.segments({ ...slice.days, site: slice.site }) } : {}
      return { anonymised, totals, totals_source, ...segments }
    })

    /**
     * All pages of a table have the days of the first page, even when newer days arrive. When facts of these days change, the cursor is refused, because
     * further pages could miss rows or repeat them.
     */
    const table = Traced.fn("Performance.table")(function* (
      account: AccountId,
      project: ProjectId,
      { by, country, device, page_path, ...range }: TableFilters,
      { after: cursor, count }: { readonly after: Batch["after"]; readonly count: number | null }
    ) {
      const site = Option.getOrUndefined(yield* sites.known(yield* projects.own(account, project)))
      const position = cursor === undefined ? undefined : yield* decodePosition(cursor)
      const days = position === undefined ? yield* daysOf(range, yield* newestOf(by, site)) : position.days
      if (site === undefined || days === null) return nothing
      const { state } = yield* repo.state({ ...days, site: site.number })
      if (position !== undefined && position.state !== state) return yield* stale
      const slice = {
        apartBy: apartBy(by),
        country: country?.toLowerCase() ?? null,
        days,
        device: device?.toUpperCase() ?? null,
        page: page_path ?? null,
        site: site.number
      }
      const rows = yield* by === "date" ? repo.byDate(slice) : repo.rows(by, slice, position?.after, count)
      const totals = yield* totalsOf(by, { ...slice, apartBy: null })
      return { rows, totals, walk: { ...days, state } } satisfies Table
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
      const newest = list?.end ?? (yield* newestOf("query", site))
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

const unknown: typeof PerformanceTotals.Type = { totals: null, totals_source: null }

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
              columns: Object.keys(PerformanceRow.fields),
              json: ({ row }) => JSON.stringify(row),
              position: ({ row, walk }) => positionBehind(row, walk),
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
