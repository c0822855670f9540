import { useSignal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import type { PerformanceRow } from "../api/Contract.ts"
import type { Failure } from "../api/Send.ts"
import { readLines } from "../api/Session.ts"
import { wait } from "../Place.ts"
import { count, rate } from "../parts/Formats.ts"
import { Change, Failed } from "../parts/Status.tsx"
import { queryOf } from "../Routes.ts"
import { ImportLink, tables } from "./SearchNeeds.tsx"
import { changeBetween, type Days } from "./SearchWords.ts"

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

const Part = ({
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
export const Sums = ({
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
            <Part name="Clicks" now={now.sum.clicks} before={other.sum?.clicks} />
            <Part name="Impressions" now={now.sum.impressions} before={other.sum?.impressions} />
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
