import type { HealthReason, Termination } from "../report/States.ts"
import { catalogue } from "../rules/Catalogue.ts"
import type { RuleText } from "../rules/Rule.ts"

/** What a health reason says to a reader. */
export const reasonWords: Readonly<Record<HealthReason, string>> = {
  ok: "eligible for the index",
  noindex_meta: "noindex in a meta element",
  noindex_header: "noindex in a header",
  canonical_elsewhere: "canonical names another page",
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
  limit_reached: "not verified within the limits"
}

export const terminationWords: Readonly<Record<Termination, string>> = {
  complete: "the whole site was seen",
  "max-pages": "stopped at the page limit: this covers a part of the site",
  "max-duration": "stopped at the time limit: this covers a part of the site"
}

const rules: ReadonlyMap<string, RuleText> = new Map(catalogue.map((rule) => [rule.id, rule]))

/** The catalogue's words for a rule; an unknown id, from another version, stands for itself. */
export const ruleWords = (id: string): Pick<RuleText, "means" | "fix" | "source"> =>
  rules.get(id) ?? { means: id, fix: "", source: "" }
