import type { HealthReason, Termination } from "../report/States.ts"
import type { CrawlRecord } from "../report/Summary.ts"
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

const spelt: Readonly<Record<string, string>> = {
  "2mb": "2 MB",
  h1: "h1",
  hreflang: "hreflang",
  html: "HTML",
  http: "HTTP",
  javascript: "JavaScript",
  noindex: "noindex",
  nofollow: "nofollow",
  pdf: "PDF",
  robots: "robots.txt",
  url: "URL",
  urls: "URLs",
  utf8: "UTF-8"
}

const names: Readonly<Record<string, string>> = {
  page_client_error: "Page answers 4xx",
  page_server_error: "Page answers 5xx",
  soft_404: "Error page that answers 200",
  missing_page_answers_200: "Missing pages answer 200",
  redirect_temporary: "Temporary redirect",
  redirect_offsite: "Redirect to another site",
  redirect_to_error: "Redirect to an error",
  link_to_redirect: "Link to a redirect",
  canonical_to_error: "Canonical to an error",
  canonical_to_redirect: "Canonical to a redirect",
  canonical_cross_site: "Canonical to another site",
  content_near_duplicate: "Content nearly the same",
  page_not_in_sitemap: "Page not in the sitemap",
  page_deep: "Page far from the start",
  start_hidden: "Start page hidden",
  sitemap_named_but_absent: "Named sitemap does not exist",
  start_blocked: "Start page blocked by robots.txt",
  noindex_page: "Page asks not to be indexed",
  robots_meta_outside_head: "Robots meta outside of the head",
  robots_directives_conflict: "Robots directives conflict",
  image_alt_missing: "Images without alt",
  charset_not_utf8: "Charset is not UTF-8",
  link_script: "Links that run a script",
  link_nofollow_internal: "Internal links with nofollow",
  hreflang_to_unindexable: "hreflang to a page that may not be indexed",
  hreflang_no_return: "hreflang without return link",
  page_over_http: "Page served over HTTP",
  page_over_2mb: "Page longer than 2 MB",
  canonical_to_hidden: "Canonical to a hidden page",
  blocked_but_linked: "Linked but blocked by robots.txt"
}

/** A rule's name for readers: its id in words. */
export const ruleName = (id: string): string => {
  const words = id
    .split("_")
    .map((word) => spelt[word] ?? word)
    .join(" ")
  return names[id] ?? words.replace(/^[a-z](?!reflang|1\b|o(?:index|follow))/, (first) => first.toUpperCase())
}

/** The catalogue's words for a rule; an unknown id, from another version, stands for itself. */
export const ruleWords = (id: string): Pick<RuleText, "means" | "fix" | "source"> =>
  rules.get(id) ?? { means: id, fix: "", source: "" }

/** When and by what a crawl was made, in one line. */
export const madeBy = ({ duration_ms, started_at, user_agent, version }: CrawlRecord): string =>
  `${started_at.slice(0, 16).replace("T", " ")} UTC, ${(duration_ms / 1000).toFixed(1)} s, Findable ${version}, as ${user_agent}`
