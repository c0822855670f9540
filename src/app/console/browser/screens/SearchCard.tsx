import type { PerformanceRow } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { Spark } from "../chart/Charts.tsx"
import { now } from "../Place.ts"
import { count, dayLength, daysFrom, isoDay, share, timeOf } from "../parts/Formats.ts"
import { Change, Loaded } from "../parts/Status.tsx"
import { type OfSite, Summary } from "../parts/SummaryCard.tsx"
import { Card } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { siteTab, tabHash } from "../SiteRoutes.ts"
import { ImportLink, tables } from "./SearchNeeds.tsx"

/** Days of a window of search data. */
const windowDays = 28

/** The clicks of the last 28 days with data, and of the 28 days before. */
const clicksOf = (rows: ReadonlyArray<PerformanceRow>) => {
  const last = timeOf(rows.at(-1)?.key ?? "")
  const within = (from: number, to: number) =>
    rows.filter(({ key }) => {
      const age = Math.round((last - timeOf(key)) / dayLength)
      return age >= from && age < to
    })
  const sum = (part: ReadonlyArray<PerformanceRow>) => part.reduce((total, { clicks }) => total + clicks, 0)
  const recent = within(0, windowDays)
  const before = within(windowDays, 2 * windowDays)
  return { before: before.length < windowDays ? null : sum(before), clicks: sum(recent), recent }
}

/** Queries without totals: the query that lost most clicks. */
const QueriesOnly = ({ id, totals }: OfSite & { readonly totals: string | null }) => {
  const { data, meta } = useRead<ReadonlyArray<PerformanceRow>>(
    `/projects/${id}/performance?by=query&compare=previous&sort=clicks_change&order=asc&limit=1`
  )
  const [worst] = data ?? []
  const by = worst === undefined ? 0 : worst.clicks - (worst.previous?.clicks ?? 0)
  return (
    <>
      <p>Queries imported. {totals ?? `Totals need ${tables.totals}.`}</p>
      {worst !== undefined && by < 0 && (
        <p>
          Top loss: <a href={hashOf([...siteTab(id, "search"), "query"], { key: worst.key })}>{worst.key}</a>{" "}
          <Change by={by} /> <small class="quiet">clicks vs. previous {windowDays} days</small>
        </p>
      )}
      {totals === null && meta.period && <p class="quiet">{daysFrom(meta.period.start, meta.period.end)}</p>}
      <p>
        <ImportLink site={id} />
      </p>
    </>
  )
}

/** The site’s clicks of the last 28 days, or what its search data lack. */
export const SearchCard = ({ id }: OfSite) => {
  const from = isoDay(now.peek() - (2 * windowDays + 7) * dayLength)
  const read = useRead<ReadonlyArray<PerformanceRow>>(`/projects/${id}/performance?by=date&start=${from}&limit=100`)
  const queries = useRead<ReadonlyArray<PerformanceRow>>(
    read.data?.length === 0 ? `/projects/${id}/performance?by=query&limit=1` : null
  )
  if (read.data?.length === 0 && (queries.data === null || queries.data.length > 0)) {
    const { period = null, totals = null } = queries.meta
    return (
      <Card title="Search" href={tabHash(id, "search")}>
        <Loaded read={queries}>
          {() => (
            <QueriesOnly
              id={id}
              totals={totals === null || period === null ? null : `Latest data: ${daysFrom(period.start, period.end)}.`}
            />
          )}
        </Loaded>
      </Card>
    )
  }
  return (
    <Summary
      empty={["Search Console data show which queries gain and lose clicks.", "Add search data"]}
      id={id}
      read={read}
      segment="search"
      title="Search"
    >
      {(rows) => {
        const { before, clicks, recent } = clicksOf(rows)
        return (
          <>
            <p class="big">
              <b>{count(clicks)}</b> <small>clicks</small>
              {recent.length > 1 && (
                <Spark label={`Clicks of ${recent.length} days`} values={recent.map(({ clicks }) => clicks)} />
              )}
            </p>
            <p>
              {before !== null && before > 0 && (
                <>
                  <Change by={clicks / before - 1} format={share} /> vs. previous {windowDays} days
                </>
              )}
            </p>
            <p class="quiet">{daysFrom(recent[0]?.key ?? "", recent.at(-1)?.key ?? "")}</p>
          </>
        )
      }}
    </Summary>
  )
}
