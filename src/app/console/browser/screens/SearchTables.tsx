import { useId } from "preact/hooks"
import type { Keyword, PerformanceRow, RankingSummary } from "../api/Contract.ts"
import { usePages } from "../api/Read.ts"
import { refine, route } from "../Place.ts"
import { Download } from "../parts/Acts.tsx"
import { count, daysFrom, none, rate, rounded, share } from "../parts/Formats.ts"
import { Choice, Select } from "../parts/Forms.tsx"
import { Change, Empty, Loaded } from "../parts/Status.tsx"
import { type Column, type Order, Pages, Table } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { ImportLink, needs } from "./SearchNeeds.tsx"
import { changedIn, type Days, gainBetween, movements, periodOf, wordsOf } from "./SearchWords.ts"

/** The filters of a URL that lead from one screen of search data to another. */
const carried = ["range", "start", "end", "compare"] as const

/** The URL of one query, or of one page, with the range of days that is shown. */
export const detailHash = (site: string, what: "page" | "query", key: string): string => {
  const { query } = route.value
  return hashOf(["sites", site, "search", what], {
    ...Object.fromEntries(carried.map((name) => [name, query.get(name)])),
    key
  })
}

/** A dimension of a table: the parameter `by`, its tab and its noun. */
export const dimensions = {
  queries: { by: "query", name: "Queries", noun: "Query" },
  pages: { by: "page", name: "Pages", noun: "Page" },
  countries: { by: "country", name: "Countries", noun: "Country" },
  devices: { by: "device", name: "Devices", noun: "Device" }
} as const
export type Dimension = keyof typeof dimensions

/** The name of a row: a link to its own screen, or, of a country or device, to the queries there. */
const nameOf =
  (site: string, dimension: Dimension) =>
  ({ key }: PerformanceRow) => {
    if (dimension === "queries") return <a href={detailHash(site, "query", key)}>{key}</a>
    if (dimension === "pages") return <a href={detailHash(site, "page", key)}>{key}</a>
    const { query, segments } = route.value
    const filters = { ...Object.fromEntries(query), [dimensions[dimension].by]: key, tab: null }
    return key === "" ? "unknown" : <a href={hashOf(segments, filters)}>{key.toUpperCase()}</a>
  }

const columnsOf = (site: string, dimension: Dimension, isCompared: boolean): ReadonlyArray<Column<PerformanceRow>> => [
  { cell: nameOf(site, dimension), kind: "address", name: dimensions[dimension].noun },
  { cell: ({ clicks }) => count(clicks), kind: "number", name: "Clicks", sort: "clicks" },
  ...(isCompared
    ? [
        {
          cell: ({ clicks, previous }: PerformanceRow) => {
            const by = clicks - (previous?.clicks ?? 0)
            return by === 0 ? <span class="quiet">0</span> : <Change by={by} />
          },
          kind: "number" as const,
          name: "Clicks change",
          sort: "clicks_change"
        }
      ]
    : []),
  { cell: ({ impressions }) => count(impressions), kind: "number", name: "Impressions", sort: "impressions" },
  { cell: ({ ctr }) => rate(ctr), kind: "number", name: "CTR", sort: "ctr" },
  { cell: (row) => rounded(row.position), kind: "number", name: "Position", sort: "position" },
  ...(isCompared
    ? [
        {
          cell: ({ position: now, previous }: PerformanceRow) => {
            if (now !== null && previous === null) return <span class="good">new</span>
            const by = gainBetween(previous?.position, now)
            if (by === null) return none
            return by === 0 ? <span class="quiet">{rounded(0)}</span> : <Change by={by} format={rounded} />
          },
          kind: "number" as const,
          name: "Position change",
          sort: "position_change"
        }
      ]
    : [])
]

/** The order of a list by the filters of the URL. */
const orderOf = (usual: string, ascending: ReadonlyArray<string>): Order & { readonly sort: string | null } => {
  const { query } = route.value
  const sort = query.get("sort")
  const by = sort ?? usual
  const isDescending = query.get("order") === null ? !ascending.includes(by) : query.get("order") === "desc"
  return {
    by,
    choose: (next) => {
      const isTurned = next === by ? !isDescending : !ascending.includes(next)
      refine({ order: isTurned ? "desc" : "asc", sort: next })
    },
    isDescending,
    sort
  }
}

/** The orders to choose from on narrow screens, which show no headings of columns. */
const sorts = {
  "impressions desc": "Most impressions",
  "clicks desc": "Most clicks",
  "ctr desc": "Best CTR",
  "position asc": "Best position"
}

/** Search performance by one dimension, for the days and filters of the screen. */
export const Performance = ({
  days,
  dimension,
  filters,
  id
}: {
  readonly id: string
  readonly days: Days
  readonly dimension: Dimension
  readonly filters: Readonly<Record<string, string | null>>
}) => {
  const { by, name } = dimensions[dimension]
  const isCompared = (filters.compare ?? null) !== null
  const order = orderOf("impressions", ["position", "clicks_change", "position_change"])
  const isLost = order.by.endsWith("_change") && !isCompared
  const sorted = order.sort === null || isLost ? {} : { order: order.isDescending ? "desc" : "asc", sort: order.by }
  const path = `/projects/${id}/performance${queryOf({ ...filters, by, ...sorted })}`
  const table = usePages<PerformanceRow>(path)
  const { anonymised = null, totals = null } = table.meta
  const isRefused = table.failure?.status === 422 && order.sort !== null
  return (
    <>
      {isRefused && (
        <button type="button" onClick={() => refine({ order: null, sort: null })}>
          Sort by impressions
        </button>
      )}
      <Loaded read={table}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={`No ${name.toLowerCase()} in ${daysFrom(days.start, days.end)}`}>
              {needs[dimension] !== null && totals === null && (
                <p>
                  {needs[dimension]} <ImportLink site={id} />
                </p>
              )}
              <button
                type="button"
                onClick={() => refine({ country: null, device: null, end: null, q: null, range: "12m", start: null })}
              >
                Show 12 months without filters
              </button>
            </Empty>
          ) : (
            <div class="figures">
              <div class="actions sorting">
                <Select
                  label="Sort by"
                  options={isCompared ? { ...sorts, "clicks_change asc": "Most clicks lost" } : sorts}
                  value={`${order.by} ${order.isDescending ? "desc" : "asc"}`}
                  choose={(chosen) => {
                    const [sort = null, order = null] = chosen.split(" ")
                    refine({ order, sort })
                  }}
                />
              </div>
              <Table
                caption={`${name} with their search performance`}
                keyOf={({ key }) => key}
                order={order}
                rows={rows}
                columns={columnsOf(id, dimension, isCompared)}
              />
              <div class="actions">
                <Pages name={name.toLowerCase()} pager={table.pager} />
                <Download action="Export CSV" name={`${name.toLowerCase()}.csv`} path={path} />
              </div>
            </div>
          )
        }
      </Loaded>
      {anonymised !== null && totals !== null && anonymised.clicks > 0 && (
        <p class="quiet">
          Search Console hides rare queries: {count(anonymised.clicks)} of {count(totals.clicks)} clicks (
          {share(anonymised.clicks / Math.max(1, totals.clicks))}) belong to queries that are not listed.
        </p>
      )}
    </>
  )
}

const statuses = ["climbing", "dropping", "new", "lost"] as const

/** Chips for queries by their position change, with the periods that they compare. */
export const Statuses = ({
  coverage,
  status,
  summary
}: {
  readonly status: string
  readonly coverage: NonNullable<RankingSummary["coverage"]>
  readonly summary: RankingSummary
}) => (
  <div class="moves">
    <small>Position changes, {changedIn(coverage)}</small>
    <Choice
      label={`Position changes, ${changedIn(coverage)}`}
      chosen={status}
      options={[
        { text: "All", value: "" },
        ...statuses.map((value) => ({ text: `${movements[value]} ${count(summary[value])}`, value }))
      ]}
      choose={(status) => refine({ order: null, sort: null, status })}
    />
  </div>
)

const outcomes = { climbing: "improved", dropping: "declined", lost: "were lost", new: "were new" } as const

const tones = { climbing: "good", dropping: "bad", lost: "bad", new: "good", stable: "quiet" } as const
const signs = { climbing: "▲", dropping: "▼", lost: "▼", new: "▲", stable: "" } as const

/** A position change by positions, arrow, word and colour. */
const Movement = ({ of }: { readonly of: Keyword }) => (
  <span class={tones[of.ranking_status]}>
    <span aria-hidden="true">{signs[of.ranking_status]}</span> {wordsOf(of)}
  </span>
)

/** Queries on pages that changed positions, over the two latest periods of rankings. */
export const Moves = ({
  coverage,
  id,
  status,
  text
}: {
  readonly id: string
  readonly status: string
  readonly text: string
  readonly coverage: NonNullable<RankingSummary["coverage"]>
}) => {
  const order = orderOf("impressions", ["position"])
  const sorted = order.sort === null ? {} : { order: order.isDescending ? "desc" : "asc", sort: order.by }
  const path = `/keywords${queryOf({ ...sorted, query: text, site_id: id, status })}`
  const keywords = usePages<Keyword>(path)
  const chosen = statuses.find((one) => one === status)
  const moved = chosen === undefined ? "" : `${outcomes[chosen]} `
  return (
    <>
      <p class="quiet">{periodOf(coverage)}</p>
      <Loaded read={keywords}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={`No ${text === "" ? "" : "matching "}queries ${moved}in ${periodOf(coverage)}`}>
              <p>These filters compare the {changedIn(coverage)}. The table of all queries shows the chosen period.</p>
              <button type="button" onClick={() => refine({ q: null, status: null })}>
                Show all queries
              </button>
            </Empty>
          ) : (
            <>
              <Table
                caption="Queries and their position changes"
                keyOf={({ id }) => id}
                order={order}
                rows={rows}
                columns={[
                  {
                    cell: ({ page_path, query }) => (
                      <>
                        <a href={detailHash(id, "query", query)}>{query}</a>
                        <small>{page_path}</small>
                      </>
                    ),
                    kind: "address",
                    name: "Query"
                  },
                  { cell: (keyword) => <Movement of={keyword} />, name: "Position", sort: "position_delta" },
                  { cell: ({ clicks }) => count(clicks), kind: "number", name: "Clicks", sort: "clicks" },
                  {
                    cell: ({ impressions }) => count(impressions),
                    kind: "number",
                    name: "Impressions",
                    sort: "impressions"
                  },
                  { cell: ({ ctr }) => rate(ctr), kind: "number", name: "CTR" }
                ]}
              />
              <div class="actions">
                <Pages name="queries" pager={keywords.pager} />
                <Download action="Export CSV" name="position-changes.csv" path={path} />
              </div>
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** Filters all of the screen by a part of queries' texts; empty shows all. */
export const Contains = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const id = useId()
  return (
    <search>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault()
          refine({ q: String(new FormData(event.currentTarget).get("q") ?? "").trim() })
        }}
      >
        <label for={id}>{label}</label>
        <input id={id} name="q" type="search" maxLength={1000} defaultValue={text} />
        <button type="submit">Search</button>
      </form>
    </search>
  )
}
