import { signal } from "@preact/signals"
import type { Run } from "../api/Contract.ts"
import { isFinal } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { go } from "../Place.ts"
import { Act } from "../parts/Acts.tsx"
import { Details } from "../parts/Tables.tsx"
import { runHash } from "../SiteRoutes.ts"
import { RenderChoice } from "./RenderChoice.tsx"

type Render = Run["request"]["render"]

/** The rendering that somebody chose last for each site, as long as the console is open. */
const chosen = signal<Readonly<Record<string, Render>>>({})

/** A button that crawls the whole site and shows the crawl. */
export const StartCrawl = ({
  action,
  id,
  render
}: {
  readonly action: "Crawl again" | "Crawl now"
  readonly id: string
  readonly render: Render
}) => (
  <Act
    action={action}
    kind="main"
    scope="site-health:write"
    work={() => ask<Run>("POST", `/projects/${id}/site-health/runs`, { body: { render } })}
    done={(run) => go(["sites", id, "health", run.id])}
  />
)

/** Starts a crawl of the whole site with the options that were chosen last; while one runs, a link leads to it. */
export const CrawlNow = ({ id, latest }: { readonly id: string; readonly latest: Run | null }) =>
  latest !== null && !isFinal(latest) ? (
    <a class="button push" href={runHash(id, latest.id)}>
      Crawling now
    </a>
  ) : (
    <div class="actions crawl push">
      <StartCrawl action="Crawl now" id={id} render={chosen.value[id] ?? "auto"} />
      <Details kind="options" summary="Crawl options">
        {() => (
          <div class="field">
            <RenderChoice
              render={chosen.value[id] ?? "auto"}
              choose={(render) => {
                chosen.value = { ...chosen.value, [id]: render }
              }}
            />
            <small class="quiet">Whether Findable loads pages in a browser, as Google does.</small>
          </div>
        )}
      </Details>
    </div>
  )
