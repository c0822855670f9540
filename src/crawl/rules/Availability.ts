import type { AnalysedPage, AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { HealthReason } from "../report/MeasuredPage.ts"
import { counted, linkElement, resourceElements } from "./Causes.ts"
import { type Precondition, perPage, perUrl, type Rule, siteWide } from "./Rule.ts"
import { all, isOnlyReferred, quoted, sawEverything } from "./Targets.ts"

/** It answered, and its answer is a matter of its own. */
const answered = (page: AnalysedPage, site: AnalysedSite): boolean =>
  page.visit !== null && page.visit.status !== null && !isOnlyReferred(page, site)

const attempts = ({ visit }: AnalysedPage): string =>
  (visit?.attempts ?? []).map(({ cause, http_status }) => http_status ?? cause).join(", then ")

/** What a page that failed for a reason answered, and whether a sitemap alone names it. */
export const having = (reason: HealthReason) => (page: AnalysedPage) => {
  if (page.reason !== reason) return null
  const { linkedFromCount, via } = page.record
  return `answers: ${attempts(page)}${via === "sitemap" && linkedFromCount === 0 ? "; named by the sitemap alone" : ""}`
}

/** It is known what the site answers to a path that cannot exist, which soft 404s are compared with. */
const probed: Precondition = ({ probe }) =>
  probe === null ? "the path that cannot exist was not answered or not allowed" : null

const nothing = "no URL of the site answered"
const http = "RFC 9110 §15"

/** Pages that answer as errors. */
export const availability: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "needs_javascript",
      name: "Site that needs JavaScript",
      category: "content",
      severity: "critical",
      means:
        "Without running its scripts the site shows next to nothing. Engines render pages late or not at all, and this crawl runs no scripts: what they draw was not seen.",
      fix: "Render the pages on the server or beforehand, so that text, links and metadata are in the HTML of each path.",
      source: "Google Search Central, Understand the JavaScript SEO basics",
      isCharged: false,
      guidance: {
        why: "Engines that run scripts do so late and not always; those that do not, previews and this crawl among them, see an empty page.",
        goal: "Serve the text, links and metadata of each route in the HTML of its first answer",
        find: "Find how the start page is rendered: the entry HTML, the client-side router, and the framework's rendering mode.",
        steps: [
          "Request the start page without a browser and compare its HTML with what the browser shows.",
          "Turn on the framework's server rendering or static generation for public routes; without a framework, generate the HTML in the build.",
          "Give each route its own title, description, canonical and links in that HTML, and let the scripts take it over."
        ],
        never: "serve other HTML to crawlers than to visitors"
      }
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
      guidance: {
        why: "Visitors and search engines get nothing at such an address, and every link to it is wasted.",
        goal: "Make each listed URL answer 200, redirect permanently to its successor, or be named by no page and no sitemap",
        find: "Find what should serve each listed path: route, file, rewrite rule or content entry; and look in the history for when it went.",
        steps: [
          "Decide for each URL: it was lost by mistake, it moved, or it is gone for good.",
          "Lost: restore the page or its route. Moved: redirect with 301 or 308 to the page that took its place.",
          "Gone for good: keep 404 or 410, and remove it from every link and sitemap that the evidence names."
        ],
        never: "answer 200 with an error page, or send all missing pages to the start page"
      }
    },
    answered,
    having("http_4xx"),
    { nothing, precondition: sawEverything, scope: "down" }
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
      guidance: {
        why: "Visitors get an error, and search engines slow down and then drop pages that keep answering 5xx.",
        goal: "Make each listed URL answer without a server error",
        find: "Find the failing request in the server's log by path and time, and the handler or upstream behind it.",
        steps: [
          "Request the URL and read the stack trace or the gateway's error that belongs to that request.",
          "Repair the cause: an unhandled value, a missing record, a time-out of the database or of another service.",
          "Add a test that requests the path, and answer 404 where the cause is a record that does not exist."
        ],
        never: "catch the error and answer 200"
      }
    },
    answered,
    having("http_5xx"),
    { nothing, precondition: sawEverything, scope: "down" }
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
      guidance: {
        why: "An error page that answers 200 wastes the time of crawlers, and engines may show it as a result.",
        goal: "Answer 404 or 410 where there is nothing, and real content where there is something",
        find: "Find the handler that renders the listed pages, and what it does when the record or file does not exist.",
        steps: [
          "Verify by eye that each listed page is an error page or empty: this finding is inferred.",
          "Where nothing exists, set the status 404 (or 410 for what is gone) before the error page is rendered.",
          "Where something exists, repair what leaves the page empty: a failed query, a missing template part, content that only scripts draw."
        ],
        never: "reword the error page so that it is no longer recognised"
      }
    },
    answered,
    (page) => (page.reason === "soft_404" ? (page.note ?? "looks like an error page") : null),
    { nothing, precondition: all(sawEverything, probed), scope: "down" }
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
      guidance: {
        why: "Every mistyped or invented address becomes a page of its own, so engines may index endless empty copies.",
        goal: "Answer 404 for paths that do not exist",
        find: "Find the catch-all: a rewrite of all paths to one file, a wildcard route, or an error page that is served with 200.",
        steps: [
          "Request a path that cannot exist and see which rule answers it.",
          "Let the server send its error page with status 404; in a client-side routed application, let the server know the routes.",
          "Check that the existing routes still answer 200, deep ones included."
        ],
        never: "redirect unknown paths to the start page"
      }
    },
    ({ probe }) => (probe !== null && probe.status < 300 ? `${probe.url} answers ${probe.status}` : null),
    probed
  )
]

/** This machine itself, where nothing can listen in (RFC 6761 §6.3, RFC 6890). */
const isLoopback = ({ hostname }: URL): boolean => /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** The connection that a page and its parts come over. */
export const security: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "mixed_content",
      name: "Mixed content",
      category: "security",
      severity: "warning",
      means: "An https page loads parts over http, which browsers block or mark as not secure.",
      fix: "Address the parts by https.",
      source: "W3C Mixed Content §4",
      guidance: {
        why: "Browsers block such parts or mark the page as not secure.",
        goal: "Load every part of the listed pages over https",
        find: "Search templates, styles, content and settings for the http:// addresses of the evidence.",
        steps: [
          "Check that each address answers over https.",
          "Write it with https, or relative to the root where it is the site's own.",
          "Replace parts whose host has no https."
        ],
        never: "remove https from the page, or rely on upgrade-insecure-requests alone"
      }
    },
    ({ visit: { facts } }) => {
      const [first] = facts.insecureResources
      return first === undefined
        ? null
        : {
            detail: counted(
              facts.insecureResources.map(({ raw }) => raw),
              "parts"
            ),
            value: first.raw,
            elements: resourceElements(facts.insecureResources)
          }
    },
    { among: ({ url }) => url.startsWith("https:"), nothing: "no page was served over https" }
  ),
  perPage(
    {
      id: "url_credentials",
      name: "URLs with credentials",
      category: "security",
      severity: "warning",
      means:
        "Links, images, styles or scripts of the page have a user name or a password in their URL. Everybody can read it there, and no request is sent to such a URL: the part or page behind it was not seen.",
      fix: "Take user name and password out of the URL, and change a password that was published.",
      source: "RFC 9110 §4.2.4, Deprecation of userinfo in http(s) URIs; RFC 3986 §7.5",
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Whoever reads the page has the password, browsers refuse parts with such a URL or warn, and crawlers do not follow it.",
        goal: "Let no URL on the listed pages have a user name or a password",
        find: "Search templates, content, settings and environment of the listed pages for the host of the URL: the evidence hides the secret itself.",
        steps: [
          "Find out what the URL gives access to, and change its password: it is public.",
          "Write the URL without user name and password.",
          "Where what stands behind it is for everybody, open it; where it is not, let people sign in there."
        ],
        never: "hide the password in a redirect or a script of the page"
      }
    },
    ({ visit: { facts } }) => {
      const blocked = facts.links.filter(({ target }) => !target.followable && target.reason === "credentials")
      const parts = facts.resourcesWithCredentials.filter(({ from }) => !/^i?frame\[/.test(from))
      const words = [
        ...blocked.map(({ raw, text }) => `${quoted(text)} → ${raw}`),
        ...parts.map(({ from, raw }) => `${from} → ${raw}`)
      ]
      return words.length === 0
        ? null
        : {
            detail: `blocked: has credentials: ${counted(words, "URLs")}`,
            value: blocked[0]?.raw ?? parts[0]?.raw,
            elements: [...blocked.map(linkElement), ...resourceElements(parts)]
          }
    }
  ),
  perPage(
    {
      id: "page_over_http",
      name: "Page served over HTTP",
      category: "security",
      severity: "warning",
      means: "The page is served without encryption; browsers call it not secure.",
      fix: "Serve the site over https and redirect http to it.",
      source: "Google Search Central, Secure your site with HTTPS; RFC 9110 §4.2.2",
      guidance: {
        why: "Browsers call such a page not secure, and what is sent can be read and changed on the way.",
        goal: "Serve each listed page over https, and redirect its http address there",
        find: "Find where TLS ends (server, proxy, CDN or hosting) and which addresses the site writes for itself.",
        steps: [
          "Set up a certificate that renews itself.",
          "Redirect http to https with 301 or 308, keeping path and query.",
          "Change base address, canonicals, sitemap and links to https."
        ],
        never: "redirect all http addresses to the start page"
      }
    },
    ({ url }) => (url.startsWith("http:") && !isLoopback(new URL(url)) ? "http" : null)
  )
]
