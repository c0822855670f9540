import { useSignal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import type { Experiment, Intervention, PerformanceRow, PerformanceTotals } from "../api/Contract.ts"
import { type Read, useAll } from "../api/Read.ts"
import type { Failure } from "../api/Send.ts"
import { may, readLines } from "../api/Session.ts"
import { type Mark, type Measure, Trend } from "../chart/Trend.tsx"
import { refine, route, wait } from "../Place.ts"
import { count, dayAfter, dayOf, pathOf, position, rate, rounded, share, short } from "../parts/Formats.ts"
import { Change, Failed, Loaded } from "../parts/Status.tsx"
import { Details, Rows } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"
import { ImportLink, tables } from "./SearchNeeds.tsx"
import { changeBetween, type Days, eachDay, gainBetween, lengthOf } from "./SearchWords.ts"

const names = ["clicks", "impressions", "ctr", "position"] as const
type Name = (typeof names)[number]

/** The metrics of search: name, format, and the short form for axes. */
const metrics: Readonly<Record<Name, Pick<Measure, "format" | "isInverted" | "name" | "short">>> = {
  clicks: { format: count, name: "Clicks", short },
  ctr: { format: rate, name: "CTR", short: share },
  impressions: { format: count, name: "Impressions", short },
  position: { format: rounded, isInverted: true, name: "Position", short: position }
}

const isName = (text: string): text is Name => text in metrics

/** The metrics in the chart, by the URL: two at most. */
const shownBy = (query: URLSearchParams): ReadonlyArray<Name> => {
  const asked = (query.get("show") ?? "").split(" ").filter(isName).slice(0, 2)
  return asked.length === 0 ? ["clicks", "impressions"] : asked
}

type Totals = NonNullable<PerformanceTotals["totals"]>

/** A difference of two rates, in percentage points. */
const inPoints = (difference: number): string => `${rounded(100 * difference)} points`

/** The change of a metric with its format: of rates and positions the difference, of counts the share of the earlier count. */
const changeOf = (name: Name, now: Totals, before: Totals) => {
  if (name === "position") return { by: gainBetween(before.position, now.position), format: rounded }
  if (name !== "ctr") return { by: changeBetween(before[name], now[name]), format: rate }
  return { by: now.ctr === null || before.ctr === null ? null : now.ctr - before.ctr, format: inPoints }
}

const Delta = ({
  before,
  name,
  now
}: {
  readonly name: Name
  readonly now: Totals
  readonly before: Totals | null
}) => {
  if (before === null) return null
  const { by, format } = changeOf(name, now, before)
  return (
    <small>
      {by !== null && <Change by={by} format={format} />}{" "}
      <span class="quiet">from {metrics[name].format(before[name])}</span>
    </small>
  )
}

/** A card for each metric: value, change, and whether the chart shows it. */
const Metrics = ({
  before,
  shown,
  totals
}: {
  readonly totals: Totals
  readonly before: Totals | null
  readonly shown: ReadonlyArray<Name>
}) => (
  <fieldset class="metrics" aria-label="Metrics in the chart">
    {names.map((name) => {
      const place = shown.indexOf(name)
      const others = shown.filter((one) => one !== name)
      const next = place < 0 ? [...others.slice(-1), name] : others
      return (
        <button
          key={name}
          type="button"
          class={place < 0 ? "metric" : `metric m${place}`}
          aria-pressed={place >= 0}
          onClick={() => refine({ show: next.join(" ") })}
        >
          <span>{metrics[name].name}</span>
          <b>{metrics[name].format(totals[name])}</b>
          <Delta name={name} now={totals} before={before} />
        </button>
      )
    })}
  </fieldset>
)

const dayOfTime = (time: string) => time.slice(0, 10)

/** Changes of the site and of its experiments in a range of days. */
const useMarks = (id: string): ReadonlyArray<Mark> => {
  const changes = useAll<Intervention>(may("interventions:read") ? `/projects/${id}/interventions` : null)
  const experiments = useAll<Experiment>(may("experiments:read") ? `/experiments?site_id=${id}` : null)
  return [
    ...(changes.data ?? []).flatMap(({ deployed_at, rolled_back_at, summary, url }) => [
      ...(deployed_at === null ? [] : [{ day: dayOfTime(deployed_at), text: `${summary} (${pathOf(url)})` }]),
      ...(rolled_back_at === null ? [] : [{ day: dayOfTime(rolled_back_at), text: `Rolled back: ${summary}` }])
    ]),
    ...(experiments.data ?? []).flatMap(({ completed_at, design, name, started_at }) => {
      const begun = design?.change_date ?? (started_at === null ? null : dayOfTime(started_at))
      return [
        ...(begun === null ? [] : [{ day: begun, text: `Experiment “${name}” started` }]),
        ...(completed_at === null ? [] : [{ day: dayOfTime(completed_at), text: `Experiment “${name}” evaluated` }])
      ]
    })
  ].toSorted((a, b) => (a.day < b.day ? -1 : 1))
}

/** Most queries that a sum adds up. */
const most = 5000

/** Clicks and impressions of listed queries, and their number. */
interface Sum {
  readonly clicks: number
  readonly impressions: number
  readonly queries: number
}

/** Adds up the queries of a table, up to the limit, from one request; null until then, and without a table. */
const useSum = (site: string, query: string | null) => {
  const sum = useSignal<Sum | null>(null)
  const failure = useSignal<Failure | null>(null)
  useLayoutEffect(() => {
    sum.value = null
    failure.value = null
    if (query === null) return
    const controller = new AbortController()
    const close = wait()
    const found = { clicks: 0, impressions: 0, queries: 0 }
    void readLines<PerformanceRow>(
      `/projects/${site}/performance${query}`,
      controller.signal,
      ({ clicks, impressions }) => {
        if (found.queries === most) return
        found.clicks += clicks
        found.impressions += impressions
        found.queries++
        if (found.queries === most) controller.abort()
      }
    ).then((ended) => {
      close()
      if (controller.signal.aborted && found.queries < most) return
      failure.value = ended
      sum.value = { ...found }
    })
    return () => {
      controller.abort()
      close()
    }
  }, [site, query])
  return { failure: failure.value, sum: sum.value }
}

const SumOf = ({
  before,
  name,
  now
}: {
  readonly name: string
  readonly now: number
  readonly before: number | undefined
}) => {
  const by = changeBetween(before, now)
  return (
    <div>
      <span class="quiet">{name}</span>
      <b>{count(now)}</b>
      {before !== undefined && (
        <small>
          {by !== null && <Change by={by} format={rate} />} <span class="quiet">from {count(before)}</span>
        </small>
      )}
    </div>
  )
}

/** The sums of listed queries in both periods, where no file brought totals. */
const Sums = ({
  before,
  days,
  filters,
  id
}: {
  readonly id: string
  readonly days: Days
  /** The other period, if there is one. */
  readonly before: Days | null
  readonly filters: Readonly<Record<string, string | null>>
}) => {
  const by = { ...filters, by: "query", compare: null }
  const now = useSum(id, queryOf({ ...by, ...days }))
  const other = useSum(id, before === null ? null : queryOf({ ...by, ...before }))
  const failure = now.failure ?? other.failure
  const isCapped = [now, other].some(({ sum }) => sum?.queries === most)
  return (
    <>
      {failure !== null && <Failed failure={failure} />}
      {now.sum !== null && (
        <section aria-label="Sum of listed queries">
          <p>
            <strong>Sum of {isCapped ? `the ${count(most)} queries with most impressions` : "listed queries"}</strong>
          </p>
          <div class="sums">
            <SumOf name="Clicks" now={now.sum.clicks} before={other.sum?.clicks} />
            <SumOf name="Impressions" now={now.sum.impressions} before={other.sum?.impressions} />
          </div>
        </section>
      )}
      <p class="quiet">
        Search Console leaves out rare queries, so your traffic is higher. Complete totals and the chart need{" "}
        {tables.totals}. <ImportLink site={id} />
      </p>
    </>
  )
}

/** The cards and the chart of one read of days. */
export const Chart = ({
  days,
  filters,
  id,
  read
}: {
  readonly id: string
  readonly days: Days
  /** The filters of the screen, as parameters of performance. */
  readonly filters: Readonly<Record<string, string | null>>
  readonly read: Read<ReadonlyArray<PerformanceRow>>
}) => {
  const shown = shownBy(route.value.query)
  const all = eachDay(days)
  const marks = useMarks(id).filter(({ day }) => days.start <= day && day <= days.end)
  const { previous = null, totals = null } = read.meta
  const back = previous === null ? null : lengthOf({ end: days.start, start: previous.period.start }) - 1
  return (
    <Loaded read={read}>
      {(rows) => {
        if (totals === null) return <Sums id={id} days={days} filters={filters} before={previous?.period ?? null} />
        const known = new Map(rows.map((row) => [row.key, row]))
        const measures = shown.map((name): Measure => {
          const valuesOf = (of: (row: PerformanceRow | undefined) => Partial<Totals> | null | undefined) =>
            all.map((day) => of(known.get(day))?.[name] ?? null)
          return {
            ...metrics[name],
            before: back === null ? [] : valuesOf((row) => row?.previous),
            values: valuesOf((row) => row)
          }
        })
        return (
          <>
            <Metrics totals={totals} before={previous?.totals ?? null} shown={shown} />
            <Trend
              title="Search performance"
              days={all}
              before={back === null ? [] : all.map((day) => dayAfter(day, -back))}
              measures={measures}
              marks={marks}
            >
              {marks.length > 0 && (
                <ul class="marks">
                  {marks.slice(0, 6).map(({ day, text }) => (
                    <li key={`${day} ${text}`}>
                      <b>{dayOf(day)}</b> {text}
                    </li>
                  ))}
                </ul>
              )}
              <Details summary="Table: values by day">
                {() => (
                  <Rows
                    caption="Search performance by day"
                    name="days"
                    size={10}
                    keyOf={({ key }) => key}
                    rows={rows.toReversed()}
                    columns={[
                      { cell: ({ key }) => dayOf(key), name: "Day" },
                      ...names.map((name) => ({
                        cell: (row: PerformanceRow) => metrics[name].format(row[name]),
                        kind: "number" as const,
                        name: metrics[name].name
                      }))
                    ]}
                  />
                )}
              </Details>
            </Trend>
          </>
        )
      }}
    </Loaded>
  )
}
