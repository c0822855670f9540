import type { Keyword as Record, SeriesDay } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { Line } from "../chart/Line.tsx"
import { route } from "../Place.ts"
import { Facts } from "../parts/Facts.tsx"
import { count, dayAt, dayOf, position, share, timeOf } from "../parts/Formats.ts"
import { Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { Rows } from "../parts/Rows.tsx"
import { hashOf } from "../Routes.ts"
import { Movement } from "./Movement.tsx"

const Series = ({ days }: { readonly days: ReadonlyArray<SeriesDay> }) => (
  <>
    <Line
      title="Position by day"
      isInverted
      format={position}
      series={[{ name: "Position", points: days.map(({ date, position }) => ({ at: timeOf(date), value: position })) }]}
    >
      <Rows
        caption="The query by day"
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
