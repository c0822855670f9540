import type { Delivery, EventType, PublishedEvent, Webhook } from "../api/Contract.ts"
import { count, hostOf, pathOf, sentence } from "../parts/Formats.ts"

type Attempt = Delivery["attempts"][number]

/** The outcome of one attempt, in words. The message of an error names its status. */
export const outcomeOf = ({ error, latency_ms, response, status_code }: Attempt): string => {
  const parts = [
    error === null ? (status_code === null ? "in progress" : "delivered") : error.message,
    status_code === null || error !== null ? null : `status ${status_code}`,
    response?.error === undefined ? null : `incomplete response: ${response.error.message}`,
    latency_ms === null ? null : `${count(Math.round(latency_ms))} ms`
  ]
  return parts.filter((part) => part !== null).join(", ")
}

/** The status of an endpoint, in a few words. */
export const stateOf = ({
  deactivation,
  failing_since,
  is_active
}: Pick<Webhook, "deactivation" | "failing_since" | "is_active">) => {
  if (deactivation !== null)
    return {
      text: deactivation.reason === "gone" ? "disabled: 410 Gone" : "disabled: 5 days of failures",
      tone: "bad"
    } as const
  if (!is_active) return { text: "disabled", tone: "quiet" } as const
  return failing_since === null
    ? ({ text: "active", tone: "good" } as const)
    : ({ text: "failing", tone: "bad" } as const)
}

/** Whether an endpoint is named by its description, so that its URL says more than its name. */
export const isNamed = ({ description }: Pick<Webhook, "description">): boolean =>
  description !== null && description.trim() !== ""

/** The name of an endpoint: its description, else host and path of its URL. */
export const nameOf = ({ description, url }: Pick<Webhook, "description" | "url">): string =>
  description === null || description.trim() === "" ? `${hostOf(url)}${pathOf(url)}` : description.trim()

/** The title of each event type. */
export const eventTitles: Readonly<Record<PublishedEvent["type"], string>> = {
  "audit.completed": "Audit or crawl finished",
  "audit.failed": "Audit or crawl failed",
  "backlink.lost": "Backlinks lost",
  "delivery.exhausted": "Delivery failed",
  "geo_score.changed": "AI visibility changed",
  "intervention.deployed": "Site change went live",
  "intervention.rolled_back": "Site change rolled back",
  "ranking.climbed": "Ranking improved",
  "ranking.dropped": "Ranking dropped",
  "site_health.completed": "Crawl finished",
  "site_health.failed": "Crawl failed",
  "site_health.score_dropped": "Score dropped",
  "traffic.dropped": "Clicks dropped",
  "traffic.recovered": "Clicks recovered",
  "webhook.deactivated": "Endpoint disabled",
  "webhook.ping": "Ping"
}

const titles: Readonly<Record<string, string>> = eventTitles

/** The title of an event type; one that a newer server has is its name in words. */
export const titleOf = (type: string): string => titles[type] ?? sentence(type.replaceAll(".", " "))

/** Titles of groups of event types, by the first part of the type, in the order of the form. */
const groups: ReadonlyArray<readonly [title: string, parts: ReadonlyArray<string>, note?: string]> = [
  [
    "Crawls and audits",
    ["site_health", "audit"],
    "Every crawl sends both “Crawl finished” and “Audit or crawl finished”, so choose one of them. “Crawl finished” compares the scores before and after; “Audit or crawl finished” reports page audits too."
  ],
  ["Search", ["ranking", "traffic"]],
  ["Links and AI visibility", ["backlink", "geo_score"]],
  ["Site changes", ["intervention"]],
  ["Webhooks", ["webhook", "delivery"]]
]

const partOf = (type: string) => type.split(".", 1)[0] ?? type

/** The event types in groups; types that a newer server has are in a group at the end. */
export const groupsOf = (
  types: ReadonlyArray<EventType>
): ReadonlyArray<{
  readonly title: string
  readonly types: ReadonlyArray<EventType>
  /** What sets similar types apart. */
  readonly note?: string | undefined
}> => {
  const known = groups.flatMap(([, parts]) => parts)
  return [
    ...groups.map(([title, parts, note]) => ({
      note,
      title,
      types: parts.flatMap((part) => types.filter(({ name }) => partOf(name) === part))
    })),
    { title: "Other", types: types.filter(({ name }) => !known.includes(partOf(name))) }
  ].filter(({ types }) => types.length > 0)
}

/** Formats of deliveries in words. */
export const formats: Readonly<Record<Webhook["format"], string>> = {
  discord: "Discord message",
  json: "JSON event",
  slack: "Slack message",
  teams: "Microsoft Teams message"
}

/** JSON in lines with indents; other text stays unchanged. */
export const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
