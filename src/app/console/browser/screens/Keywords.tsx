import { useId } from "preact/hooks"
import type { Keyword, RankingSummary } from "../api/Contract.ts"
import { usePages } from "../api/Pages.ts"
import { refine, route } from "../Place.ts"
import { Choice } from "../parts/Choice.tsx"
import { count, sentence, share } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Select } from "../parts/Select.tsx"
import { type Column, Pages, Table } from "../parts/Table.tsx"
import { hashOf, queryOf } from "../Routes.ts"
import { Movement } from "./Movement.tsx"

const orders = {
  "impressions desc": "most impressions",
  "clicks desc": "most clicks",
  "position asc": "best position",
  "position_delta desc": "climbed most",
  "position_delta asc": "dropped most"
}

const movements = ["climbing", "dropping", "new", "lost", "stable"] as const

const columns: ReadonlyArray<Column<Keyword>> = [
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

/** The part of a query that is looked for; without one all are shown. */
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

/** The queries of a site, by movement, words and order. */
export const Keywords = ({ id, summary }: { readonly id: string; readonly summary: RankingSummary }) => {
  const { query } = route.value
  const [status, text, sorted] = [query.get("status") ?? "", query.get("query") ?? "", query.get("sort") ?? ""]
  const [sort = "", order = ""] = (sorted in orders ? sorted : "impressions desc").split(" ")
  const keywords = usePages<Keyword>(`/keywords${queryOf({ order, query: text, site_id: id, sort, status })}`)
  const all = movements.reduce((sum, movement) => sum + summary[movement], 0)
  return (
    <>
      <Choice
        label="Movement"
        chosen={status}
        options={[
          { text: `All ${count(all)}`, value: "" },
          ...movements.map((value) => ({ text: `${sentence(value)} ${count(summary[value])}`, value }))
        ]}
        choose={(status) => refine({ status })}
      />
      <Search key={text} text={text} />
      <div class="actions">
        <Select label="Order" options={orders} value={`${sort} ${order}`} choose={(sort) => refine({ sort })} />
      </div>
      <Loaded read={keywords}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No query is like this">
              <button type="button" onClick={() => refine({ query: null, status: null })}>
                Show all
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
