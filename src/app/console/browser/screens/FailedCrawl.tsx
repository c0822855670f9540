import type { Run } from "../api/Contract.ts"
import { count, duration, plural } from "../parts/Formats.ts"
import { When } from "../parts/Status.tsx"
import { Facts } from "../parts/Tables.tsx"
import { runHash } from "../SiteRoutes.ts"
import { StartCrawl } from "./CrawlNow.tsx"
import { choices } from "./RenderChoice.tsx"

/** Seconds from the start of a crawl to its end; null if it never started or has not ended. */
export const secondsOf = ({ finished_at, started_at }: Run): number | null =>
  started_at === null || finished_at === null ? null : (Date.parse(finished_at) - Date.parse(started_at)) / 1000

/** How far a failed crawl came, in words. */
export const reachedOf = ({ counters, request: { max_pages } }: Pick<Run, "counters" | "request">): string => {
  if (counters === null) return `no page, of up to ${plural(max_pages, "page")}`
  const { pages_discovered, pages_failed, pages_fetched } = counters
  const left = Math.max(0, Math.min(pages_discovered, max_pages) - pages_fetched - pages_failed)
  return [
    `${count(pages_fetched)} of up to ${plural(max_pages, "page")} crawled`,
    `${count(pages_discovered)} discovered`,
    ...(pages_failed === 0 ? [] : [`${count(pages_failed)} unreachable`]),
    ...(left === 0 ? [] : [`${count(left)} still to crawl`])
  ].join(" · ")
}

/** A crawl that failed: why, when, what it reached, and a button that crawls again with the same rendering. */
export const FailedCrawl = ({
  isShort = false,
  run
}: {
  readonly run: Run
  /** Whether only the reason is shown, with a link to the crawl. */
  readonly isShort?: boolean
}) => {
  const { error, finished_at, id, project_id, request, started_at } = run
  const isRecheck = request.verify !== null
  const took = secondsOf(run)
  return (
    <div class={isShort ? undefined : "failed crawl"}>
      <p>
        <strong class="bad">{isRecheck ? "Recheck failed" : "Crawl failed"}</strong> <When at={finished_at} />
      </p>
      <p>{error?.message}</p>
      {isShort ? (
        <p>
          <a href={runHash(project_id, id)}>See what it reached</a>
        </p>
      ) : (
        <Facts
          of={[
            ["Reached", reachedOf(run)],
            ["Started", started_at === null ? "never" : <When at={started_at} />],
            ...(took === null ? [] : [["Time", duration(took)] as const]),
            ["Start URL", request.url],
            ["Render JavaScript", choices[request.render]],
            ["Error code", error?.code]
          ]}
        />
      )}
      {!isRecheck && (
        <div class="actions">
          <StartCrawl action="Crawl again" id={project_id} render={request.render} />
        </div>
      )}
    </div>
  )
}
