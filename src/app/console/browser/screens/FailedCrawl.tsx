import type { Run } from "../api/Contract.ts"
import { duration } from "../parts/Formats.ts"
import { When } from "../parts/Status.tsx"
import { Facts } from "../parts/Tables.tsx"
import { runHash } from "../SiteRoutes.ts"
import { StartCrawl } from "./CrawlNow.tsx"
import { reachedOf, secondsOf } from "./CrawlWords.ts"
import { choices } from "./RenderChoice.tsx"

/** A crawl that failed: why, when, what it reached, and a button that crawls again with the same rendering. */
export const FailedCrawl = ({
  isShort = false,
  run
}: {
  readonly run: Run
  /** Whether only the reason is shown, with a link to the crawl. */
  readonly isShort?: boolean
}) => {
  const { error, finished_at, id, project_id, request } = run
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
