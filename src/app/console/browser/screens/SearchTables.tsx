import { useId } from "preact/hooks"
import type { Keyword as KeywordRecord, RankingSummary, Keyword as Record, SeriesDay } from "../api/Contract.ts"
import { usePages, useRead } from "../api/Read.ts"
import { Line } from "../chart/Charts.tsx"
import { refine, route } from "../Place.ts"
import { count, dayAt, dayOf, position, share, timeOf } from "../parts/Formats.ts"
import { Choice, Select } from "../parts/Forms.tsx"
import { Empty, Loaded } from "../parts/Status.tsx"
import { type Column, Facts, Page, Pages, Rows, Table } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { movements, wordsOf } from "./RankingWords.ts"

const tones = { climbing: "good", dropping: "bad", lost: "bad", new: "good", stable: "quiet" } as const
const signs = { climbing: "▲", dropping: "▼", lost: "▼", new: "▲", stable: "" } as const

/** A position change by positions, arrow, word and colour. */
const Movement = ({ of }: { readonly of: KeywordRecord }) => (
  <span class={tones[of.ranking_status]}>
    <span aria-hidden="true">{signs[of.ranking_status]}</span> {wordsOf(of)}
  </span>
)

const Series = ({ days }: { readonly days: ReadonlyArray<SeriesDay> }) => (
  <>
    <Line
      title="Position by day"
      isInverted
      format={position}
      series={[{ name: "Position", points: days.map(({ date, position }) => ({ at: timeOf(date), value: position })) }]}
    >
      <Rows
        caption="Position, clicks and impressions by day"
        name="days"
        size={10}
        keyOf={({ date }) => date}
        rows={days.toReversed()}
        columns={[
          { cell: ({ date }) => dayOf(date), name: "Day" },
          { cell: (day) => position(day.position), kind: "number", name: "Position" },
          { cell: ({ clicks }) => count(clicks), kind: "number", name: "Clicks" },
          { cell: ({ impressions }) => count(impressions), kind: "number", name: "Impressions" },
          { cell: ({ ctr }) => share(ctr), kind: "number", name: "CTR" }
        ]}
      />
    </Line>
    <Line
      title="Impressions by day"
      when={dayAt}
      series={[
        {
          name: "Impressions",
          points: days.map(({ date, impressions }) => ({ at: timeOf(date), value: impressions }))
        },
        { name: "Clicks", points: days.map(({ clicks, date }) => ({ at: timeOf(date), value: clicks })) }
      ]}
    />
  </>
)

/** One query on one page of a site, by day. */
export const Keyword = ({ id }: { readonly id: string }) => {
  const { query, segments } = route.value
  const path = `/keywords/${encodeURIComponent(id)}`
  const record = useRead<Record>(path)
  const series = useRead<ReadonlyArray<SeriesDay>>(`${path}/series`)
  return (
    <Page
      title={record.data?.query ?? "Query"}
      back={[hashOf(segments, { ...Object.fromEntries(query), keyword: null }), "Rankings"]}
    >
      <Loaded read={record}>
        {(keyword) => (
          <Facts
            of={[
              ["Page", <span class="address">{keyword.page_path}</span>],
              ["Position", <Movement of={keyword} />],
              ["Clicks", count(keyword.clicks)],
              ["Impressions", count(keyword.impressions)],
              ["CTR", share(keyword.ctr)]
            ]}
          />
        )}
      </Loaded>
      <Loaded read={series}>{(days) => <Series days={days} />}</Loaded>
    </Page>
  )
}

const orders = {
  "impressions desc": "Most impressions",
  "clicks desc": "Most clicks",
  "position asc": "Best position",
  "position_delta desc": "Biggest gains",
  "position_delta asc": "Biggest losses"
}

const statuses = ["climbing", "dropping", "new", "lost", "stable"] as const

const columns: ReadonlyArray<Column<KeywordRecord>> = [
  {
    cell: ({ id, page_path, query }) => {
      const { query: filters, segments } = route.value
      return (
        <>
          <a href={hashOf(segments, { ...Object.fromEntries(filters), keyword: id })}>{query}</a>
          <small>{page_path}</small>
        </>
      )
    },
    kind: "address",
    name: "Query"
  },
  { cell: (keyword) => <Movement of={keyword} />, name: "Position" },
  { cell: ({ clicks }) => count(clicks), kind: "number", name: "Clicks" },
  { cell: ({ impressions }) => count(impressions), kind: "number", name: "Impressions" },
  { cell: ({ ctr }) => share(ctr), kind: "number", name: "CTR" }
]

/** Filters queries by a part of their text; empty shows all. */
const Search = ({ text }: { readonly text: string }) => {
  const id = useId()
  return (
    <search>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault()
          refine({ query: String(new FormData(event.currentTarget).get("query") ?? "") })
        }}
      >
        <label for={id}>Query contains</label>
        <input id={id} name="query" type="search" maxLength={1000} defaultValue={text} />
        <button type="submit">Search</button>
      </form>
    </search>
  )
}

/** The queries of a site, filtered by position change and text, and sorted. */
export const Keywords = ({ id, summary }: { readonly id: string; readonly summary: RankingSummary }) => {
  const { query } = route.value
  const [status, text, sorted] = [query.get("status") ?? "", query.get("query") ?? "", query.get("sort") ?? ""]
  const [sort = "", order = ""] = (sorted in orders ? sorted : "impressions desc").split(" ")
  const keywords = usePages<KeywordRecord>(`/keywords${queryOf({ order, query: text, site_id: id, sort, status })}`)
  const all = statuses.reduce((sum, one) => sum + summary[one], 0)
  return (
    <>
      <Choice
        label="Position change"
        chosen={status}
        options={[
          { text: `All ${count(all)}`, value: "" },
          ...statuses.map((value) => ({ text: `${movements[value]} ${count(summary[value])}`, value }))
        ]}
        choose={(status) => refine({ status })}
      />
      <Search key={text} text={text} />
      <div class="actions">
        <Select label="Sort by" options={orders} value={`${sort} ${order}`} choose={(sort) => refine({ sort })} />
      </div>
      <Loaded read={keywords}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No matching queries">
              <button type="button" onClick={() => refine({ query: null, status: null })}>
                Show all queries
              </button>
            </Empty>
          ) : (
            <>
              <Table caption="Queries and their positions" keyOf={({ id }) => id} rows={rows} columns={columns} />
              <Pages name="queries" pager={keywords.pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}
