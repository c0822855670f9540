import { useSignal } from "@preact/signals"
import type { Run } from "../api/Contract.ts"
import { ask } from "../api/Session.ts"
import { go } from "../Place.ts"
import { Act } from "../parts/Acts.tsx"
import { Empty } from "../parts/Status.tsx"
import { RenderChoice } from "./RenderChoice.tsx"
import { useFailedCrawl } from "./Sites.tsx"

/** Starts a crawl of the whole site, and shows it. */
export const CrawlNow = ({ id }: { readonly id: string }) => {
  const render = useSignal<Run["request"]["render"]>("auto")
  return (
    <div class="actions crawl">
      <RenderChoice render={render} />
      <Act
        action="Crawl now"
        kind="main"
        scope="site-health:write"
        work={() => ask<Run>("POST", `/projects/${id}/site-health/runs`, { body: { render: render.value } })}
        done={(run) => go(["sites", id, "health", run.id])}
      />
    </div>
  )
}

/** A site without a completed crawl: why, and what to do. */
export const Uncrawled = ({ id }: { readonly id: string }) => {
  const failed = useFailedCrawl(id)
  return (
    <Empty title="No completed crawl yet">
      {failed !== null && <p class="bad">{failed}</p>}
      Use “Crawl now” to get a score and see what to fix first.
    </Empty>
  )
}
