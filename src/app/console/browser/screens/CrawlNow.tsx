import { useSignal } from "@preact/signals"
import type { Run } from "../api/Contract.ts"
import { useAction } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { go } from "../Place.ts"
import { Empty, Failed } from "../parts/Status.tsx"
import { RenderChoice } from "./Rendering.tsx"
import { useFailedCrawl } from "./Sites.tsx"

/** Starts a crawl of the whole site, and shows it. */
export const CrawlNow = ({ id }: { readonly id: string }) => {
  const render = useSignal<Run["request"]["render"]>("auto")
  const starting = useAction(
    () => ask<Run>("POST", `/projects/${id}/site-health/runs`, { body: { render: render.value } }),
    (run) => go(["sites", id, "health", run.id])
  )
  return (
    <>
      <RenderChoice render={render} />
      <button type="button" disabled={starting.isBusy} onClick={starting.run}>
        Crawl now
      </button>
      {starting.failure !== null && <Failed failure={starting.failure} />}
    </>
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
