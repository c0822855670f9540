import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { Keyword, PerformanceRow, RankingSummary } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { refine, route } from "../Place.ts"
import { dayOf, daysFrom } from "../parts/Formats.ts"
import { Empty, Loaded, Tag } from "../parts/Status.tsx"
import { Missing, Page, Tabs } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { type SiteProperties, searchChoices } from "../SiteRoutes.ts"
import { ImportForm, ImportResult, useImport } from "./Import.tsx"
import { Opportunities } from "./Opportunities.tsx"
import { Chart } from "./SearchChart.tsx"
import { besideMonth, Period } from "./SearchPeriod.tsx"
import { Contains, type Dimension, dimensions, Moves, Performance, Statuses } from "./SearchTables.tsx"
import { type Days, daysOf, monthBefore } from "./SearchWords.ts"
import { Snapshots } from "./Snapshots.tsx"

/** The filters of the URL as parameters of performance. */
const filtersOf = (query: URLSearchParams, days: Days, fixed: Readonly<Record<string, string>>) => ({
  ...days,
  compare: query.get("compare") === "none" ? null : (query.get("compare") ?? "previous"),
  country: query.get("country"),
  device: query.get("device"),
  query_contains: fixed.query === undefined ? query.get("q") : null,
  ...fixed
})

/** Filters of a country or a device, each with a button that removes it. */
const Removable = () => {
  const { query } = route.value
  return (
    <>
      {(["country", "device"] as const).map((name) => {
        const value = query.get(name)
        return (
          value !== null && (
            <button key={name} type="button" class="chip" onClick={() => refine({ [name]: null })}>
              {name === "country" ? "Country" : "Device"}: {value.toUpperCase()} <span aria-hidden="true">✕</span>
              <span class="hidden">remove filter</span>
            </button>
          )
        )
      })}
    </>
  )
}

/** The days of the screen, its cards, its chart, and the tables below. */
const Body = ({
  children,
  fixed,
  id,
  latest,
  tabs
}: {
  readonly id: string
  readonly latest: string
  readonly tabs?: ComponentChildren
  /** Filters of the screen that are no part of its choices. */
  readonly fixed: Readonly<Record<string, string>>
  readonly children: (filters: ReturnType<typeof filtersOf>) => ComponentChildren
}) => {
  const { query } = route.value
  const days = daysOf(query, latest)
  const month = query.get("compare") === null ? monthBefore(query, days) : null
  const filters = filtersOf(query, days, fixed)
  const parameters = Object.entries(filters).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [[name, value]]
  )
  const own = useRead<ReadonlyArray<PerformanceRow>>(
    `/projects/${id}/performance?${new URLSearchParams([["by", "date"], ...parameters])}`
  )
  const earlier = useRead<ReadonlyArray<PerformanceRow>>(
    month === null ? null : `/projects/${id}/performance${queryOf({ ...filters, ...month, by: "date", compare: null })}`
  )
  const read = month === null ? own : besideMonth(own, earlier, days, month)
  const { previous = null } = read.meta
  const ofRows = own.meta.previous ?? null
  return (
    <>
      <Period days={days} latest={latest} />
      <p class="quiet">
        {daysFrom(days.start, days.end)}
        {previous !== null && ` vs. ${daysFrom(previous.period.start, previous.period.end)}`}{" "}
        {days.end === latest && <Tag text={`data through ${dayOf(latest)}`} tone="quiet" />} <Removable />
      </p>
      <Chart id={id} days={days} filters={filters} read={read} />
      {tabs}
      {month !== null && ofRows !== null && (
        <p class="quiet">
          Changes in the table are vs. {daysFrom(ofRows.period.start, ofRows.period.end)}, the same number of days.
        </p>
      )}
      {children(filters)}
    </>
  )
}

const others = { opportunities: "Opportunities", snapshots: "Snapshots" }

const isDimension = (tab: string): tab is Dimension => tab in dimensions

/** The links of the tabs; each keeps the filters. */
const SearchTabs = ({ chosen }: { readonly chosen: string }) => {
  const { query, segments } = route.value
  const all = [...Object.entries(dimensions).map(([tab, { name }]) => [tab, name] as const), ...Object.entries(others)]
  const kept = {
    ...Object.fromEntries(query),
    import: null,
    kind: null,
    open: null,
    order: null,
    snapshot: null,
    sort: null,
    status: null
  }
  return (
    <Tabs
      label="Search data"
      of={all.map(([tab, name]) => ({
        href: hashOf(segments, { ...kept, tab: tab === "queries" ? null : tab }),
        isCurrent: tab === chosen,
        name
      }))}
    />
  )
}

const Tables = ({
  dimension,
  filters,
  id,
  summary
}: {
  readonly id: string
  readonly dimension: Dimension
  readonly filters: ReturnType<typeof filtersOf>
  readonly summary: RankingSummary
}) => {
  const { query } = route.value
  const [status, text] = [query.get("status") ?? "", query.get("q") ?? ""]
  const { coverage } = summary
  const hasStatuses = dimension === "queries" && coverage !== null
  return (
    <>
      <div class="actions">
        {hasStatuses && <Statuses status={status} summary={summary} coverage={coverage} />}
        <Contains
          key={text}
          label={dimension === "queries" ? "Query contains" : "Only for queries that contain"}
          text={text}
        />
      </div>
      {hasStatuses && status !== "" ? (
        <Moves id={id} status={status} text={text} coverage={coverage} />
      ) : (
        <Performance id={id} days={filters} dimension={dimension} filters={filters} />
      )}
    </>
  )
}

/** The latest day of a site's search data, and its position changes. */
const useKnown = (id: string) => {
  const summary = useRead<RankingSummary>(`/projects/${id}/rankings/summary`)
  const days = useRead<ReadonlyArray<PerformanceRow>>(`/projects/${id}/performance`)
  return { latest: summary.data?.coverage?.current.end ?? days.meta.period?.end ?? null, read: days, summary }
}

/** The choices of the screen that its tab keeps. */
const kept = ["range", "start", "end", "compare", "order", "sort"] as const

/** Keeps the days and the order of the screen for its tab. */
const useKept = (id: string) => {
  const { query } = route.value
  const chosen = kept.map((name) => [name, query.get(name)] as const)
  useEffect(() => {
    searchChoices.value = { ...searchChoices.peek(), [id]: Object.fromEntries(chosen) }
  }, [id, JSON.stringify(chosen)])
}

const Site = ({
  id,
  latest,
  summary,
  tab
}: {
  readonly id: string
  readonly tab: string
  readonly latest: string
  readonly summary: RankingSummary
}) => (
  <>
    {summary.coverage?.warnings.map((warning) => (
      <p key={warning} class="warn">
        {warning}
      </p>
    ))}
    {isDimension(tab) && (
      <Body id={id} latest={latest} fixed={{}} tabs={<SearchTabs chosen={tab} />}>
        {(filters) => <Tables id={id} dimension={tab} filters={filters} summary={summary} />}
      </Body>
    )}
    {!isDimension(tab) && <SearchTabs chosen={tab} />}
    {tab === "opportunities" && <Opportunities id={id} />}
    {tab === "snapshots" && <Snapshots id={id} isAlone />}
  </>
)

/** Files and the connection that bring search data. */
const Imports = ({ id }: { readonly id: string }) => (
  <section class="imports" aria-label="Import search data">
    <ImportForm id={id} />
    <p>
      Or <a href={hashOf(["sites", id, "settings", "search"])}>connect Search Console</a> to import new data every day.
    </p>
  </section>
)

const Data = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const { query } = route.value
  const { latest, read, summary } = useKnown(id)
  const upload = useImport(id)
  const imported = useSignal(0)
  useKept(id)
  const isOpen = query.get("open") === "import"
  const asked = query.get("tab") ?? (query.get("kind") === null ? "queries" : "opportunities")
  const tab = isDimension(asked) || asked in others ? asked : "queries"
  const done = () => {
    read.reload()
    summary.reload()
    imported.value++
  }
  return (
    <Page
      title={`Search performance of ${name}`}
      about={
        latest !== null && (
          <button type="button" aria-expanded={isOpen} onClick={() => refine({ open: isOpen ? null : "import" })}>
            Import search data
          </button>
        )
      }
    >
      <ImportResult id={id} of={upload} done={done} />
      <Loaded read={summary}>
        {(data) => (
          <Loaded read={read}>
            {() =>
              latest === null ? (
                <>
                  {upload.begun === null && (
                    <Empty title="No search data yet">
                      Import a Search Console export to see which queries bring clicks, and which gain or lose
                      positions.
                    </Empty>
                  )}
                  {(upload.begun === null || upload.made?.finished_at) && <Imports id={id} />}
                  <Snapshots key={imported.value} id={id} />
                </>
              ) : (
                <>
                  {isOpen && <Imports id={id} />}
                  <div key={imported.value}>
                    <Site id={id} latest={latest} summary={data} tab={tab} />
                  </div>
                </>
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

/** One query with its pages, or one page with its queries. */
const Detail = ({
  id,
  item,
  what
}: {
  readonly id: string
  readonly what: "page" | "query"
  readonly item: string
}) => {
  const { latest, read, summary } = useKnown(id)
  return (
    <Page title={item}>
      <Loaded read={read}>
        {() =>
          latest === null ? (
            <p>No search data yet.</p>
          ) : summary.data === null ? (
            <Loaded read={summary}>{() => null}</Loaded>
          ) : (
            <Body id={id} latest={latest} fixed={what === "query" ? { query: item } : { page_path: item }}>
              {(filters) => (
                <>
                  <h2>{what === "query" ? "Pages for this query" : "Queries of this page"}</h2>
                  <Performance
                    id={id}
                    days={filters}
                    dimension={what === "query" ? "pages" : "queries"}
                    filters={filters}
                  />
                </>
              )}
            </Body>
          )
        }
      </Loaded>
    </Page>
  )
}

/** The query of a ranking record, for addresses that name a record. */
const OfRecord = ({ id, record }: { readonly id: string; readonly record: string }) => {
  const keyword = useRead<Keyword>(`/keywords/${encodeURIComponent(record)}`)
  if (keyword.data !== null) return <Detail id={id} what="query" item={keyword.data.query} />
  return (
    <Page title="Query">
      <Loaded read={keyword}>{() => null}</Loaded>
    </Page>
  )
}

/** The search data of a site, or one of its queries or pages. */
export const Search = ({ rest: [what, ...more], site: { id, name } }: SiteProperties) => {
  const { query } = route.value
  const [record, item] = [query.get("keyword"), query.get("key")]
  if (more.length > 0) return <Missing />
  if (what === "query" || what === "page")
    return item === null ? <Missing /> : <Detail key={item} id={id} what={what} item={item} />
  if (what !== undefined) return <Missing />
  return record === null ? <Data id={id} name={name} /> : <OfRecord id={id} record={record} />
}
