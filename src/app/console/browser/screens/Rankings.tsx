import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type {
  ListedProject,
  Opportunity,
  PerformanceRow,
  Project,
  RankingSource,
  RankingSummary
} from "../api/Contract.ts"
import { useAll, usePages, useRead } from "../api/Read.ts"
import { Line } from "../chart/Charts.tsx"
import { refine, route } from "../Place.ts"
import { count, dayAt, dayOf, none, position, rounded, timeOf } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Change, Empty, Loaded, Tag, When } from "../parts/Status.tsx"
import { Facts, Page, Pages, Rows, Table } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { Import } from "./Import.tsx"
import { Keyword, Keywords } from "./Keywords.tsx"
import { reasonOf, restsOn } from "./RankingWords.ts"
import { Snapshots } from "./Snapshots.tsx"

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

/** The sites, each with the days of its search data; where there is one site, the way to it. */
export const Rankings = () => {
  const sites = useAll<ListedProject>("/projects?include=rankings")
  const [first, second] = sites.data ?? []
  const only = second === undefined ? first?.id : undefined
  useEffect(() => {
    // It takes the place of this screen in the history, so that the way back leads past both.
    if (only !== undefined) location.replace(hashOf(["rankings", only]))
  }, [only])
  return (
    <Page title="Rankings">
      <Loaded read={sites}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No site yet">
              <a href="#/sites">Add a site</a>, then bring its search data here.
            </Empty>
          ) : (
            <Rows
              caption="Sites with the days of their search data"
              name="sites"
              keyOf={({ id }) => id}
              rows={all}
              columns={[
                { cell: ({ id, name }) => <a href={`#/rankings/${id}`}>{name}</a>, kind: "address", name: "Site" },
                {
                  cell: ({ rankings }) => (rankings ? dayOf(rankings.first_day) : none),
                  name: "Data from"
                },
                { cell: ({ rankings }) => (rankings ? dayOf(rankings.last_day) : "no data yet"), name: "Data through" }
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  )
}

/** How a site gets its search data by itself. */
const Source = ({ id }: { readonly id: string }) => {
  const source = useRead<RankingSource>(`/projects/${id}/rankings/source`)
  return (
    <>
      <h2>Search Console</h2>
      {source.failure?.status === 404 ? (
        <p>
          Not connected. A PUT to <code>/api/v1/projects/{id}/rankings/source</code> with the key of a service account
          that may see the property reads the site’s data every day.
        </p>
      ) : (
        <Loaded read={source}>
          {({ last_error, next_sync_at, property, synced_at }) => (
            <>
              <p>
                Connected with <code>{property}</code>, last read <When at={synced_at} />, next{" "}
                <When at={next_sync_at} />
              </p>
              {last_error !== null && <p class="bad">The newest reading failed: {last_error}</p>}
            </>
          )}
        </Loaded>
      )}
    </>
  )
}

/** Clicks and impressions of the whole site, which are never sums over its queries. */
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
      <b>{count(now)}</b> before {count(before)}{" "}
      {now !== undefined && before !== undefined && <Change by={now - before} />}
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
          <strong>No property totals imported.</strong> What was imported has queries alone, and sums over these lack
          the ones that Search Console keeps to itself. A table of days or of pages brings totals.
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

const Data = ({ id }: { readonly id: string }) => {
  const summary = useRead<RankingSummary>(`/projects/${id}/rankings/summary`)
  const kind = route.value.query.get("kind")
  return (
    <Loaded read={summary}>
      {(data) =>
        data.coverage === null && data.current !== null ? (
          <Totals id={id} summary={data} />
        ) : data.coverage === null ? (
          <Empty title="No search data yet">
            Import a file of Search Console below, or connect the site, and you see which queries climb and which drop.
          </Empty>
        ) : (
          <>
            <p>
              <Tag text={`data through ${dayOf(data.coverage.current.end)}`} tone="quiet" />{" "}
              {dayOf(data.coverage.current.start)} – {dayOf(data.coverage.current.end)}, compared with the same length
              before
            </p>
            <Totals id={id} summary={data} />
            <Choice
              label="What is listed"
              chosen={kind === null ? "" : "striking_distance"}
              options={[
                { text: "Movements", value: "" },
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

const Overview = ({ id }: { readonly id: string }) => {
  const project = useRead<Project>(`/projects/${id}`)
  const imported = useSignal(0)
  return (
    <Page title={`Rankings of ${project.data?.name ?? "a site"}`} back={[`#/sites/${id}`, "The site"]}>
      <div key={imported.value}>
        <Data id={id} />
        <Snapshots id={id} />
      </div>
      <Import id={id} done={() => imported.value++} />
      <Source id={id} />
    </Page>
  )
}

/** How the queries of one site move, or one of them by day. */
export const SiteRankings = ({ id }: { readonly id: string }) => {
  const keyword = route.value.query.get("keyword")
  return keyword === null ? <Overview id={id} /> : <Keyword id={keyword} />
}
