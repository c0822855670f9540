import { wasAsked } from "../analysis/AnalysedPage.ts"
import { having } from "./Availability.ts"
import { perUrl, type Rule } from "./Rule.ts"

/** Pages that a crawler could not see, which proves nothing about them. */
export const crawlerAccess: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "page_timed_out",
      name: "Page without an answer in time",
      category: "availability",
      severity: "info",
      means: "Pages did not answer in time. They are not called broken, and they stand outside the score.",
      fix: "Measure the server's response time for these pages, then run again.",
      source: "Google Search Central, HTTP status codes and network errors, network and DNS errors",
      guidance: {
        why: "A page that does not answer in time is left by visitors and fetched less often by engines.",
        goal: "Make each listed URL answer within a few seconds, with an empty cache too",
        find: "Find the handler of the listed paths and what it waits for: queries, other services, rendering, or a queue in front of it.",
        steps: [
          "Measure the time to the first byte three times with a cold and three times with a warm cache.",
          "Profile the slowest part and shorten it: an index, fewer queries, a cache with an expiry, work moved out of the request.",
          "Give every call of another service a time-out shorter than the page's own."
        ],
        never: "answer an empty page early to look fast"
      }
    },
    wasAsked,
    having("timed_out"),
    { nothing: "no URL of the site was requested" }
  ),
  perUrl(
    {
      id: "connection_lost",
      name: "Lost connection",
      category: "availability",
      severity: "info",
      means: "The connection failed or broke off before an answer was complete.",
      fix: "Look for crashes, connection limits and firewalls between the crawler and the server.",
      source: "Google Search Central, HTTP status codes and network errors, network and DNS errors",
      guidance: {
        why: "An answer that breaks off is nothing to a visitor, and engines try again later or give up.",
        goal: "Make each listed URL answer completely",
        find: "Look in the logs of server, proxy and load balancer for resets, crashes and size limits at the time of the run.",
        steps: [
          "Request the URL several times, with and without the proxy in front of the server.",
          "Repair what ends the connection: a crashing worker, a wrong Content-Length, a proxy's time-out or body limit, a firewall rule.",
          "Check that TLS, if any, offers a complete certificate chain for the host."
        ],
        never: "raise time-outs everywhere without knowing which one ended the connection"
      }
    },
    wasAsked,
    having("connection_failed"),
    { nothing: "no URL of the site was requested" }
  ),
  perUrl(
    {
      id: "rate_limited",
      name: "Requests refused as too many",
      category: "availability",
      severity: "info",
      means:
        "The server refused requests as too many although the crawler paused as asked. Search engines meet the same limit.",
      fix: "Raise the limit for well-behaved crawlers, or name a Crawl-delay in robots.txt.",
      source: "RFC 6585 §4",
      guidance: {
        why: "Search engines meet the same limit, fetch fewer pages and see changes later.",
        goal: "Let a well-behaved crawler read the listed URLs without being refused",
        find: "Find the rate limit that answered 429 or 503: middleware, proxy, CDN rule or hosting plan.",
        steps: [
          "Read the limit's own log or counters for the time of the run.",
          "Raise the limit for reading public pages, or count by address and path so that one crawler does not exhaust it.",
          "Send Retry-After with each refusal."
        ],
        never: "exempt requests by their User-Agent alone, which anybody can send"
      }
    },
    wasAsked,
    having("rate_limited"),
    { nothing: "no URL of the site was requested" }
  ),
  perUrl(
    {
      id: "bot_challenge",
      name: "Bot challenge",
      category: "availability",
      severity: "info",
      means: "robots.txt allows these pages but the edge in front of the site asks crawlers to prove being human.",
      fix: "Let verified crawlers pass the firewall's challenge, or disallow the pages in robots.txt.",
      source: "RFC 9309 §2.2; the edge's own challenge headers",
      guidance: {
        why: "What a crawler cannot read is not indexed, although robots.txt invites it.",
        goal: "Let verified crawlers read what robots.txt allows them",
        find: "Find the rule at the edge (CDN, firewall, bot protection) that challenges requests to the listed paths.",
        steps: [
          "Decide whether crawlers are meant to read these pages.",
          "If so, let verified crawlers pass (the edge's own list, or reverse DNS), and this crawler's address for checks.",
          "If not, disallow the paths in robots.txt."
        ],
        never: "turn the protection off for everybody"
      }
    },
    wasAsked,
    having("bot_challenge"),
    { nothing: "no URL of the site was requested" }
  )
]
