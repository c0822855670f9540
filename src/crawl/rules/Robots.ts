import { type AgentAccess, type AnalysedSite, wasAsked } from "../analysis/AnalysedSite.ts"
import type { RobotsDirectives } from "../page/Meta.ts"
import { bingbot, googlebot } from "../robots/Parse.ts"
import { meantBy } from "../robots/Review.ts"
import { having } from "./Availability.ts"
import { robotsElements } from "./Causes.ts"
import {
  byLine,
  type Fault,
  type FaultOf,
  lineText,
  perPage,
  perUrl,
  type ReadPage,
  type Rule,
  siteWide
} from "./Rule.ts"
import { meant, origin, partGroups, robotsMetaGuide, some } from "./Targets.ts"

/** Checks of pages that a crawler could not see, which proves nothing about them. */
export const crawlerAccess: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "page_timed_out",
      name: "Page timed out",
      category: "availability",
      severity: "info",
      means: "These pages did not respond in time. They do not count as broken and do not affect the score.",
      fix: "Measure the response time of these pages, speed them up, then crawl again.",
      source: "Google Search Central, HTTP status codes and network errors, network and DNS errors",
      guidance: {
        why: "Visitors leave pages that do not load, and search engines crawl slow pages less often.",
        goal: "Make each listed URL respond within a few seconds, even with a cold cache",
        find: "Find the handler of the listed paths and what it waits for: queries, other services, rendering or a queue.",
        steps: [
          "Measure the time to first byte three times with a cold cache and three times with a warm one.",
          "Profile the slowest part and speed it up: add an index, run fewer queries, cache with an expiry, or move work out of the request.",
          "Give every call to another service a timeout shorter than the page's own."
        ],
        never: "return an empty page early to look fast"
      }
    },
    wasAsked,
    having("timed_out"),
    { nothing: "no URL of the site was requested" }
  ),
  perUrl(
    {
      id: "connection_lost",
      name: "Connection failed",
      category: "availability",
      severity: "info",
      means: "The connection failed or broke off before the response was complete.",
      fix: "Check for crashes, connection limits and firewalls between the crawler and the server.",
      source: "Google Search Central, HTTP status codes and network errors, network and DNS errors",
      guidance: {
        why: "Visitors get no page, and search engines retry later or give up.",
        goal: "Make each listed URL respond completely",
        find: "Check the logs of server, proxy and load balancer for resets, crashes and size limits at the time of the crawl.",
        steps: [
          "Request the URL several times, with and without the proxy in front of the server.",
          "Fix what ends the connection: a crashing worker, a wrong Content-Length, a timeout or body limit of a proxy, or a firewall rule.",
          "Check that the TLS certificate chain of the host is complete."
        ],
        never: "raise timeouts everywhere without knowing which one ended the connection"
      }
    },
    wasAsked,
    having("connection_failed"),
    { nothing: "no URL of the site was requested" }
  ),
  perUrl(
    {
      id: "rate_limited",
      name: "Rate limited",
      category: "availability",
      severity: "info",
      means: "The server refused requests as too many, although Findable paused as the server asked.",
      fix: "Raise the rate limit for well-behaved crawlers, or set a Crawl-delay in robots.txt.",
      source: "RFC 6585 §4",
      guidance: {
        why: "Search engines hit the same limit, crawl fewer pages and notice changes later.",
        goal: "Let a well-behaved crawler fetch the listed URLs without being refused",
        find: "Find the rate limit that returned 429 or 503: middleware, proxy, CDN configuration or hosting plan.",
        steps: [
          "Read the limiter's log or counters for the time of the crawl.",
          "Raise the limit for public pages, or count by IP address and path, so one crawler cannot use it up.",
          "Send Retry-After with each refusal."
        ],
        never: "exempt requests by their User-Agent alone, which anyone can send"
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
      means: "robots.txt allows these pages, but a firewall or CDN shows crawlers a bot challenge.",
      fix: "Let verified crawlers pass the challenge, or disallow the pages in robots.txt.",
      source: "RFC 9309 §2.2; challenge headers of the firewall or CDN",
      guidance: {
        why: "Search engines cannot index pages that they cannot fetch.",
        goal: "Let verified crawlers fetch what robots.txt allows",
        find: "Find the firewall rule in the CDN, firewall or bot protection that challenges requests to the listed paths.",
        steps: [
          "Decide whether crawlers should fetch these pages.",
          "If so, let verified crawlers pass (the CDN's own list, or reverse DNS), and the IP address of this crawler.",
          "If not, disallow the paths in robots.txt."
        ],
        never: "turn the protection off for everyone"
      }
    },
    wasAsked,
    having("bot_challenge"),
    { nothing: "no URL of the site was requested" }
  )
]

const accessOf = ({ agents }: AnalysedSite, { name }: { readonly name: string }): AgentAccess | undefined =>
  agents.find(({ agent }) => agent.name === name)

/** Whether robots.txt lets Googlebot read a page of the site. */
const isOpenToGoogle = (url: string, site: AnalysedSite): boolean => accessOf(site, googlebot)?.open.has(url) === true

/** The pages that an agent may not read although Googlebot may, by line. */
const lackOf = ({ closed }: AgentAccess, site: AnalysedSite) => {
  const google = accessOf(site, googlebot)
  const lines = [...closed].flatMap(([url, line]) => (google?.open.has(url) === true && line !== null ? [line] : []))
  return { count: lines.length, line: lines[0] ?? null }
}

/** The pages that an agent may not read, with the deciding line: the start page first, because it represents the site. */
const shutFrom = (access: AgentAccess, site: AnalysedSite) => {
  const { allowed, rule } = access.start
  if (!allowed) return { what: "the start page", line: rule }
  const { count, line } = lackOf(access, site)
  return { what: count === 1 ? "a page" : `${count} pages`, line }
}

/** Blocked AI robots, grouped by line and pages. */
const aiShutOut = (site: AnalysedSite): FaultOf => {
  const lost = new Map<string, Array<string>>()
  const values: Array<string> = []
  for (const access of site.agents) {
    const { line, what } = shutFrom(access, site)
    if (access.agent.kind !== "ai" || line === null) continue
    values.push(line.text)
    // The names identify groups other than the default one.
    const how = `from ${what} by ${lineText(line, line.group === "*")}`
    lost.set(how, [...(lost.get(how) ?? []), access.agent.name])
  }
  const detail = [...lost].map(([how, names]) => `${names.join(", ")} blocked ${how}`).join("; ")
  return lost.size === 0 ? null : { detail, value: values[0], place: "robots" }
}

/** Checks of robots.txt for other agents; all other checks use Googlebot's view. */
export const robotsAgents: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "bingbot_blocked",
      name: "Bingbot blocked, Googlebot allowed",
      category: "indexability",
      severity: "warning",
      means: "robots.txt allows Googlebot to crawl these pages, but not Bingbot.",
      fix: "Give Bingbot the robots.txt rules that Googlebot has, or remove its group so that the default group applies.",
      source: "RFC 9309 §2.2.1; Bing Webmaster Blog, Bing crawler: bingbot on the horizon",
      guidance: {
        why: "The pages are missing from Bing, and from search engines and AI assistants that use Bing's index.",
        goal: "Let robots.txt allow Bingbot everything that it allows Googlebot",
        find: "Find the robots.txt line in the evidence and its group: bingbot or msnbot, or * if Googlebot has its own group.",
        steps: [
          meant,
          "Remove the group, or copy Googlebot's robots.txt rules into it. A named group replaces the default group completely.",
          partGroups,
          "Fetch robots.txt as it is served, and check some URLs for both crawlers."
        ],
        never: "allow Bingbot what Googlebot may not crawl either"
      }
    },
    ({ url }, site) => isOpenToGoogle(url, site),
    ({ url }, site) => {
      const line = accessOf(site, bingbot)?.closed.get(url)
      return line === undefined ? null : byLine(line)
    },
    { nothing: "robots.txt allows Googlebot no page, or could not be fetched" }
  ),
  siteWide(
    {
      id: "ai_bots_blocked",
      name: "AI crawlers blocked",
      category: "indexability",
      severity: "info",
      means:
        "robots.txt blocks AI crawlers from the start page, or from pages that Googlebot may crawl. This may be intended and does not affect the score.",
      fix: "Decide for each crawler: AI search crawlers bring visitors, training crawlers do not.",
      source: "RFC 9309 §2.2.1; the documentation of each crawler",
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "AI assistants and AI search do not cite pages that their crawlers cannot fetch. Blocking AI training is a separate decision.",
        goal: "Make robots.txt reflect the site owner's decision for each AI crawler",
        find: "Find the robots.txt lines in the evidence: a group for AI crawlers, the * group, or a CDN setting that adds such groups.",
        steps: [
          "Ask the owner which AI crawlers may crawl the site, unless this is documented. Without an answer, change nothing and say so.",
          partGroups,
          "For visibility in AI search, allow OAI-SearchBot and PerplexityBot. Training is controlled by GPTBot, ClaudeBot, Google-Extended, Applebot-Extended and CCBot.",
          "Fetch robots.txt as it is served: a CDN may add groups before the site's own."
        ],
        never: "open the site to AI training without the owner's decision"
      }
    },
    aiShutOut,
    ({ robots }) =>
      robots === null || robots.state === "unknown"
        ? "the crawl ended before robots.txt responded"
        : robots.state === "unreachable"
          ? "robots.txt could not be fetched"
          : null
  )
]

const unread = ({ robots }: AnalysedSite): string | null =>
  robots?.review == null ? "the site has no readable robots.txt" : null

/** Directives of any search engine or archive, without their values. */
const known = new Set(
  (
    "all none index noindex follow nofollow archive noarchive cache nocache snippet nosnippet imageindex noimageindex translate notranslate odp noodp ydir noydir " +
    "indexifembedded nositelinkssearchbox nopagereadaloud noai noimageai noimageclick nomediaindex noml notrain unavailable_after max-snippet max-image-preview max-video-preview"
  ).split(" ")
)

/** Whether a word is several directives without separators: `noindexnofollow`. */
const isJoined = (word: string): boolean =>
  [...known].some((name) => word.startsWith(name) && (word === name || isJoined(word.slice(name.length))))

/** The error in one directive: words without a comma between them, or a misspelling. */
const faultOf = (token: string): string | null => {
  const words = token.split(/[\s;|/]+/).filter((word) => word !== "")
  if (words.length > 1 && words.every((word) => known.has(word.replace(/:.*$/, "")))) return `no comma in "${token}"`
  const word = token.replace(/\s*:.*$/, "")
  if (known.has(word)) return null
  if (isJoined(word)) return `no comma in "${token}"`
  const joined = word.replace(/[\s_-]/g, "")
  const meant = known.has(joined) ? joined : (meantBy(word, known) ?? meantBy(joined, known))
  return meant === undefined ? null : `"${token}" for ${meant}`
}

const faultsIn = ({ tokens }: RobotsDirectives): ReadonlyArray<string> =>
  tokens.flatMap((token) => faultOf(token) ?? [])

const directivesFault = ({ visit }: ReadPage): Fault | null => {
  const metas = visit.facts.robots.filter(({ directives, inHead }) => inHead && faultsIn(directives).length > 0)
  const tags = (visit.headerFacts?.robotsTags ?? []).filter(
    ({ agent, directives }) => agent === null && faultsIn(directives).length > 0
  )
  const faults = [...metas, ...tags].flatMap(({ directives }) => faultsIn(directives))
  if (faults.length === 0) return null
  return {
    detail: some([...new Set(faults)], 3),
    value: metas[0]?.content ?? tags[0]?.line,
    elements: robotsElements(metas)
  }
}

/** Checks of directives with another effect than their author intended. */
export const robotsFiles: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "robots_txt_html",
      name: "robots.txt returns HTML",
      category: "indexability",
      severity: "warning",
      means: "The server returns an HTML page instead of a robots.txt file.",
      fix: "Serve a plain text file at /robots.txt, or return 404 if there is none.",
      source: "RFC 9309 §2.3",
      guidance: {
        why: "Crawlers find no directives and no sitemap in it.",
        goal: "Make /robots.txt return a plain text file, or 404",
        find: "Find what serves /robots.txt: usually a catch-all rewrite to an application, or an error page with status 200.",
        steps: [
          "Serve a static file there, before the catch-all.",
          "Send Content-Type: text/plain.",
          "List the sitemap in it by its full URL."
        ],
        never: "disallow everything while you set it up"
      }
    },
    ({ robots }) => (robots?.review?.isHtml === true ? { detail: robots.url, place: "robots" } : null),
    unread
  ),
  siteWide(
    {
      id: "robots_txt_lines",
      name: "robots.txt syntax errors",
      category: "indexability",
      severity: "warning",
      means:
        "Some lines of robots.txt have no effect, or only Google understands them. They are misspelled, incomplete, outside a group, or not supported by any search engine.",
      fix: "Correct the lines listed in the details. To keep pages out of the index, use noindex on the page.",
      source:
        "RFC 9309 §2.2; Google Search Central, How Google interprets the robots.txt specification; google/robotstxt, robots.cc, GetKeyType and GetKeyAndValueFrom; sitemaps.org protocol, Specifying the sitemap location in robots.txt",
      guidance: {
        why: "Lines that no search engine supports have no effect. Lines that only Google tolerates fail for other search engines and AI crawlers.",
        goal: "Make every line of robots.txt valid, or remove it",
        find: "Find the file or route that generates robots.txt, and the lines in the evidence.",
        steps: [
          "Correct misspelled names (User-agent, Disallow, Allow, Sitemap), add missing colons, and move Allow and Disallow lines below a User-agent line.",
          "Put each sitemap on its own line, with https:// and host.",
          "Replace Noindex lines by noindex on the pages, and let crawlers fetch these pages.",
          "Fetch robots.txt as it is served, and check some URLs against it."
        ],
        never: "widen a Disallow by correcting its spelling without checking what it then blocks"
      }
    },
    ({ robots }) => {
      const all = robots?.review?.faults ?? []
      const faults = [...all.filter(({ isRead }) => !isRead), ...all.filter(({ isRead }) => isRead)]
      return faults.length === 0
        ? null
        : {
            detail: some(
              faults.map(({ line, text, why }) => `line ${line} "${text}": ${why}`),
              3
            ),
            value: faults[0]?.text,
            place: "robots"
          }
    },
    unread
  ),
  perPage(
    {
      id: "robots_directive_unreadable",
      name: "Invalid robots directive",
      category: "indexability",
      severity: "warning",
      means: "Robots directives are misspelled or not separated by commas.",
      fix: 'Separate directives by commas, such as "noindex, nofollow", and spell them as documented.',
      source: robotsMetaGuide,
      guidance: {
        why: "Search engines ignore directives that they do not understand.",
        goal: "Write the robots directives of the listed pages as search engines understand them",
        find: origin,
        steps: [
          'Separate directives by commas ("noindex, nofollow") and spell them as documented.',
          meant,
          "If code builds the value, join the directives with commas and test the result."
        ],
        never: "set a page to noindex by correcting an unwanted directive"
      }
    },
    directivesFault
  ),
  perUrl(
    {
      id: "noindex_file",
      name: "Noindex file",
      category: "indexability",
      severity: "info",
      means:
        "Files such as PDFs have noindex in their X-Robots-Tag header. This may be intended; check the list for mistakes.",
      fix: "Remove noindex from the X-Robots-Tag of files that should appear in search.",
      source: robotsMetaGuide,
      guidance: {
        why: "Files with this header do not appear in search results.",
        goal: "Leave noindex only on files that should stay out of search",
        find: "Find the server, CDN or storage configuration that sends X-Robots-Tag for the listed files. Settings by extension or folder often match too much.",
        steps: [
          meant,
          "Narrow the setting to leave out files that should appear in search.",
          "Request a file and check its headers again."
        ],
        never: "move the files to another URL to escape the setting"
      }
    },
    ({ reason, visit }) => reason === "not_html" && visit?.status === 200,
    ({ also, visit }) => (also.includes("noindex_header") ? `X-Robots-Tag of ${visit?.contentType ?? "a file"}` : null),
    { nothing: "no file, such as a PDF, was found" }
  )
]
