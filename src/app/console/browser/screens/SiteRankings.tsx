import { useSignal } from "@preact/signals"
import type { PerformanceRow, Project, RankingSource, RankingSummary } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { Line } from "../chart/Line.tsx"
import { refine, route } from "../Place.ts"
import { Choice } from "../parts/Choice.tsx"
import { Facts } from "../parts/Facts.tsx"
import { count, dayAt, dayOf, timeOf } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { Change, Tag } from "../parts/Verdict.tsx"
import { When } from "../parts/When.tsx"
import { Import } from "./Import.tsx"
import { Keyword } from "./Keyword.tsx"
import { Keywords } from "./Keywords.tsx"
import { Opportunities } from "./Opportunities.tsx"

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
        data.coverage === null ? (
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
      <Data key={imported.value} id={id} />
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
