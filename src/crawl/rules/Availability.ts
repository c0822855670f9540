import { type AnalysedPage, wasAsked } from "../analysis/AnalysedPage.ts"
import type { HealthReason } from "../report/States.ts"
import { all, sawEverything } from "./Gates.ts"
import { availability as guidance } from "./guidance/Availability.ts"
import { type Gate, perUrl, type Rule, siteWide } from "./Rule.ts"

const answered = ({ visit }: AnalysedPage): boolean => visit !== null && visit.status !== null

const attempts = ({ visit }: AnalysedPage): string =>
  (visit?.attempts ?? []).map(({ cause, http_status }) => http_status ?? cause).join(", then ")

const having = (reason: HealthReason) => (page: AnalysedPage) => {
  if (page.reason !== reason) return null
  const { linkedFromCount, via } = page.record
  return `answers: ${attempts(page)}${via === "sitemap" && linkedFromCount === 0 ? "; named by the sitemap alone" : ""}`
}

/** It is known what the site answers to a path that cannot exist, which soft 404s are compared with. */
const probed: Gate = ({ probe }) =>
  probe === null ? "the path that cannot exist was not answered or not allowed" : null

const nothing = "no URL of the site answered"
const http = "RFC 9110 §15"

export const availability: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "needs_javascript",
      category: "content",
      severity: "critical",
      means:
        "Without running its scripts the site shows next to nothing. Engines render pages late or not at all, and this crawl runs no scripts: what they draw was not seen.",
      fix: "Render the pages on the server or beforehand, so that text, links and metadata are in the HTML of each path.",
      source: "Google Search Central, Understand the JavaScript SEO basics",
      guidance: guidance.needs_javascript
    },
    ({ needsJavascript }) => needsJavascript,
    ({ find, start }) => (find(start.href)?.visit?.facts == null ? "the start page was not read" : null)
  ),
  perUrl(
    {
      id: "page_client_error",
      name: "Page answers 4xx",
      category: "availability",
      severity: "critical",
      means:
        "Pages of the site answer 4xx, confirmed by a second request: visitors and search engines find nothing there.",
      fix: "Restore the page, redirect it permanently to its successor, or remove every link to it.",
      source: `${http}.5`,
      guidance: guidance.page_client_error
    },
    answered,
    having("http_4xx"),
    { nothing, gate: sawEverything, scope: "down" }
  ),
  perUrl(
    {
      id: "page_server_error",
      name: "Page answers 5xx",
      category: "availability",
      severity: "critical",
      means:
        "Pages answer 5xx, confirmed by a second request a second later. Search engines slow down and drop such pages.",
      fix: "Find the failing request in the server's log; answer 503 with Retry-After only while in maintenance.",
      source: `${http}.6; Google Search Central, HTTP status codes and network errors`,
      guidance: guidance.page_server_error
    },
    answered,
    having("http_5xx"),
    { nothing, gate: sawEverything, scope: "down" }
  ),
  perUrl(
    {
      id: "soft_404",
      name: "Error page that answers 200",
      category: "availability",
      severity: "critical",
      means:
        "Pages answer 200 but are error pages or empty. Search engines treat them as not found. This is inferred, not stated by the server.",
      fix: "Answer 404 or 410 for what does not exist, or put real content on the page.",
      source: "Google Search Central, HTTP status codes and network errors, soft 404",
      guidance: guidance.soft_404
    },
    answered,
    (page) => (page.reason === "soft_404" ? (page.note ?? "looks like an error page") : null),
    { nothing, gate: all(sawEverything, probed), scope: "down" }
  ),
  siteWide(
    {
      id: "missing_page_answers_200",
      name: "Missing pages answer 200",
      category: "availability",
      severity: "warning",
      means: "A path that cannot exist is answered with success, so search engines may index endless empty addresses.",
      fix: "Answer 404 for unknown paths, also in client-side routed applications.",
      source: `${http}.5.5; Google Search Central, soft 404 errors`,
      guidance: guidance.missing_page_answers_200
    },
    ({ probe }) => (probe !== null && probe.status < 300 ? `${probe.url} answers ${probe.status}` : null),
    probed
  ),
  perUrl(
    {
      id: "page_timed_out",
      category: "availability",
      severity: "info",
      means: "Pages did not answer in time. They are not called broken, and they stand outside the score.",
      fix: "Measure the server's response time for these pages, then run again.",
      source: "Google Search Central, HTTP status codes and network errors, network and DNS errors",
      guidance: guidance.page_timed_out
    },
    wasAsked,
    having("timed_out"),
    { nothing: "no URL of the site was requested" }
  ),
  perUrl(
    {
      id: "connection_lost",
      category: "availability",
      severity: "info",
      means: "The connection failed or broke off before an answer was complete.",
      fix: "Look for crashes, connection limits and firewalls between the crawler and the server.",
      source: "Google Search Central, HTTP status codes and network errors, network and DNS errors",
      guidance: guidance.connection_lost
    },
    wasAsked,
    having("connection_failed"),
    { nothing: "no URL of the site was requested" }
  ),
  perUrl(
    {
      id: "rate_limited",
      category: "availability",
      severity: "info",
      means:
        "The server refused requests as too many although the crawler paused as asked. Search engines meet the same limit.",
      fix: "Raise the limit for well-behaved crawlers, or name a Crawl-delay in robots.txt.",
      source: "RFC 6585 §4",
      guidance: guidance.rate_limited
    },
    wasAsked,
    having("rate_limited"),
    { nothing: "no URL of the site was requested" }
  ),
  perUrl(
    {
      id: "bot_challenge",
      category: "availability",
      severity: "info",
      means: "robots.txt allows these pages but the edge in front of the site asks crawlers to prove being human.",
      fix: "Let verified crawlers pass the firewall's challenge, or disallow the pages in robots.txt.",
      source: "RFC 9309 §2.2; the edge's own challenge headers",
      guidance: guidance.bot_challenge
    },
    wasAsked,
    having("bot_challenge"),
    { nothing: "no URL of the site was requested" }
  )
]
