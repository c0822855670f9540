import { useEffect } from "preact/hooks"
import type { HistoryPoint, Run } from "../api/Contract.ts"
import { isFinal, usePoll, useRead } from "../api/Read.ts"
import { announcement } from "../Place.ts"
import { absolute, count, plural } from "../parts/Formats.ts"
import { runHash } from "../SiteRoutes.ts"

const phases: Readonly<Record<Run["phase"], string>> = {
  analysing: "Analyzing pages",
  crawling: "Crawling pages",
  finished: "Finished",
  preparing: "Fetching robots.txt, the start page and sitemaps",
  queued: "Waiting for a worker"
}

/** A running crawl. Screen readers hear the phase; counts and URLs change too often for that. */
export const Live = ({ run }: { readonly run: Run }) => {
  const { counters, deadline_at, last_url, phase, request } = run
  useEffect(() => {
    announcement.value = phases[phase]
    return () => {
      announcement.value = ""
    }
  }, [phase])
  return (
    <>
      <p>
        <strong>{phases[phase]}</strong>
      </p>
      <progress
        aria-label="Pages crawled"
        max={request.max_pages}
        value={phase === "crawling" ? (counters?.pages_fetched ?? 0) : undefined}
      />
      <p>
        {counters === null
          ? `Up to ${plural(request.max_pages, "page")}`
          : `${count(counters.pages_fetched)} of up to ${plural(request.max_pages, "page")} crawled · ${count(counters.pages_discovered)} discovered · ${count(counters.pages_failed)} unreachable`}
      </p>
      <p class="quiet address">{last_url === null ? "" : `Latest URL: ${last_url}`}</p>
      {deadline_at !== null && <p class="quiet">Finishes by {absolute(Date.parse(deadline_at))} at the latest</p>}
    </>
  )
}

/** Crawls to read for the latest one of the whole site: rechecks are in the same list. */
const lookback = 10

/** Seconds between two looks at a running crawl. */
const pause = 3

/** The latest crawl of the whole site, read again while it runs; null before the first. */
export const useLatestCrawl = (id: string): Run | null => {
  const { data, reload } = useRead<ReadonlyArray<Run>>(`/projects/${id}/site-health/runs?limit=${lookback}`)
  const latest = data?.find(({ request }) => request.verify === null) ?? null
  usePoll(reload, latest !== null && !isFinal(latest) ? pause : null)
  return latest
}

/** The completed crawls of a site, latest first, read again when its latest crawl has got a result. */
export const useHistory = (id: string, latest: Run | null, limit: number) => {
  const history = useRead<ReadonlyArray<HistoryPoint>>(`/projects/${id}/site-health/history?limit=${limit}`)
  const { data, reload } = history
  const isNew = latest?.result_available === true && data?.some(({ run_id }) => run_id === latest.id) === false
  useEffect(() => {
    if (isNew) reload()
  }, [isNew])
  return history
}

/** The progress of the running crawl of a site, with a link to it. */
export const Progress = ({ run }: { readonly run: Run }) => (
  <>
    <Live run={run} />
    <p>
      <a href={runHash(run.project_id, run.id)}>Open this crawl</a>
    </p>
  </>
)
