import { useSignal } from "@preact/signals"
import type { Opportunity, PerformanceRow, RankingSummary } from "../api/Contract.ts"
import { usePages, useRead } from "../api/Read.ts"
import { Line } from "../chart/Charts.tsx"
import { refine, route } from "../Place.ts"
import { count, dayAt, dayOf, position, rounded, share, timeOf } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Change, Empty, Loaded, Tag } from "../parts/Status.tsx"
import { Facts, Missing, Page, Pages, Table } from "../parts/Tables.tsx"
import { Import } from "./Import.tsx"
import { Keyword, Keywords } from "./Keywords.tsx"
import { periodOf, previousPeriod, reasonOf, whyOf } from "./RankingWords.ts"
import type { SiteProperties } from "./SiteScreens.tsx"
import { Snapshots } from "./Snapshots.tsx"

const kinds = [
  {
    text: "Striking distance",
    value: "striking_distance",
    means: "Queries ranking 4–20, with the clicks you could gain at position 3."
  },
  {
    text: "Low CTR",
    value: "low_ctr",
    means:
      "Queries with a lower CTR than your site usually gets at that position. Review the title and meta description."
  },
  {
    text: "Content decay",
    value: "decay",
    means: "Pages with fewer clicks in the last 28 days than in the 28 days before."
  },
  {
    text: "Keyword cannibalization",
    value: "cannibalisation",
    means: "Queries where Google alternates between several of your pages."
  }
] as const

const clicks = (value: number) => (value < 10 ? rounded(value) : count(Math.round(value)))

const gainOf = ({ gain }: Opportunity) => `${clicks(gain.clicks_low)} to ${clicks(gain.clicks_high)} in 28 days`

/** Opportunities of one kind, from the site's own search data. */
const Opportunities = ({ id, kind }: { readonly id: string; readonly kind: string }) => {
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
                  { cell: gainOf, name: kind === "decay" ? "Clicks lost" : "Potential clicks" },
                  { cell: whyOf, kind: "address", name: "Why" },
                  { cell: (row) => position(row.position), kind: "number", name: "Position" },
                  { cell: ({ clicks }) => count(clicks), kind: "number", name: "Clicks" },
                  { cell: ({ impressions }) => count(impressions), kind: "number", name: "Impressions" }
                ]}
              />
              <Pages name="opportunities" pager={found.pager} />
            </>
          ) : open.length > 0 ? (
            <Empty title="Not enough data yet">
              {open.map((one) => (
                <p key={one.kind}>{reasonOf(one)}</p>
              ))}
            </Empty>
          ) : (
            <p>No opportunities of this kind in the last 28 days.</p>
          )
        }
      </Loaded>
    </>
  )
}

/** Clicks and impressions of the whole site (site totals), never sums over queries. */
const Totals = ({
  id,
  summary: { coverage, current, previous }
}: {
  readonly id: string
  readonly summary: RankingSummary
}) => {
  const days = useRead<ReadonlyArray<PerformanceRow>>(`/projects/${id}/performance?by=date`)
  const fact = (now: number | undefined, before: number | undefined) => (
    <>
      <b>{count(now)}</b>{" "}
      {now !== undefined && before !== undefined && before > 0 && <Change by={now / before - 1} format={share} />} (
      {previousPeriod(coverage)}: {count(before)})
    </>
  )
  return (
    <>
      {coverage?.warnings.map((warning) => (
        <p key={warning} class="warn">
          {warning}
        </p>
      ))}
      {current === null && previous === null ? (
        <p>
          <strong>Totals are incomplete.</strong> Search Console hides rare queries, so query rows add up to less than
          your traffic. To see totals and charts, also import Chart.csv (Dates) from the same export.
        </p>
      ) : (
        <Facts
          of={[
            ["Clicks", fact(current?.clicks, previous?.clicks)],
            ["Impressions", fact(current?.impressions, previous?.impressions)]
          ]}
        />
      )}
      <Loaded read={days}>
        {(rows) =>
          rows.length > 0 && (
            <Line
              title="Clicks by day"
              when={dayAt}
              series={[{ name: "Clicks", points: rows.map(({ clicks, key }) => ({ at: timeOf(key), value: clicks })) }]}
            />
          )
        }
      </Loaded>
    </>
  )
}

const Totaled = ({ id }: { readonly id: string }) => {
  const summary = useRead<RankingSummary>(`/projects/${id}/rankings/summary`)
  const kind = route.value.query.get("kind")
  return (
    <Loaded read={summary}>
      {(data) =>
        data.coverage === null && data.current !== null ? (
          <Totals id={id} summary={data} />
        ) : data.coverage === null ? (
          <Empty title="No search data yet">
            Import a Search Console export below to see which queries gain and lose positions.
          </Empty>
        ) : (
          <>
            <p>
              <Tag text={`data through ${dayOf(data.coverage.current.end)}`} tone="quiet" /> {periodOf(data.coverage)}
            </p>
            <Totals id={id} summary={data} />
            <Choice
              label="View"
              chosen={kind === null ? "" : "striking_distance"}
              options={[
                { text: "Queries", value: "" },
                { text: "Opportunities", value: "striking_distance" }
              ]}
              choose={(kind) => refine({ kind })}
            />
            {kind === null ? <Keywords id={id} summary={data} /> : <Opportunities id={id} kind={kind} />}
          </>
        )
      }
    </Loaded>
  )
}

const Data = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const imported = useSignal(0)
  return (
    <Page title={`Search performance of ${name}`}>
      <div key={imported.value}>
        <Totaled id={id} />
        <Snapshots id={id} />
      </div>
      <Import id={id} done={() => imported.value++} />
    </Page>
  )
}

/** The search data of a site, or one of its queries by day. */
export const Search = ({ rest, site: { id, name } }: SiteProperties) => {
  const keyword = route.value.query.get("keyword")
  if (rest.length > 0) return <Missing />
  return keyword === null ? <Data id={id} name={name} /> : <Keyword id={keyword} />
}
