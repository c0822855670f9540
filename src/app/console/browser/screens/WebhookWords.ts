import type { Delivery, EventType, Webhook } from "../api/Contract.ts"
import { count, hostOf, pathOf } from "../parts/Formats.ts"

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

/** The name of an endpoint: its description, else host and path of its URL. */
export const nameOf = ({ description, url }: Pick<Webhook, "description" | "url">): string =>
  description === null || description.trim() === "" ? `${hostOf(url)}${pathOf(url)}` : description.trim()

/** Titles of groups of event types, by the first part of the type, in the order of the form. */
const groups: ReadonlyArray<readonly [title: string, parts: ReadonlyArray<string>]> = [
  ["Crawls and audits", ["site_health", "audit"]],
  ["Search", ["ranking", "traffic"]],
  ["Links and AI visibility", ["backlink", "geo_score"]],
  ["Site changes", ["intervention"]],
  ["Webhooks", ["webhook", "delivery"]]
]

const partOf = (type: string) => type.split(".", 1)[0] ?? type

/** The event types in groups; types that a newer server has are in a group at the end. */
export const groupsOf = (
  types: ReadonlyArray<EventType>
): ReadonlyArray<{ readonly title: string; readonly types: ReadonlyArray<EventType> }> => {
  const known = groups.flatMap(([, parts]) => parts)
  return [
    ...groups.map(([title, parts]) => ({
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
