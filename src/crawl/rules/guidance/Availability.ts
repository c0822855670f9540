import type { GuidanceTable } from "./Guidance.ts"

/** Pages that do not answer as pages. */
export const availability = {
  needs_javascript: {
    why: "Engines that run scripts do so late and not always; those that do not, previews and this crawl among them, see an empty page.",
    goal: "Serve the text, links and metadata of each route in the HTML of its first answer",
    find: "Find how the start page is rendered: the entry HTML, the client-side router, and the framework's rendering mode.",
    steps: [
      "Request the start page without a browser and compare its HTML with what the browser shows.",
      "Turn on the framework's server rendering or static generation for public routes; without a framework, generate the HTML in the build.",
      "Give each route its own title, description, canonical and links in that HTML, and let the scripts take it over."
    ],
    never: "serve other HTML to crawlers than to visitors"
  },
  page_client_error: {
    why: "Visitors and search engines get nothing at such an address, and every link to it is wasted.",
    goal: "Make each listed URL answer 200, redirect permanently to its successor, or be named by no page and no sitemap",
    find: "Find what should serve each listed path: route, file, rewrite rule or content entry; and look in the history for when it went.",
    steps: [
      "Decide for each URL: it was lost by mistake, it moved, or it is gone for good.",
      "Lost: restore the page or its route. Moved: redirect with 301 or 308 to the page that took its place.",
      "Gone for good: keep 404 or 410, and remove it from every link and sitemap that the evidence names."
    ],
    never: "answer 200 with an error page, or send all missing pages to the start page"
  },
  page_server_error: {
    why: "Visitors get an error, and search engines slow down and then drop pages that keep answering 5xx.",
    goal: "Make each listed URL answer without a server error",
    find: "Find the failing request in the server's log by path and time, and the handler or upstream behind it.",
    steps: [
      "Request the URL and read the stack trace or the gateway's error that belongs to that request.",
      "Repair the cause: an unhandled value, a missing record, a time-out of the database or of another service.",
      "Add a test that requests the path, and answer 404 where the cause is a record that does not exist."
    ],
    never: "catch the error and answer 200"
  },
  soft_404: {
    why: "An error page that answers 200 wastes the time of crawlers, and engines may show it as a result.",
    goal: "Answer 404 or 410 where there is nothing, and real content where there is something",
    find: "Find the handler that renders the listed pages, and what it does when the record or file does not exist.",
    steps: [
      "Verify by eye that each listed page is an error page or empty: this finding is inferred.",
      "Where nothing exists, set the status 404 (or 410 for what is gone) before the error page is rendered.",
      "Where something exists, repair what leaves the page empty: a failed query, a missing template part, content that only scripts draw."
    ],
    never: "reword the error page so that it is no longer recognised"
  },
  missing_page_answers_200: {
    why: "Every mistyped or invented address becomes a page of its own, so engines may index endless empty copies.",
    goal: "Answer 404 for paths that do not exist",
    find: "Find the catch-all: a rewrite of all paths to one file, a wildcard route, or an error page that is served with 200.",
    steps: [
      "Request a path that cannot exist and see which rule answers it.",
      "Let the server send its error page with status 404; in a client-side routed application, let the server know the routes.",
      "Check that the existing routes still answer 200, deep ones included."
    ],
    never: "redirect unknown paths to the start page"
  },
  page_timed_out: {
    why: "A page that does not answer in time is left by visitors and fetched less often by engines.",
    goal: "Make each listed URL answer within a few seconds, with an empty cache too",
    find: "Find the handler of the listed paths and what it waits for: queries, other services, rendering, or a queue in front of it.",
    steps: [
      "Measure the time to the first byte three times with a cold and three times with a warm cache.",
      "Profile the slowest part and shorten it: an index, fewer queries, a cache with an expiry, work moved out of the request.",
      "Give every call of another service a time-out shorter than the page's own."
    ],
    never: "answer an empty page early to look fast"
  },
  connection_lost: {
    why: "An answer that breaks off is nothing to a visitor, and engines try again later or give up.",
    goal: "Make each listed URL answer completely",
    find: "Look in the logs of server, proxy and load balancer for resets, crashes and size limits at the time of the run.",
    steps: [
      "Request the URL several times, with and without the proxy in front of the server.",
      "Repair what ends the connection: a crashing worker, a wrong Content-Length, a proxy's time-out or body limit, a firewall rule.",
      "Check that TLS, if any, offers a complete certificate chain for the host."
    ],
    never: "raise time-outs everywhere without knowing which one ended the connection"
  },
  rate_limited: {
    why: "Search engines meet the same limit, fetch fewer pages and see changes later.",
    goal: "Let a well-behaved crawler read the listed URLs without being refused",
    find: "Find the rate limit that answered 429 or 503: middleware, proxy, CDN rule or hosting plan.",
    steps: [
      "Read the limit's own log or counters for the time of the run.",
      "Raise the limit for reading public pages, or count by address and path so that one crawler does not exhaust it.",
      "Send Retry-After with each refusal."
    ],
    never: "exempt requests by their User-Agent alone, which anybody can send"
  },
  bot_challenge: {
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
} satisfies GuidanceTable
