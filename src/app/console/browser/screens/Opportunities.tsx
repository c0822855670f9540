import type { Opportunity } from "../api/Contract.ts"
import { usePages } from "../api/Pages.ts"
import { refine } from "../Place.ts"
import { Choice } from "../parts/Choice.tsx"
import { count, position, rounded } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Pages, Table } from "../parts/Table.tsx"
import { reasonOf, restsOn } from "./RankingWords.ts"

const kinds = [
  {
    text: "Close to the top",
    value: "striking_distance",
    means: "Queries from position 4 to 20, and what position 3 would bring."
  },
  {
    text: "Rarely clicked",
    value: "low_ctr",
    means:
      "Queries that are clicked more seldom than the site’s others at their position: titles and descriptions are worth a look."
  },
  {
    text: "Losing clicks",
    value: "decay",
    means: "Pages that lost clicks in the newest 28 days against the 28 before."
  },
  {
    text: "Several pages compete",
    value: "cannibalisation",
    means: "Queries for which several pages are shown in turn."
  }
] as const

const clicks = (value: number) => (value < 10 ? rounded(value) : count(Math.round(value)))

const gainOf = ({ gain, kind }: Opportunity) =>
  `${clicks(gain.clicks_low)} to ${clicks(gain.clicks_high)} clicks ${kind === "decay" ? "lost" : "in 28 days"}`

/** What could be gained, by what the site's own search data say. */
export const Opportunities = ({ id, kind }: { readonly id: string; readonly kind: string }) => {
  const found = usePages<Opportunity>(`/projects/${id}/opportunities?kind=${encodeURIComponent(kind)}`)
  const open = found.meta.not_assessed ?? []
  return (
    <>
      <Choice label="Kind of opportunity" chosen={kind} options={kinds} choose={(kind) => refine({ kind })} />
      <p>{kinds.find(({ value }) => value === kind)?.means}</p>
      <Loaded read={found}>
        {(rows) =>
          rows.length > 0 ? (
            <>
              <Table
                caption="Opportunities, the largest first"
                keyOf={({ page_path, query }) => `${query} ${page_path}`}
                rows={rows}
                columns={[
                  {
                    cell: ({ page_path, query }) => (
                      <>
                        {query ?? page_path}
                        {query !== null && <small>{page_path}</small>}
                      </>
                    ),
                    kind: "address",
                    name: kind === "decay" ? "Page" : "Query"
                  },
                  { cell: gainOf, name: "Gain" },
                  { cell: restsOn, kind: "address", name: "What it rests on" },
                  { cell: (row) => position(row.position), kind: "number", name: "Position" },
                  { cell: ({ clicks }) => count(clicks), kind: "number", name: "Clicks" },
                  { cell: ({ impressions }) => count(impressions), kind: "number", name: "Impressions" }
                ]}
              />
              <Pages name="opportunities" pager={found.pager} />
            </>
          ) : open.length > 0 ? (
            <Empty title="It cannot be said yet">
              {open.map((one) => (
                <p key={one.kind}>{reasonOf(one)}</p>
              ))}
              <p>Import the missing days below.</p>
            </Empty>
          ) : (
            <p>None: nothing stands out in the newest 28 days.</p>
          )
        }
      </Loaded>
    </>
  )
}
