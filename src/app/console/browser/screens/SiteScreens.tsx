import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import type { Project } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { openSite } from "../Place.ts"
import { lazy } from "../parts/Lazy.tsx"
import { Loaded } from "../parts/Status.tsx"
import { Missing, Page, Tabs, Trail } from "../parts/Tables.tsx"
import { type SiteProperties, tabHash } from "../SiteRoutes.ts"

interface Tab {
  readonly name: string
  /** The part of the URL behind the site's id; the overview has none. */
  readonly segment: string
  readonly screen: ComponentType<SiteProperties>
}

/** The screens of a site, in the order of their tabs. */
const tabs: ReadonlyArray<Tab> = [
  { name: "Overview", screen: lazy(async () => (await import("./Overview.tsx")).Overview), segment: "" },
  { name: "Health", screen: lazy(async () => (await import("./Health.tsx")).Health), segment: "health" },
  { name: "Search", screen: lazy(async () => (await import("./Search.tsx")).Search), segment: "search" },
  { name: "Audits", screen: lazy(async () => (await import("./Audits.tsx")).Audits), segment: "audits" },
  {
    name: "Experiments",
    screen: lazy(async () => (await import("./Experiments.tsx")).Experiments),
    segment: "experiments"
  },
  { name: "Backlinks", screen: lazy(async () => (await import("./Links.tsx")).Links), segment: "links" },
  { name: "AI visibility", screen: lazy(async () => (await import("./Visibility.tsx")).Visibility), segment: "ai" },
  { name: "Changes", screen: lazy(async () => (await import("./SiteChanges.tsx")).SiteChanges), segment: "changes" },
  {
    name: "Site settings",
    screen: lazy(async () => (await import("./SiteSettings.tsx")).SiteSettings),
    segment: "settings"
  }
]

/** The tabs of a site. */
export const SiteTabs = ({ id, segment }: { readonly id: string; readonly segment: string }) => (
  <Tabs
    label="Site"
    of={tabs.map((tab) => ({
      href: tabHash(id, tab.segment),
      isCurrent: tab.segment === segment,
      name: tab.name
    }))}
  />
)

/** One site: reads it once for all its screens. */
export const SiteScreens = ({
  id,
  rest: [segment = "", ...rest]
}: {
  readonly id: string
  readonly rest: ReadonlyArray<string>
}) => {
  const project = useRead<Project>(`/projects/${id}`)
  const { data } = project
  const tab = tabs.find((tab) => tab.segment === segment)
  useEffect(() => {
    if (data !== null) openSite.value = data
  }, [data])
  if (data === null)
    return project.failure?.status === 404 ? (
      <Page title="Site not found">
        <p>
          This account has no site with this URL. It may have been deleted. <a href="#/sites">Go to your sites</a>
        </p>
      </Page>
    ) : (
      <Page title="Site">
        <Loaded read={project}>{() => null}</Loaded>
      </Page>
    )
  if (tab === undefined) return <Missing />
  const Screen = tab.screen
  const above = [
    ["#/sites", "Sites"] as const,
    ...(segment === "" ? [] : [[`#/sites/${id}`, data.name] as const]),
    ...(rest.length === 0 ? [] : [[tabHash(id, segment), tab.name] as const])
  ]
  return (
    <Trail.Provider value={above}>
      <Screen key={[segment, ...rest].join("/")} site={data} reload={project.reload} rest={rest} />
    </Trail.Provider>
  )
}
