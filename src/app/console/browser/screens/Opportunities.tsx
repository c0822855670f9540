import type { CurvePoint, Opportunity } from "../api/Contract.ts"
import { usePages, useRead } from "../api/Read.ts"
import { refine, route } from "../Place.ts"
import { Check, Download } from "../parts/Acts.tsx"
import { change, count, daysFrom, rate, rounded, share } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Empty, Loaded, Tag } from "../parts/Status.tsx"
import { type Column, Details, Pages, Rows, Table } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"
import { detailHash } from "./SearchTables.tsx"
import { reasonOf } from "./SearchWords.ts"

const kinds = [
  {
    text: "Striking distance",
    value: "striking_distance",
    means:
      "Queries ranking 4–20, with the clicks you could gain at position 3. The gain is your site’s own CTR at position 3, times the impressions, less today’s clicks.",
    isTested: false
  },
  {
    text: "Low CTR",
    value: "low_ctr",
    means:
      "Queries with a lower CTR than your site usually gets at that position. Review the title and meta description.",
    isTested: true
  },
  {
    text: "Content decay",
    value: "decay",
    means:
      "Pages with fewer clicks in the last 28 days than in the 28 days before. The change is split by impressions (demand), position and CTR.",
    isTested: true
  },
  {
    text: "Keyword cannibalization",
    value: "cannibalisation",
    means: "Queries where Google alternates between several of your pages. Merge them, or give each its own topic.",
    isTested: false
  }
] as const

const clicks = (value: number) => (value > 0 && value < 10 ? rounded(value) : count(Math.round(value)))

const gainOf = ({ gain }: Opportunity) => `${clicks(gain.clicks_low)} to ${clicks(gain.clicks_high)}`

const part = (value: number) => change(Math.round(value))

/** The columns that show why a row is listed. */
const reasons: Readonly<Record<string, ReadonlyArray<Column<Opportunity>>>> = {
  cannibalisation: [
    {
      cell: ({ evidence }) =>
        "pages" in evidence &&
        evidence.pages.map(({ days_first, page_path, share: part }) => (
          <small key={page_path}>
            {page_path}: {share(part)} of impressions, first on {count(days_first)} days
          </small>
        )),
      kind: "address",
      name: "Competing pages"
    }
  ],
  decay: [
    {
      cell: ({ evidence }) => "before" in evidence && count(evidence.before.clicks),
      kind: "number",
      name: "Clicks before"
    },
    { cell: ({ evidence }) => "parts" in evidence && part(evidence.parts.demand), kind: "number", name: "By demand" },
    {
      cell: ({ evidence }) => "parts" in evidence && part(evidence.parts.position),
      kind: "number",
      name: "By position"
    },
    { cell: ({ evidence }) => "parts" in evidence && part(evidence.parts.ctr), kind: "number", name: "By CTR" }
  ],
  low_ctr: [
    { cell: ({ ctr }) => rate(ctr), kind: "number", name: "CTR" },
    {
      cell: ({ evidence }) => "expected_ctr" in evidence && rate(evidence.expected_ctr),
      kind: "number",
      name: "Usual CTR"
    }
  ],
  striking_distance: [
    { cell: ({ ctr }) => rate(ctr), kind: "number", name: "CTR" },
    {
      cell: ({ evidence }) =>
        "target_ctr" in evidence && `${rate(evidence.target_ctr.low)} to ${rate(evidence.target_ctr.high)}`,
      kind: "number",
      name: "CTR at position 3"
    }
  ]
}

const columnsOf = (site: string, kind: string): ReadonlyArray<Column<Opportunity>> => [
  {
    cell: ({ page_path, query, significant }) => (
      <>
        <a href={query === null ? detailHash(site, "page", page_path) : detailHash(site, "query", query)}>
          {query ?? page_path}
        </a>{" "}
        {!significant && <Tag text="may be chance" tone="quiet" />}
        {query !== null && <small>{page_path}</small>}
      </>
    ),
    kind: "address",
    name: kind === "decay" ? "Page" : "Query"
  },
  { cell: gainOf, kind: "number", name: kind === "decay" ? "Clicks lost" : "Clicks to gain" },
  { cell: ({ clicks }) => count(clicks), kind: "number", name: "Clicks" },
  ...(reasons[kind] ?? []),
  { cell: (row) => rounded(row.position), kind: "number", name: "Position" },
  { cell: ({ impressions }) => count(impressions), kind: "number", name: "Impressions" }
]

/** The CTR that the site usually gets by position, which low CTR is measured against. */
const Curve = ({ id }: { readonly id: string }) => {
  const curve = useRead<ReadonlyArray<CurvePoint>>(`/projects/${id}/ctr-curve`)
  return (
    <Loaded read={curve}>
      {(points) => {
        const shown = points.filter(({ brand, device }) => device === null && !brand)
        return shown.length === 0 ? (
          <p>Not enough data yet.</p>
        ) : (
          <Rows
            caption="CTR by position, all devices, without brand queries"
            name="positions"
            size={10}
            keyOf={(point) => String(point.position)}
            rows={shown}
            columns={[
              { cell: (point) => count(point.position), name: "Position" },
              { cell: ({ ctr }) => rate(ctr), kind: "number", name: "CTR" },
              {
                cell: ({ high, low }) => `${rate(low)} to ${rate(high)}`,
                kind: "number",
                name: "95% interval"
              },
              { cell: ({ impressions }) => count(impressions), kind: "number", name: "Impressions" }
            ]}
          />
        )
      }}
    </Loaded>
  )
}

/** Opportunities of one kind, from the site's own search data. */
export const Opportunities = ({ id }: { readonly id: string }) => {
  const { query } = route.value
  const { isTested, means, value: kind } = kinds.find(({ value }) => value === query.get("kind")) ?? kinds[0]
  const isAll = isTested && query.get("all") === "1"
  const path = `/projects/${id}/opportunities${queryOf({ kind, significance: isAll ? "all" : null })}`
  const found = usePages<Opportunity>(path)
  const open = found.meta.not_assessed ?? []
  const { windows = null } = found.meta
  return (
    <>
      <Choice label="Kind of opportunity" chosen={kind} options={kinds} choose={(kind) => refine({ kind })} />
      <p>
        {means} {isTested && "At most 5% of the significant ones are expected to be chance."}
      </p>
      <div class="actions">
        {isTested && (
          <Check
            label="Show all, also what may be chance"
            isOn={isAll}
            turn={(isOn) => refine({ all: isOn ? "1" : null })}
          />
        )}
        {windows !== null && (
          <span class="quiet">
            {daysFrom(windows.current.start, windows.current.end)}, largest first, clicks per 28 days
          </span>
        )}
        {(found.data?.length ?? 0) > 0 && <Download action="Export CSV" name="opportunities.csv" path={path} />}
      </div>
      <Loaded read={found}>
        {(rows) =>
          rows.length > 0 ? (
            <>
              <Table
                caption="Opportunities, the largest first"
                keyOf={({ page_path, query }) => `${query} ${page_path}`}
                rows={rows}
                columns={columnsOf(id, kind)}
              />
              <Pages name="opportunities" pager={found.pager} />
            </>
          ) : open.length > 0 ? (
            <Empty title="Not enough data yet">
              {open.map((one) => (
                <p key={one.kind}>{reasonOf(one)}</p>
              ))}
            </Empty>
          ) : isTested && !isAll ? (
            <Empty title="No significant opportunities of this kind in the last 28 days">
              <button type="button" onClick={() => refine({ all: "1" })}>
                Show all
              </button>
            </Empty>
          ) : (
            <p>No opportunities of this kind in the last 28 days.</p>
          )
        }
      </Loaded>
      {kind === "low_ctr" && <Details summary="Usual CTR by position">{() => <Curve id={id} />}</Details>}
    </>
  )
}
