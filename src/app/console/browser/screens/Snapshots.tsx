import type { RankingSnapshot, SnapshotRow } from "../api/Contract.ts"
import { useAll, usePages } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement, refine, route } from "../Place.ts"
import { Confirm } from "../parts/Acts.tsx"
import { count, daysFrom, rate, rounded, sentence } from "../parts/Formats.ts"
import { Empty, Loaded, When } from "../parts/Status.tsx"
import { Details, Pages, Rows, Table } from "../parts/Tables.tsx"

const daysOf = ({ range }: RankingSnapshot) => (range === null ? "unknown dates" : daysFrom(range.start, range.end))

const nouns = { countries: "Country", devices: "Device", pages: "Page", queries: "Query" }

const Top = ({
  deleted,
  of,
  path
}: {
  readonly of: RankingSnapshot
  readonly path: string
  readonly deleted: () => void
}) => {
  const rows = usePages<SnapshotRow>(`${path}/${of.id}`)
  const title = `Top ${of.kind}, ${daysOf(of)}`
  return (
    <>
      <h3>{title}</h3>
      <Loaded read={rows}>
        {(rows) => (
          <Table
            caption={title}
            keyOf={({ key }) => key}
            rows={rows}
            columns={[
              { cell: ({ key }) => key, kind: "address", name: nouns[of.kind] },
              { cell: ({ clicks }) => count(clicks), kind: "number", name: "Clicks" },
              { cell: ({ impressions }) => count(impressions), kind: "number", name: "Impressions" },
              { cell: ({ ctr }) => rate(ctr), kind: "number", name: "CTR" },
              { cell: (row) => rounded(row.position), kind: "number", name: "Position" }
            ]}
          />
        )}
      </Loaded>
      <Pages name={title} pager={rows.pager} />
      <Details summary="Delete this snapshot">
        {() => (
          <Confirm
            action="Delete snapshot"
            name="delete"
            scope="rankings:write"
            work={() => ask("DELETE", `${path}/${of.id}`)}
            done={deleted}
          >
            <p>Its rows are deleted. Trends and position changes stay, because no snapshot is part of them.</p>
          </Confirm>
        )}
      </Details>
    </>
  )
}

/** Exports without a date column, and the rows of one. Without such exports it is empty, or `isAlone` on its tab says how to get one. */
export const Snapshots = ({ id, isAlone = false }: { readonly id: string; readonly isAlone?: boolean }) => {
  const path = `/projects/${id}/rankings/snapshots`
  const snapshots = useAll<RankingSnapshot>(path)
  const chosen = route.value.query.get("snapshot")
  return (
    <Loaded read={snapshots}>
      {(all) => {
        const shown = all.find(({ id }) => id === chosen)
        if (all.length === 0)
          return (
            isAlone && (
              <Empty title="No snapshots yet">
                Import a Search Console export without a date column to keep its top rows here, for example Queries.csv.
              </Empty>
            )
          )
        return (
          <>
            <h2>Snapshots</h2>
            <p class="quiet">Exports without a date column. They are not part of trends, position changes or events.</p>
            <Rows
              caption="Snapshots, the latest import first"
              name="snapshots"
              size={8}
              keyOf={({ id }) => id}
              rows={all}
              columns={[
                {
                  cell: ({ id, kind }) => (
                    <button type="button" aria-pressed={id === chosen} onClick={() => refine({ snapshot: id })}>
                      {sentence(kind)}
                    </button>
                  ),
                  name: "Snapshot"
                },
                { cell: daysOf, name: "Dates" },
                { cell: ({ rows }) => count(rows), kind: "number", name: "Rows" },
                { cell: ({ created_at }) => <When at={created_at} />, name: "Imported" }
              ]}
            />
            {shown !== undefined && (
              <Top
                key={shown.id}
                of={shown}
                path={path}
                deleted={() => {
                  announcement.value = "Snapshot deleted."
                  refine({ snapshot: null })
                  snapshots.reload()
                }}
              />
            )}
          </>
        )
      }}
    </Loaded>
  )
}
