import { plural } from "../../foundation/text/Words.ts"
import type { AnalysedPage, AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { HealthReason } from "../report/MeasuredPage.ts"
import { isRendering, renderedShare } from "../report/Rendering.ts"
import { counted, linkElement, resourceElements } from "./Causes.ts"
import { isSoftByScripts } from "./Rendering.ts"
import { type FaultOf, isRead, type Precondition, perPage, perUrl, type Rule, siteWide } from "./Rule.ts"
import { all, isOnlyReferred, quoted, sawEverything } from "./Targets.ts"

/** Whether the URL answered, and not only head elements or headers name it. */
const answered = (page: AnalysedPage, site: AnalysedSite): boolean =>
  page.visit !== null && page.visit.status !== null && !isOnlyReferred(page, site)

const attempts = ({ visit }: AnalysedPage): string =>
  (visit?.attempts ?? []).map(({ cause, http_status }) => http_status ?? cause).join(", then ")

/** The response of a page that failed for a reason, and whether only a sitemap names it. */
export const having = (reason: HealthReason) => (page: AnalysedPage) => {
  if (page.reason !== reason) return null
  const { linkedFromCount, via } = page.record
  return `response: ${attempts(page)}${via === "sitemap" && linkedFromCount === 0 ? "; only in the sitemap" : ""}`
}

/** Why the response to an impossible path, the sample for soft 404s, is unknown; null when known. */
const probed: Precondition = ({ probe }) =>
  probe === null ? "the test request for a missing page got no response or was not allowed" : null

const nothing = "no URL of the site responded"
const http = "RFC 9110 §15"

/** What the crawl could not see without scripts: the whole site, or the pages that a crawl with a browser could not render. */
const unseenContent = ({ needsJavascript, rendering, unseenShells, ...site }: AnalysedSite): FaultOf => {
  const share = isRendering(rendering) ? `; ${renderedShare(rendering)}` : ""
  if (needsJavascript !== null) return `${needsJavascript}${share}`
  if (unseenShells.size === 0) return null
  const read = site.pages.filter(isRead).length
  const detail = `almost empty without scripts: ${unseenShells.size} of ${plural(read, "page")}${share}`
  return { detail, severity: "warning" }
}

/** Checks of error responses. */
export const availability: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "needs_javascript",
      name: "Content depends on JavaScript",
      category: "content",
      severity: "critical",
      means:
        "The start page, or other pages, are almost empty without JavaScript and were not rendered, so content that scripts add was not checked.",
      fix: "Render pages on the server or at build time, so the HTML of each URL has its text, links and metadata. To check the pages after JavaScript, install a browser where Findable runs (Debian: apt-get install chromium-headless-shell) or set CHROME_PATH.",
      source: "Google Search Central, Understand the JavaScript SEO basics",
      isCharged: false,
      guidance: {
        why: "Search engines render JavaScript late or not at all. Link previews and many AI crawlers see an empty page.",
        goal: "Serve the text, links and metadata of each route in the initial HTML",
        find: "Find how the pages are rendered: the entry HTML, the client-side router and the framework's rendering mode.",
        steps: [
          "Request the start page without a browser and compare its HTML with what a browser shows.",
          "Turn on server rendering or static generation for public routes. Without a framework, generate the HTML in the build.",
          "Give each route its own title, description, canonical and links in that HTML, and let scripts hydrate it."
        ],
        never: "serve different HTML to crawlers than to visitors"
      }
    },
    unseenContent,
    ({ find, start }) => (find(start.href)?.visit?.facts == null ? "the start page was not crawled" : null)
  ),
  perUrl(
    {
      id: "page_client_error",
      name: "Page returns 4xx (not found)",
      category: "availability",
      severity: "critical",
      means: "These URLs return a 4xx status, confirmed by a second request.",
      fix: "Restore the page, redirect the URL permanently to its replacement, or remove every link to it.",
      source: `${http}.5`,
      guidance: {
        why: "Visitors reach an error page, search engines drop the URL, and links to it are wasted.",
        goal: "Make each listed URL return 200 or redirect permanently to its replacement, or remove it from every page and sitemap",
        find: "Find what should serve each listed path: a route, a file, a rewrite or a content entry. Check the history for when it was removed.",
        steps: [
          "Decide for each URL whether it was lost by mistake, moved, or removed on purpose.",
          "Lost: restore the page or its route. Moved: redirect with 301 or 308 to the page that replaced it.",
          "Removed on purpose: keep 404 or 410, and remove the URL from every link and sitemap in the evidence."
        ],
        never: "return 200 with an error page, or redirect all missing pages to the start page"
      }
    },
    answered,
    having("http_4xx"),
    { nothing, precondition: sawEverything, scope: "down" }
  ),
  perUrl(
    {
      id: "page_server_error",
      name: "Page returns 5xx (server error)",
      category: "availability",
      severity: "critical",
      means: "These URLs return a 5xx status, confirmed by a second request one second later.",
      fix: "Find the failing request in the server log and fix its cause. Use 503 with Retry-After only during maintenance.",
      source: `${http}.6; Google Search Central, HTTP status codes and network errors`,
      guidance: {
        why: "Visitors see an error. Search engines crawl the site more slowly and eventually drop the pages.",
        goal: "Make each listed URL respond without a server error",
        find: "Find the failing request in the server log by path and time, and the handler or upstream service behind it.",
        steps: [
          "Request the URL and read the stack trace or gateway error of that request.",
          "Fix the cause: an unhandled value, a missing record, or a timeout of the database or another service.",
          "Add a test that requests the path. Return 404 if the cause is a record that does not exist."
        ],
        never: "catch the error and return 200"
      }
    },
    answered,
    having("http_5xx"),
    { nothing, precondition: sawEverything, scope: "down" }
  ),
  perUrl(
    {
      id: "soft_404",
      name: "Soft 404",
      category: "availability",
      severity: "critical",
      means:
        "These URLs return 200 but look like an error page or an empty page. Findable infers this from the content.",
      fix: "Return 404 or 410 for missing content, or put real content on the page.",
      source: "Google Search Central, HTTP status codes and network errors, soft 404",
      guidance: {
        why: "Soft 404s waste crawl budget, and search engines may index an error message.",
        goal: "Return 404 or 410 for missing content, and real content everywhere else",
        find: "Find the handler that renders the listed pages, and what it does when the record or file does not exist.",
        steps: [
          "Confirm by eye that each listed page is an error page or empty. This issue is inferred from the content.",
          "If the content does not exist, set status 404 before the error page is rendered, or 410 if it was removed for good.",
          "If the content exists, fix what leaves the page empty: a failed query, a missing template part, or content that only scripts add."
        ],
        never: "reword the error page to avoid detection"
      }
    },
    answered,
    (page) => (page.reason === "soft_404" && !isSoftByScripts(page) ? (page.note ?? "looks like an error page") : null),
    { nothing, precondition: all(sawEverything, probed), scope: "down" }
  ),
  siteWide(
    {
      id: "missing_page_answers_200",
      name: "Missing pages return 200",
      category: "availability",
      severity: "warning",
      means: "The server returns success for a path that cannot exist.",
      fix: "Return 404 for unknown paths, also in single-page applications.",
      source: `${http}.5.5; Google Search Central, soft 404 errors`,
      guidance: {
        why: "Every mistyped URL becomes a page of its own, so search engines may index endless empty pages.",
        goal: "Return 404 for paths that do not exist",
        find: "Find the catch-all: a rewrite of all paths to one file, a wildcard route, or an error page served with 200.",
        steps: [
          "Request a path that cannot exist and find the route or rewrite that handles it.",
          "Serve the error page with status 404. In a single-page application, tell the server which routes exist.",
          "Check that existing routes still return 200, including deep ones."
        ],
        never: "redirect unknown paths to the start page"
      }
    },
    ({ probe }) => (probe !== null && probe.status < 300 ? `${probe.url} returns ${probe.status}` : null),
    probed
  )
]

/** Whether the host is this machine, where nobody can intercept requests (RFC 6761 §6.3, RFC 6890). */
const isLoopback = ({ hostname }: URL): boolean => /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** Checks of the connection of a page and its parts. */
export const security: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "mixed_content",
      name: "Mixed content",
      category: "security",
      severity: "warning",
      means: "An HTTPS page loads images, styles, scripts or frames over HTTP.",
      fix: "Load these resources over https.",
      source: "W3C Mixed Content §4",
      guidance: {
        why: "Browsers block insecure resources or mark the page as not secure.",
        goal: "Load every resource of the listed pages over https",
        find: "Search templates, styles, content and settings for the http:// URLs in the evidence.",
        steps: [
          "Check that each URL works over https.",
          "Change it to https, or make it root-relative if the file is on the same site.",
          "Replace resources whose host does not support https."
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
              "resources"
            ),
            value: first.raw,
            elements: resourceElements(facts.insecureResources)
          }
    },
    { among: ({ url }) => url.startsWith("https:"), nothing: "no page is served over https" }
  ),
  perPage(
    {
      id: "url_credentials",
      name: "User name or password in a URL",
      category: "security",
      severity: "warning",
      means:
        "Links, images, styles or scripts have a user name or password in their URL. Findable does not request such URLs, so it did not check them.",
      fix: "Remove the user name and password from the URL, and change the published password.",
      source: "RFC 9110 §4.2.4, Deprecation of userinfo in http(s) URIs; RFC 3986 §7.5",
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Anyone can read the password in the page source. Browsers block or warn about such URLs, and crawlers do not follow them.",
        goal: "Remove user names and passwords from all URLs on the listed pages",
        find: "Search templates, content, settings and environment variables for the host of the URL. The evidence hides the secret itself.",
        steps: [
          "Find out what the URL gives access to, and change its password: it is public.",
          "Write the URL without user name and password.",
          "If the resource is for everyone, make it public. If not, let people sign in."
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
      means: "The page is served over HTTP, without encryption.",
      fix: "Serve the site over https and redirect http to it.",
      source: "Google Search Central, Secure your site with HTTPS; RFC 9110 §4.2.2",
      guidance: {
        why: "Browsers mark HTTP pages as not secure, and anyone on the network can read or change them.",
        goal: "Serve each listed page over https, and redirect its http URL there",
        find: "Find where TLS ends (server, proxy, CDN or hosting), and which base URL the site uses for its own links.",
        steps: [
          "Set up a certificate that renews automatically.",
          "Redirect http to https with 301 or 308, keeping path and query.",
          "Change the base URL, canonicals, sitemap and links to https."
        ],
        never: "redirect all http URLs to the start page"
      }
    },
    ({ url }) => (url.startsWith("http:") && !isLoopback(new URL(url)) ? "http" : null)
  )
]
