import { useEffect } from "preact/hooks"
import type { ListedProject, Run } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { openSite, route } from "../Place.ts"
import { Loaded } from "../parts/Status.tsx"
import { Page } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { siteTab } from "../SiteRoutes.ts"

/** Replaces the URL in the history; otherwise the back button would return here and forward again. */
const useReplacement = (segments: ReadonlyArray<string> | null) => {
  const hash = segments === null ? null : hashOf(segments, Object.fromEntries(route.value.query))
  useEffect(() => {
    if (hash !== null) location.replace(hash)
  }, [hash])
}

/** A crawl without its site in the URL, as links in messages have it. */
export const RunOfSite = ({ id, part }: { readonly id: string; readonly part: ReadonlyArray<string> }) => {
  const run = useRead<Run>(`/runs/${id}`)
  useReplacement(run.data === null ? null : ["sites", run.data.project_id, "health", id, ...part])
  return (
    <Page title="Crawl">
      <Loaded read={run}>{() => null}</Loaded>
    </Page>
  )
}

/** A tab without its site in the URL: of the only site, of the one that was open, or else the list of sites. */
export const TabOfSite = ({
  id,
  rest,
  segment
}: {
  readonly id?: string
  readonly segment: string
  readonly rest: ReadonlyArray<string>
}) => {
  const known = id ?? openSite.value?.id
  const sites = useRead<ReadonlyArray<ListedProject>>(known === undefined ? "/projects?limit=2" : null)
  const only = sites.data?.length === 1 ? sites.data[0]?.id : undefined
  const site = known ?? only
  useReplacement(site !== undefined ? [...siteTab(site, segment), ...rest] : sites.data === null ? null : ["sites"])
  return (
    <Page title="Sites">
      <Loaded read={sites}>{() => null}</Loaded>
    </Page>
  )
}
