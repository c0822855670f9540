import { dayLength } from "../parts/Formats.ts"

// Words for API keys, plans and limits.

interface ScopeWords {
  readonly scope: string
  readonly text: string
  readonly hint?: string
}

/** The scopes that a new key can have, in plain words, by area. */
export const scopeGroups: ReadonlyArray<{ readonly title: string; readonly scopes: ReadonlyArray<ScopeWords> }> = [
  {
    title: "Everything",
    scopes: [
      {
        hint: "Reads and writes all areas, except those that you choose by name: starting crawls, spending money, changing sites and managing keys.",
        scope: "*",
        text: "All areas"
      }
    ]
  },
  {
    title: "Sites and crawls",
    scopes: [
      { scope: "projects:read", text: "Read sites" },
      { scope: "projects:write", text: "Add, change and delete sites" },
      { scope: "site-health:read", text: "Read crawls and issues" },
      { scope: "site-health:write", text: "Start and schedule crawls" }
    ]
  },
  {
    title: "Search and audits",
    scopes: [
      { scope: "search-data:read", text: "Read rankings and experiments" },
      { scope: "rankings:write", text: "Import search data" },
      { scope: "audits:read", text: "Read page audits" },
      { scope: "audits:write", text: "Schedule audits and import reports" }
    ]
  },
  {
    title: "Links, AI visibility and site changes",
    scopes: [
      { scope: "backlinks:read", text: "Read backlinks" },
      { scope: "backlinks:write", text: "Import and check backlinks" },
      { scope: "geo:read", text: "Read AI visibility" },
      {
        hint: "Asking AI assistants costs money.",
        scope: "geo:write",
        text: "Set prompts and start AI visibility runs"
      },
      { scope: "interventions:read", text: "Read site changes" },
      {
        hint: "Opens pull requests and edits pages.",
        scope: "interventions:write",
        text: "Change sites through GitHub and WordPress"
      }
    ]
  },
  {
    title: "Account",
    scopes: [
      { scope: "webhooks:read", text: "Read webhooks, deliveries and events" },
      { scope: "webhooks:manage", text: "Manage webhooks" },
      { scope: "keys:manage", text: "Manage API keys" }
    ]
  }
]

const offered = scopeGroups.flatMap(({ scopes }) => scopes.map(({ scope }) => scope))

/** The scopes that read, of those that may be given. */
export const readable = (may: (scope: string) => boolean): ReadonlyArray<string> =>
  offered.filter((scope) => scope.endsWith(":read") && may(scope))

/** Scopes that spend money, change sites or make keys: a preset never has them. */
const delicate = ["*", "geo:write", "interventions:write", "keys:manage"]

/** Usual choices of scopes, each within those that may be given. */
export const presets: ReadonlyArray<{
  readonly text: string
  readonly scopesOf: (may: (scope: string) => boolean) => ReadonlyArray<string>
}> = [
  { scopesOf: readable, text: "Read everything" },
  {
    scopesOf: (may) => offered.filter((scope) => !delicate.includes(scope) && may(scope)),
    text: "Read, crawl and import"
  },
  { scopesOf: () => [], text: "Clear selection" }
]

const known = new Map(scopeGroups.flatMap(({ scopes }) => scopes.map(({ scope, text }) => [scope, text] as const)))

/** A scope in plain words. */
export const scopeText = (scope: string): string =>
  known.get(scope) ?? (scope === "server:read" ? "Read the state of the server" : scope)

/** Lifetimes of a new key in days; an empty one is no end, a custom one a date. */
export const lifetimes: Readonly<Record<string, string>> = {
  "7": "7 days",
  "30": "30 days",
  "90": "90 days",
  "365": "1 year",
  date: "Until a date",
  "": "Never"
}

/** The end of a new key in milliseconds since 1970, from its lifetime; null: never. A date ends at the end of its day, in the reader's time zone. */
export const endOf = (lifetime: string, date: string, now: number): number | null => {
  if (lifetime === "") return null
  if (lifetime !== "date") return now + Number(lifetime) * dayLength
  const end = Date.parse(`${date}T23:59:59`)
  return Number.isNaN(end) ? null : end
}

/** Plans in words. */
export const plans: Readonly<Record<string, string>> = {
  agency_team: "Agency Team",
  free: "Free",
  growth_pro: "Growth Pro",
  starter: "Starter"
}

/** Bytes for people: `1.2 GB`. */
export const bytes = (value: number): string => {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const
  const place = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
  return new Intl.NumberFormat(undefined, {
    maximumFractionDigits: place === 0 ? 0 : 1,
    style: "unit",
    unit: units[place],
    unitDisplay: "short"
  }).format(value / 1000 ** place)
}
