import type { PublishedEvent } from "../api/Contract.ts"
import { change, count, hostOf, pathOf, plural, position } from "../parts/Formats.ts"
import { hashOf } from "../Routes.ts"

/** An event for people: a sentence, the site that it is about, and the screen of its thing. */
export interface Told {
  readonly text: string
  readonly site: string | null
  readonly href: string | null
  readonly tone: "bad" | "good" | "quiet"
}

const scoreOf = ({ after, before }: { readonly after: number | null; readonly before: number | null }): string =>
  after === null
    ? "no score"
    : before === null
      ? `score ${position(after)}`
      : `score ${position(after)}, ${change(after - before)} vs. previous crawl`

const brokenOf = (links: number | null) => (links === null ? "links not checked" : plural(links, "broken link"))

const issuesOf = (added: number | null, fixed: number | null): string =>
  added === null || fixed === null ? "" : ` ${plural(added, "new issue")}, ${count(fixed)} fixed.`

const crawlOf = (site: string | undefined, run: string) =>
  site === undefined ? hashOf(["runs", run]) : hashOf(["sites", site, "health", run])

const tab = (site: string, segment: string, filters: Readonly<Record<string, string>> = {}) =>
  hashOf(["sites", site, segment], filters)

/** A percent with its sign, such as `−35%`. */
const percent = (value: number) => `${change(Math.round(value * 10) / 10)}%`

const clicksOf = ({
  after,
  before,
  change_percent,
  page_path
}: Extract<PublishedEvent, { readonly type: "traffic.dropped" }>["data"]) =>
  `${page_path ?? "the whole site"}: ${count(Math.round(after))} clicks in 28 days, ${percent(change_percent)} vs. the ${count(Math.round(before))} before`

const positions = (previous: number, current: number | null) =>
  current === null
    ? `no longer ranks (was position ${position(previous)})`
    : `moved from position ${position(previous)} to ${position(current)}`

const audited = (event: Extract<PublishedEvent, { readonly type: "audit.completed" }>): Told => {
  const { data } = event
  const site = data.project_id ?? null
  if (data.subject === "audit") {
    const { findings_summary, overall_score } = data.outcome
    return {
      href: site === null ? null : tab(site, "audits", { url: data.url }),
      site,
      text: `Audit of ${hostOf(data.url)}${pathOf(data.url)} finished: score ${position(overall_score)}, ${plural(findings_summary.critical, "critical issue")}.`,
      tone: "good"
    }
  }
  const { aggregate_score, changes, dead_links_found, pages_fetched } = data.outcome
  const score = aggregate_score === null ? "no score" : `score ${position(aggregate_score)}`
  return {
    href: crawlOf(data.project_id, data.id),
    site,
    text: `Crawl of ${hostOf(data.url)} finished: ${score}, ${plural(pages_fetched, "page")}, ${brokenOf(dead_links_found)}.${issuesOf(changes?.new ?? null, changes?.fixed ?? null)}`,
    tone: "good"
  }
}

const told = (event: PublishedEvent): Told => {
  switch (event.type) {
    case "audit.completed":
      return audited(event)
    case "audit.failed": {
      const { data } = event
      const isAudit = data.subject === "audit"
      const site = data.project_id ?? null
      return {
        href: isAudit ? (site === null ? null : tab(site, "audits")) : crawlOf(data.project_id, data.id),
        site,
        text: `${isAudit ? "Audit" : "Crawl"} of ${hostOf(data.url)} failed: ${data.outcome.error.message}`,
        tone: "bad"
      }
    }
    case "site_health.completed": {
      const { dead_links_found, fixed, pages_fetched, project_id, run_id, score, status, url, verify } = event.data
      const kind = verify === null ? "Crawl" : "Recheck"
      return {
        href: crawlOf(project_id, run_id),
        site: project_id,
        text: `${kind} of ${hostOf(url)} ${status === "partial" ? "ended at a limit" : "finished"}: ${scoreOf(score)}. ${plural(pages_fetched, "page")} crawled, ${brokenOf(dead_links_found)}.${issuesOf(event.data.new, fixed)}`,
        tone: "good"
      }
    }
    case "site_health.failed": {
      const { error, project_id, run_id, url } = event.data
      return {
        href: crawlOf(project_id, run_id),
        site: project_id,
        text: `Crawl of ${hostOf(url)} failed: ${error.message}`,
        tone: "bad"
      }
    }
    case "site_health.score_dropped": {
      const { fixed, new_critical, project_id, run_id, score, url } = event.data
      return {
        href: crawlOf(project_id, run_id),
        site: project_id,
        text: `Score of ${hostOf(url)} dropped from ${position(score.before)} to ${position(score.after)}.${issuesOf(event.data.new, fixed)}${new_critical > 0 ? ` ${plural(new_critical, "critical issue")} among the new ones.` : ""}`,
        tone: "bad"
      }
    }
    case "ranking.dropped":
    case "ranking.climbed": {
      const { current_position, page_path, previous_position, query, site_id } = event.data
      return {
        href: tab(site_id, "search"),
        site: site_id,
        text: `“${query}” ${positions(previous_position, current_position)} on ${page_path}.`,
        tone: event.type === "ranking.dropped" ? "bad" : "good"
      }
    }
    case "traffic.dropped":
    case "traffic.recovered": {
      const isDrop = event.type === "traffic.dropped"
      return {
        href: tab(event.data.site_id, "search"),
        site: event.data.site_id,
        text: `Clicks ${isDrop ? "dropped" : "recovered"} on ${clicksOf(event.data)}.`,
        tone: isDrop ? "bad" : "good"
      }
    }
    case "intervention.deployed":
    case "intervention.rolled_back": {
      const { connector, project_id, summary, url } = event.data
      const isLive = event.type === "intervention.deployed"
      return {
        href: tab(project_id, "changes"),
        site: project_id,
        text: `Change ${isLive ? "went live" : "was rolled back"} on ${hostOf(url)}${pathOf(url)} (${connector}): ${summary}`,
        tone: isLive ? "good" : "quiet"
      }
    }
    case "backlink.lost": {
      const { authority, domain, links, project_id } = event.data
      const lost = links.length === 0 ? "" : `, ${plural(links.length, "link")}`
      return {
        href: tab(project_id, "links"),
        site: project_id,
        text: `${domain} no longer links to the site (authority ${position(authority)}${lost}).`,
        tone: "bad"
      }
    }
    case "geo_score.changed": {
      const { current, delta, engine, metric, previous, project_id } = event.data
      return {
        href: tab(project_id, "ai"),
        site: project_id,
        text: `${metric === "sentiment" ? "Sentiment" : "Citation rate"} in ${engine} ${delta < 0 ? "fell" : "rose"} from ${position(previous)} to ${position(current)} points.`,
        tone: delta < 0 ? "bad" : "good"
      }
    }
    case "webhook.deactivated": {
      const { reason, url, webhook_id } = event.data
      return {
        href: hashOf(["webhooks", webhook_id]),
        site: null,
        text: `Endpoint ${hostOf(url)}${pathOf(url)} was disabled: ${reason === "gone" ? "it returned 410 Gone" : "all deliveries failed for 5 days"}.`,
        tone: "bad"
      }
    }
    case "delivery.exhausted": {
      const { attempts, delivery_id, event_type, last_status_code, webhook_id } = event.data
      return {
        href: hashOf(["webhooks", webhook_id, delivery_id]),
        site: null,
        text: `A delivery of ${event_type} failed after ${plural(attempts, "attempt")}: ${last_status_code === null ? "no response" : `status ${last_status_code}`}.`,
        tone: "bad"
      }
    }
    case "webhook.ping":
      return { href: hashOf(["webhooks", event.data.webhook_id]), site: null, text: "Ping.", tone: "quiet" }
  }
}

/** Whether the server has cut the data of an event, because its body would be too large. */
const isCut = ({ data }: PublishedEvent) => "truncated" in data

/** An event in words. Of cut data, and of types that a newer server has, only the type is known. */
export const toldOf = (event: PublishedEvent): Told => {
  const unknown: Told = { href: null, site: null, text: `${event.type}: see the data.`, tone: "quiet" }
  return isCut(event) ? unknown : (told(event) ?? unknown)
}
