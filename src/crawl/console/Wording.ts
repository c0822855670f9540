import type { CrawlResult } from "../report/CrawlResult.ts"
import type { AgentSummary } from "../report/RobotsSummary.ts"
import type { HealthReason, Termination } from "../report/States.ts"
import type { CrawlRecord } from "../report/Summary.ts"
import { ruleOf } from "../rules/Catalogue.ts"
import type { RuleText } from "../rules/Rule.ts"

/** What a health reason says to a reader. */
export const reasonWords: Readonly<Record<HealthReason, string>> = {
  ok: "eligible for the index",
  noindex_meta: "noindex in a meta element",
  noindex_header: "noindex in a header",
  canonical_elsewhere: "canonical names another page",
  canonical_variant: "variant of the page that its canonical names",
  blocked_by_robots: "blocked by robots.txt",
  redirect_permanent: "permanent redirect",
  redirect_temporary: "temporary redirect",
  redirect_loop: "redirect loop",
  redirect_offsite: "redirect to another site",
  http_4xx: "answers 4xx",
  http_5xx: "answers 5xx",
  soft_404: "error page that answers 200",
  timed_out: "no answer in time",
  connection_failed: "connection failed",
  rate_limited: "rate limited",
  bot_challenge: "bot challenge",
  robots_unreachable: "robots.txt unreachable",
  not_html: "not an HTML page",
  too_large: "too large to read",
  limit_reached: "not verified within the limits",
  blocked_for_us: "closed to this crawler by robots.txt, open to search engines",
  action_link: "an address that acts, such as one that fills a cart: not requested",
  excluded: "left out by the options"
}

const terminationWords: Readonly<Record<Termination, string>> = {
  complete: "the whole site was seen",
  "max-pages": "stopped at the page limit: this covers a part of the site",
  "max-duration": "stopped at the time limit: this covers a part of the site"
}

/** How much of the site a crawl saw. */
export const sightWords = ({ inventory, termination }: CrawlResult["summary"]): string =>
  termination === "complete" && inventory.reasons.some(({ reason }) => reason === "excluded")
    ? "all of the site was seen but what the options leave out"
    : terminationWords[termination]

/** A rule's name for readers; an unknown id, from another version, stands for itself. */
export const ruleName = (id: string): string => ruleOf(id)?.name ?? id

/** The catalogue's words for a rule; an unknown id, from another version, stands for itself. */
export const ruleWords = (id: string): Pick<RuleText, "means" | "fix" | "source"> =>
  ruleOf(id) ?? { means: id, fix: "", source: "" }

/** When and by what a crawl was made, in one line. */
export const madeBy = ({ duration_ms, started_at, user_agent, version }: CrawlRecord): string =>
  `${started_at.slice(0, 16).replace("T", " ")} UTC, ${(duration_ms / 1000).toFixed(1)} s, Findable ${version}, as ${user_agent}`

const pointWords = (points: number): string =>
  points < 0.1 ? "less than 0.1 points" : `${points < 10 ? points.toFixed(1) : points.toFixed(0)} points`

/** What costs the score most, five rules at most. */
export const costsOf = ({ score }: CrawlResult): ReadonlyArray<string> =>
  score.score_version === 1
    ? []
    : score.breakdown.lost.slice(0, 5).map(({ points, rule }) => `${ruleName(rule)} ${pointWords(points)}`)

/** Whether an agent may read the start page, with the line of robots.txt that says so. */
export const startWords = ({ line, start_allowed }: AgentSummary): string =>
  `${start_allowed ? "allowed" : "forbidden"}${line === null ? "" : ` by line ${line.line}: ${line.text}`}`
