import { useEffect } from "preact/hooks"
import type { Run } from "../api/Contract.ts"
import { announcement } from "../Place.ts"
import { absolute, count, plural } from "../parts/Formats.ts"

const phases: Readonly<Record<Run["phase"], string>> = {
  analysing: "Judging what was read",
  crawling: "Reading pages",
  finished: "Finished",
  preparing: "Reading robots.txt, the start page and sitemaps",
  queued: "Waiting for a worker"
}

/** A run on its way. The phase is announced; counts and addresses change too often for that. */
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
        aria-label="Pages read"
        max={request.max_pages}
        value={phase === "crawling" ? (counters?.pages_fetched ?? 0) : undefined}
      />
      <p>
        {counters === null
          ? `At most ${plural(request.max_pages, "page")}.`
          : `${plural(counters.pages_fetched, "page")} read of at most ${count(request.max_pages)}, ${count(counters.pages_discovered)} found, ${count(counters.pages_failed)} without an answer.`}
      </p>
      <p class="quiet address">{last_url === null ? "" : `Last read: ${last_url}`}</p>
      {deadline_at !== null && <p class="quiet">It is over at the latest {absolute(Date.parse(deadline_at))}.</p>}
    </>
  )
}
