import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { verdictWords } from "../../../crawl/report/Labels.ts"
import { verdictOn } from "../../../crawl/report/ScoreVerdict.ts"
import { plural } from "../../../foundation/text/Words.ts"
import type { EventBody } from "../../events/EventKind.ts"
import { Payload } from "../Catalogue.ts"
import type { WebhookId } from "../Domain.ts"

/** A line of a message; a line without a value is left out. */
type Line = readonly [name: string, value: string | number | null | undefined]

/** The text of an event for people, and the console screen with more. */
interface Told {
  readonly title: string
  readonly lines: ReadonlyArray<Line>
  readonly screen: string
}

/** An event as a message for people. Names are ours; values may have text from strangers: from a site, a search or another service. */
export interface Message {
  readonly id: string
  readonly type: string
  /** Time of the event, ISO 8601. */
  readonly at: string
  readonly title: string
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
  /** Absolute URL; null without the server's own URL. */
  readonly link: string | null
}

const rounded = (value: number): string => String(Math.round(value * 10) / 10)

const signed = (value: number): string => `${value > 0 ? "+" : ""}${rounded(value)}`

const scoreOf = (value: number | null): string | null => (value === null ? null : `${rounded(value)} of 100`)

/** The score of a crawl with its verdict. */
const verdictOf = (score: number | null, { critical }: { readonly critical: number }): string | null =>
  score === null ? null : `${scoreOf(score)}, ${verdictWords[verdictOn(score, critical)]}`

const moved = (before: number | null, after: number | null, said = scoreOf(after)): string | null =>
  before === null || after === null ? said : `${said} (${signed(after - before)} vs. previous ${rounded(before)})`

const issuesOf = ({ critical, info, warning }: Readonly<Record<"critical" | "info" | "warning", number>>) =>
  `${critical} critical, ${plural(warning, "warning")}, ${info} info`

const positionOf = (value: number | null) => (value === null ? "not ranking" : rounded(value))

type Of<Type extends Payload["type"]> = Extract<Payload, { readonly type: Type }>["data"]

const crawled = (status: "completed" | "partial") =>
  status === "completed" ? "Crawl completed" : "Crawl ended at a limit"

const audit = (data: Of<"audit.completed">): Told => {
  if (data.subject === "audit") {
    const { critical, passed, warning } = data.outcome.findings_summary
    return {
      title: "Audit completed",
      lines: [
        ["Page", data.url],
        ["Score", scoreOf(data.outcome.overall_score)],
        ["Issues", `${critical} critical, ${plural(warning, "warning")}, ${passed} passed`]
      ],
      screen: "audits"
    }
  }
  const { aggregate_score, changes, dead_links_found, findings, pages_fetched, status } = data.outcome
  return {
    title: crawled(status),
    lines: [
      ["Site", data.url],
      ["Score", verdictOf(aggregate_score, findings)],
      ["Issues", issuesOf(findings)],
      ["Score change", changes?.score_delta == null ? null : signed(changes.score_delta)],
      ["Pages crawled", pages_fetched],
      ["Broken links", dead_links_found],
      ["New issues", changes?.new],
      ["Fixed issues", changes?.fixed]
    ],
    screen: `runs/${data.id}`
  }
}

const movement = (title: string, data: Of<"ranking.dropped">): Told => ({
  title,
  lines: [
    ["Query", data.query],
    ["Page", data.page_path],
    ["Position", `${positionOf(data.previous_position)} → ${positionOf(data.current_position)}`],
    ["Clicks", data.clicks],
    ["Impressions", data.impressions]
  ],
  screen: `rankings/${data.site_id}`
})

const traffic = (title: string, data: Of<"traffic.dropped">): Told => ({
  title,
  lines: [
    [data.subject === "page" ? "Page" : "Scope", data.page_path ?? "whole site"],
    ["Clicks in 28 days", `${rounded(data.before)} → ${rounded(data.after)} (${signed(data.change_percent)}%)`],
    ["95% interval", `${signed(data.interval[0])}% to ${signed(data.interval[1])}%`],
    ["Period", `${data.windows.current.start} to ${data.windows.current.end}`]
  ],
  screen: `rankings/${data.site_id}`
})

const told = (event: Payload): Told => {
  switch (event.type) {
    case "audit.completed":
      return audit(event.data)
    case "audit.failed":
      return {
        title: event.data.subject === "audit" ? "Audit failed" : "Crawl failed",
        lines: [
          [event.data.subject === "audit" ? "Page" : "Site", event.data.url],
          ["Reason", event.data.outcome.error.message]
        ],
        screen: event.data.subject === "audit" ? "audits" : `runs/${event.data.id}`
      }
    case "site_health.completed": {
      const { dead_links_found, findings, fixed, pages_fetched, run_id, score, status, url, verify } = event.data
      return {
        title: verify === null ? crawled(status) : "Recheck completed",
        lines: [
          ["Site", url],
          ["Score", moved(score.before, score.after, verdictOf(score.after, findings))],
          ["Issues", issuesOf(findings)],
          ["Pages crawled", pages_fetched],
          ["Broken links", dead_links_found],
          ["New issues", event.data.new],
          ["Fixed issues", fixed]
        ],
        screen: `runs/${run_id}`
      }
    }
    case "site_health.failed":
      return {
        title: "Crawl failed",
        lines: [
          ["Site", event.data.url],
          ["Reason", event.data.error.message]
        ],
        screen: `runs/${event.data.run_id}`
      }
    case "site_health.score_dropped":
      return {
        title: "Site health score dropped",
        lines: [
          ["Site", event.data.url],
          ["Score", moved(event.data.score.before, event.data.score.after)],
          ["New issues", `${event.data.new} (${event.data.new_critical} critical)`],
          ["Fixed issues", event.data.fixed]
        ],
        screen: `runs/${event.data.run_id}`
      }
    case "ranking.dropped":
      return movement("Ranking dropped", event.data)
    case "ranking.climbed":
      return movement("Ranking improved", event.data)
    case "traffic.dropped":
      return traffic("Clicks dropped", event.data)
    case "traffic.recovered":
      return traffic("Clicks recovered", event.data)
    case "intervention.deployed":
    case "intervention.rolled_back":
      return {
        title: event.type === "intervention.deployed" ? "Change deployed" : "Change rolled back",
        lines: [
          ["Change", event.data.summary],
          ["Page", event.data.url],
          ["Through", event.data.connector],
          ["Reason", "reason" in event.data ? event.data.reason : null]
        ],
        screen: `sites/${event.data.project_id}`
      }
    case "backlink.lost":
      return {
        title: "Backlinks lost",
        lines: [
          ["Domain", event.data.domain],
          ["Authority", `${rounded(event.data.authority)} (${event.data.authority_source})`],
          ["Lost links", event.data.links.length === 0 ? null : event.data.links.length],
          ["Linked from", event.data.links[0]?.source_url]
        ],
        screen: `sites/${event.data.project_id}`
      }
    case "geo_score.changed": {
      const { current, delta, engine, metric, model, previous, project_id } = event.data
      return {
        title: "AI visibility changed",
        lines: [
          ["Engine", model === undefined ? engine : `${engine} (${model})`],
          [
            metric === "sentiment" ? "Sentiment" : "Citation rate",
            `${rounded(previous)} → ${rounded(current)} (${signed(delta)} points)`
          ]
        ],
        screen: `sites/${project_id}`
      }
    }
    case "webhook.deactivated":
      return {
        title: "Endpoint disabled",
        lines: [
          ["Endpoint", event.data.url],
          [
            "Reason",
            event.data.reason === "gone" ? "the endpoint returned 410 Gone" : "every delivery failed for 5 days"
          ]
        ],
        screen: `webhooks/${event.data.webhook_id}`
      }
    case "delivery.exhausted":
      return {
        title: "Delivery failed",
        lines: [
          ["Endpoint", event.data.webhook_id],
          ["Event", `${event.data.event_type} (${event.data.event_id})`],
          ["Attempts", event.data.attempts],
          ["Last status", event.data.last_status_code ?? "no response"]
        ],
        screen: `webhooks/${event.data.webhook_id}`
      }
    case "webhook.ping":
      return {
        title: "Ping from Findable",
        lines: [["Endpoint", event.data.webhook_id]],
        screen: `webhooks/${event.data.webhook_id}`
      }
  }
}

const read = Schema.decodeUnknownOption(Schema.parseJson(Payload))

/** The fields of every body, even a shortened one. */
const Envelope = Schema.parseJson(
  Schema.Struct({
    id: Schema.String,
    type: Schema.String,
    test: Schema.optional(Schema.Boolean),
    created_at: Schema.String
  })
)
const readEnvelope = Schema.decodeSync(Envelope)

/** The message of an event. Shortened data, which was too large for a delivery, shows only the type. */
export const messageOf = (body: EventBody, webhook: WebhookId, base: string | null): Message => {
  const { created_at, id, test = false, type } = readEnvelope(body)
  const { lines, screen, title } = Option.match(read(body), {
    onNone: (): Told => ({ title: type, lines: [], screen: `webhooks/${webhook}` }),
    onSome: told
  })
  // The example of a type names things that do not exist.
  const shown = test ? `webhooks/${webhook}` : screen
  return {
    id,
    type,
    at: created_at,
    title: test ? `Test: ${title}` : title,
    facts: lines.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, String(value)]])),
    link: base === null ? null : `${base}/console#/${shown}`
  }
}
