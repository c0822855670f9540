import { isJson, type Json } from "../../foundation/openapi/Operation.ts"

/** A section of the reference: its title, its purpose, and its groups of the contract in the order of use. */
interface Section {
  readonly title: string
  readonly about: string
  readonly groups: ReadonlyArray<string>
}

const sections: ReadonlyArray<Section> = [
  {
    title: "Sites and crawls",
    about: "Add a site, crawl it once or on a schedule, and read its score, pages, issues and fixes.",
    groups: ["projects", "site-health", "site-health-results", "site-health-schedules", "rules"]
  },
  {
    title: "Rankings",
    about:
      "Connect Search Console or import its exports, then read positions, clicks, opportunities and URL inspections.",
    groups: [
      "ranking-source",
      "ranking-imports",
      "keywords",
      "performance",
      "opportunities",
      "ranking-snapshots",
      "inspections"
    ]
  },
  {
    title: "Page audits",
    about: "Run and schedule Lighthouse audits or import their reports, and read Core Web Vitals and fixes.",
    groups: ["audits", "audit-schedules"]
  },
  {
    title: "Experiments and site changes",
    about: "Measure what a change does to search traffic, and change a site through GitHub or WordPress.",
    groups: ["growth-projects", "experiments", "experiment-designs", "connectors", "interventions"]
  },
  {
    title: "Backlinks and AI visibility",
    about: "See who links to a site, and how AI assistants mention and cite it.",
    groups: ["backlink-imports", "backlinks", "geo-prompts", "geo-runs", "geo", "geo-schedules"]
  },
  {
    title: "Webhooks and events",
    about: "Receive signed events at your endpoint, resend deliveries, and read the event log.",
    groups: ["webhooks", "events"]
  },
  {
    title: "Keys and server",
    about: "Manage API keys, and check that the server is healthy.",
    groups: ["key", "keys", "console-sessions", "server", "system"]
  }
]

/** Each group with its section and its place in the order of use. */
const placeOf: ReadonlyMap<string, { readonly place: number; readonly title: string }> = new Map(
  sections
    .flatMap(({ groups, title }) => groups.map((group) => ({ group, title })))
    .map(({ group, title }, place) => [group, { place, title }])
)

/** The first tag of the operations of a path. */
const groupOf = (item: unknown) =>
  Object.values(isJson(item) ? item : {}).flatMap((operation) =>
    isJson(operation) && Array.isArray(operation.tags) ? operation.tags.map(String) : []
  )[0] ?? ""

const retagged = (item: unknown): unknown =>
  isJson(item)
    ? Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          isJson(operation) && Array.isArray(operation.tags)
            ? { ...operation, tags: operation.tags.map((tag) => placeOf.get(String(tag))?.title ?? tag) }
            : operation
        ])
      )
    : item

const lastPlace = Number.POSITIVE_INFINITY

const arranged = (paths: unknown): Json =>
  Object.fromEntries(
    Object.entries(isJson(paths) ? paths : {})
      .map(([path, item]) => ({ item: retagged(item), path, place: placeOf.get(groupOf(item))?.place ?? lastPlace }))
      .sort((a, b) => (a.place === b.place ? 0 : a.place - b.place))
      .map(({ item, path }) => [path, item])
  )

/** The document for people: the groups of the contract in a few sections, in the order of use. Clients keep the groups of the document itself. */
export const inSections = (document: Json): Json => {
  const present = new Set(
    (Array.isArray(document.tags) ? document.tags : []).flatMap((tag) => (isJson(tag) ? [tag.name] : []))
  )
  return {
    ...document,
    paths: arranged(document.paths),
    tags: sections
      .filter(({ groups }) => groups.some((group) => present.has(group)))
      .map(({ about, title }) => ({ description: about, name: title })),
    ...("webhooks" in document && { webhooks: arranged(document.webhooks) })
  }
}
