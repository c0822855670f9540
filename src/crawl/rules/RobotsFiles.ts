import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import type { RobotsDirectives } from "../page/RobotsDirectives.ts"
import { meantBy } from "../robots/Review.ts"
import { robotsElements } from "./Elements.ts"
import type { Fault } from "./Fault.ts"
import { meant, origin, robotsMetaGuide } from "./Hiding.ts"
import { perPage, perUrl, type ReadPage, type Rule, siteWide } from "./Rule.ts"
import { some } from "./Targets.ts"

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
      name: "robots.txt lines without effect",
      category: "indexability",
      severity: "warning",
      means:
        "Lines of robots.txt are misspelt, stand in no group, or are read by no search engine, so they have no effect.",
      fix: "Correct the lines named in the evidence; keep pages out of the index with noindex on the page.",
      source: "RFC 9309 §2.2; Google Search Central, How Google interprets the robots.txt specification",
      guidance: {
        why: "Lines that no engine reads have no effect, whatever their author expects of them.",
        goal: "Make every line of robots.txt a rule that engines read, or remove it",
        find: "Find the file or route that robots.txt is made from, and the lines in the evidence.",
        steps: [
          "Correct misspelt names (User-agent, Disallow, Allow, Sitemap) and put rules behind a User-agent line.",
          "Replace Noindex lines by noindex on the pages, which must then be crawlable.",
          "Read the file again as it is served, and check some addresses against it."
        ],
        never: "widen a Disallow while you correct its spelling without checking what it then blocks"
      }
    },
    ({ robots }) => {
      const faults = robots?.review?.faults ?? []
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
