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

const accessOf = ({ agents }: AnalysedSite, { name }: { readonly name: string }): AgentAccess | undefined =>
  agents.find(({ agent }) => agent.name === name)

/** Whether robots.txt lets Googlebot read a page of the site. */
const isOpenToGoogle = (url: string, site: AnalysedSite): boolean => accessOf(site, googlebot)?.open.has(url) === true

/** The pages that an agent may not read although Googlebot may, and by which lines. */
const lackOf = ({ closed }: AgentAccess, site: AnalysedSite) => {
  const google = accessOf(site, googlebot)
  const lines = [...closed].flatMap(([url, line]) => (google?.open.has(url) === true && line !== null ? [line] : []))
  return { count: lines.length, line: lines[0] ?? null }
}

/** What one agent may not read, and the line that says so: the start page first, which stands for the site. */
const shutFrom = (access: AgentAccess, site: AnalysedSite) => {
  const { allowed, rule } = access.start
  if (!allowed) return { what: "the start page", line: rule }
  const { count, line } = lackOf(access, site)
  return { what: count === 1 ? "a page" : `${count} pages`, line }
}

/** AI robots that are shut out, those with the same line and loss together. */
const aiShutOut = (site: AnalysedSite): FaultOf => {
  const lost = new Map<string, Array<string>>()
  const values: Array<string> = []
  for (const access of site.agents) {
    const { line, what } = shutFrom(access, site)
    if (access.agent.kind !== "ai" || line === null) continue
    values.push(line.text)
    // Names tell the groups of those who have one of their own.
    const how = `from ${what} by ${lineText(line, line.group === "*")}`
    lost.set(how, [...(lost.get(how) ?? []), access.agent.name])
  }
  const detail = [...lost].map(([how, names]) => `${names.join(", ")} ${how}`).join("; ")
  return lost.size === 0 ? null : { detail, value: values[0], place: "robots" }
}

/** What robots.txt says to others than Googlebot, by which pages are judged. */
export const robotsAgents: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "bingbot_blocked",
      name: "Open to Googlebot, closed to Bingbot",
      category: "indexability",
      severity: "warning",
      means:
        "robots.txt lets Googlebot read these pages and not Bingbot, so Bing and what builds on it do not find them.",
      fix: "Give Bingbot the rules of Googlebot, or remove its group so that the default one holds.",
      source: "RFC 9309 §2.2.1; Bing Webmaster Blog, Bing crawler: bingbot on the horizon",
      guidance: {
        why: "Pages that Bingbot cannot read are missing from Bing, and from the search engines and assistants that use its index.",
        goal: "Let robots.txt allow Bingbot what it allows Googlebot",
        find: "Find the line in the evidence and the group it stands in: one for bingbot or msnbot, or that of * where Googlebot has a group of its own.",
        steps: [
          meant,
          "Remove the group, or copy the rules of Googlebot into it: a group of its own replaces the default one whole.",
          partGroups,
          "Read the file again as it is served, and check some addresses for both."
        ],
        never: "open for Bingbot what Googlebot may not read either"
      }
    },
    ({ url }, site) => isOpenToGoogle(url, site),
    ({ url }, site) => {
      const line = accessOf(site, bingbot)?.closed.get(url)
      return line === undefined ? null : byLine(line)
    },
    { nothing: "robots.txt lets Googlebot read no page, or could not be had" }
  ),
  siteWide(
    {
      id: "ai_bots_blocked",
      name: "AI robots shut out",
      category: "indexability",
      severity: "info",
      means:
        "robots.txt shuts robots of AI companies out of the start page, or of pages that Googlebot may read. That may be meant, and costs nothing in the score.",
      fix: "Decide for each robot: those of AI search bring visitors, those of training do not.",
      source: "RFC 9309 §2.2.1; the documentation of each robot by its operator",
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "Assistants and AI search do not cite what their robots may not read; keeping texts out of training is a separate choice.",
        goal: "Let robots.txt say of each AI robot what the owner of the site has decided",
        find: "Find the lines in the evidence: a group for AI robots, that of * where search engines have groups of their own, or a setting of the CDN that writes such groups.",
        steps: [
          "Ask the owner which AI robots are meant to read the site, if that is not written anywhere. Without an answer change nothing and say so.",
          partGroups,
          "For visibility in AI search, allow OAI-SearchBot and PerplexityBot; training is decided by GPTBot, ClaudeBot, Google-Extended, Applebot-Extended and CCBot.",
          "Read the file again as it is served: a CDN may write groups before those of the site."
        ],
        never: "open the site to AI training without the decision of its owner"
      }
    },
    aiShutOut,
    ({ robots }) =>
      robots === null || robots.state === "unknown"
        ? "the run ended before robots.txt answered"
        : robots.state === "unreachable"
          ? "robots.txt could not be had"
          : null
  )
]

const unread = ({ robots }: AnalysedSite): string | null =>
  robots?.review == null ? "the site has no robots.txt that could be read" : null

/** Directives that some engine or archive reads; those with a value are named without it. */
const known = new Set(
  (
    "all none index noindex follow nofollow archive noarchive cache nocache snippet nosnippet imageindex noimageindex translate notranslate odp noodp ydir noydir " +
    "indexifembedded nositelinkssearchbox nopagereadaloud noai noimageai noimageclick nomediaindex noml notrain unavailable_after max-snippet max-image-preview max-video-preview"
  ).split(" ")
)

/** Whether a word is directives without anything between them: `noindexnofollow`. */
const isJoined = (word: string): boolean =>
  [...known].some((name) => word.startsWith(name) && (word === name || isJoined(word.slice(name.length))))

/** What cannot be understood of one directive: words without a comma between them, or a word written wrongly. */
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

/** Directives that do not do what their author meant. */
export const robotsFiles: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "robots_txt_html",
      name: "HTML in place of robots.txt",
      category: "indexability",
      severity: "warning",
      means:
        "In place of robots.txt comes an HTML page, so none of the rules and sitemaps that it should name is read.",
      fix: "Serve a plain text file there, or answer 404 when there is none.",
      source: "RFC 9309 §2.3",
      guidance: {
        why: "None of the rules and sitemaps that robots.txt should name is read.",
        goal: "Make /robots.txt answer with a plain text file, or 404",
        find: "Find what answers /robots.txt: mostly a catch-all rewrite to an application, or an error page with status 200.",
        steps: [
          "Serve a static file there, before the catch-all.",
          "Send Content-Type: text/plain.",
          "Name the sitemap in it by its full address."
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
        "Lines of robots.txt are misspelt, lack a colon or a full address, stand in no group, or are read by no search engine. Google reads some misspelt lines all the same, and the evidence names them; the others have no effect.",
      fix: "Correct the lines named in the evidence; keep pages out of the index with noindex on the page.",
      source:
        "RFC 9309 §2.2; Google Search Central, How Google interprets the robots.txt specification; google/robotstxt, robots.cc, GetKeyType and GetKeyAndValueFrom; sitemaps.org protocol, Specifying the sitemap location in robots.txt",
      guidance: {
        why: "Lines that no engine reads have no effect, and lines that Google alone forgives have none for other engines and AI robots.",
        goal: "Make every line of robots.txt a rule that engines read, or remove it",
        find: "Find the file or route that robots.txt is made from, and the lines in the evidence.",
        steps: [
          "Correct misspelt names (User-agent, Disallow, Allow, Sitemap), put a colon behind each, and put rules behind a User-agent line.",
          "Name each sitemap on a line of its own, with https:// and host.",
          "Replace Noindex lines by noindex on the pages, which must then be crawlable.",
          "Read the file again as it is served, and check some addresses against it."
        ],
        never: "widen a Disallow while you correct its spelling without checking what it then blocks"
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
      name: "Unreadable robots directive",
      category: "indexability",
      severity: "warning",
      means: "Robots directives stand without commas between them, or are misspelt, so engines do not understand them.",
      fix: 'Separate directives by commas, such as "noindex, nofollow", and write them as documented.',
      source: robotsMetaGuide,
      guidance: {
        why: "A directive that is not understood is ignored.",
        goal: "Write the robots directives of the listed pages so that engines understand them",
        find: origin,
        steps: [
          'Separate directives by commas ("noindex, nofollow") and spell them as documented.',
          meant,
          "Where the value is put together in code, join with commas and test the result."
        ],
        never: "make a page noindex by correcting a directive that is not wanted"
      }
    },
    directivesFault
  ),
  perUrl(
    {
      id: "noindex_file",
      name: "File that asks not to be indexed",
      category: "indexability",
      severity: "info",
      means:
        "Files such as PDFs ask not to be indexed by a header. That may be meant; each is listed so that a mistake is seen.",
      fix: "Remove noindex from the X-Robots-Tag of files that should be found.",
      source: robotsMetaGuide,
      guidance: {
        why: "Files with this header do not appear in search results.",
        goal: "Leave noindex only on files that are not to be found",
        find: "Find the server, CDN or storage rule that sends X-Robots-Tag for the listed files; rules by extension or folder reach further than meant.",
        steps: [
          meant,
          "Narrow the rule, so that it spares files which should be found.",
          "Request a file and read its headers again."
        ],
        never: "move the files to another address to escape the rule"
      }
    },
    ({ reason, visit }) => reason === "not_html" && visit?.status === 200,
    ({ also, visit }) => (also.includes("noindex_header") ? `X-Robots-Tag of ${visit?.contentType ?? "a file"}` : null),
    { nothing: "no file that is no page was met" }
  )
]
