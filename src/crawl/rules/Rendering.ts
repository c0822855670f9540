import type { AnalysedPage, AnalysedSite } from "../analysis/AnalysedSite.ts"
import { isShell } from "../render/Choice.ts"
import type { PagePlace } from "../report/Finding.ts"
import type { Changeable, PageRendering, RenderingDifference } from "../report/Rendering.ts"
import type { Scripted } from "../visit/Visit.ts"
import {
  type Fault,
  type FaultOf,
  isEligible,
  perPage,
  perUrl,
  type ReadPage,
  type Rule,
  type RuleText
} from "./Rule.ts"
import { some } from "./Targets.ts"

/** Google's guide to pages with scripts. */
export const basics = "Google Search Central, Understand the JavaScript SEO basics"

const nothing = "no page was rendered"

/** The scripts of a rendered page; null for other pages. */
export const scriptedOf = ({ visit }: AnalysedPage): Scripted | null =>
  visit?.scripted?.report.state === "rendered" ? visit.scripted : null

const isRendered = (page: AnalysedPage): boolean => scriptedOf(page) !== null

/** The difference of one kind on a rendered page; null without one. */
export const differenceOn = (page: AnalysedPage, wanted: Changeable): RenderingDifference | null =>
  scriptedOf(page)?.report.differences.find(({ what }) => what === wanted) ?? null

/** The scripts of a page: pages with equal scripts have a common cause. */
const keyOf = ({ template }: Scripted): string => template.slice(template.lastIndexOf(" ") + 1)

/** A fault by the scripts of a page, which all pages of its template share. */
export const byScripts = (
  scripted: Scripted,
  detail: string,
  { markup, place }: { readonly markup: string; readonly place: PagePlace }
): Fault => ({ detail, elements: [{ key: keyOf(scripted), link: null, markup, place }] })

interface Wanted {
  readonly among?: (page: ReadPage) => boolean
}

/** A check that compares each rendered page with its HTML. */
export const perRendered = (
  text: Omit<RuleText, "onlyRendered" | "restsOn">,
  fault: (page: ReadPage, scripted: Scripted, site: AnalysedSite) => FaultOf,
  { among = isEligible }: Wanted = {}
): Rule =>
  perPage(
    { ...text, onlyRendered: true, restsOn: "own" },
    (page, site) => {
      const scripted = scriptedOf(page)
      return scripted === null ? null : fault(page, scripted, site)
    },
    { among: (page) => isRendered(page) && among(page), nothing }
  )

/** All pages, indexable or not. */
export const anyPage = { among: () => true }

const isNoindex = (robots: string | null): boolean => /(?:^|[\s:])(?:noindex|none)(?:,|$)/.test(robots ?? "")

/** Errors that visitors meet too: a request that is refused here, such as a POST, is answered to them, and only its failure is an error in Chromium's words. */
const ownErrors = ({ errors, refused }: PageRendering): ReadonlyArray<string> =>
  refused.length === 0 ? errors : errors.filter((line) => line !== "TypeError: Failed to fetch")

/** The place of directives for robots. */
export const robotsPlace = { markup: '<meta name="robots">', place: "head" } as const

/** Checks of indexing, redirects and errors by scripts. */
export const renderedIndexability: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "noindex_removed_by_script",
      name: "JavaScript removes noindex",
      category: "indexability",
      severity: "critical",
      means:
        "The HTML of these pages has noindex, and a script removes it. Search engines may stop at the noindex and never run the script.",
      fix: "Remove noindex from the HTML that the server sends if the pages should be indexed.",
      source: basics,
      onlyRendered: true,
      restsOn: "own",
      guidance: {
        why: "Google may skip rendering when it finds noindex, so the pages stay out of the index.",
        goal: "Send the HTML of the listed pages without noindex",
        find: "Find where the server or the entry HTML writes the robots meta tag, and the script that removes it.",
        steps: [
          "Decide whether the pages should be indexed.",
          "If they should, remove noindex from the HTML of the server or the build.",
          "If they should not, remove the script that takes noindex back."
        ],
        never: "rely on a script to make a page indexable"
      }
    },
    ({ visit }) =>
      visit.scripted?.isNoindexRemoved === true
        ? byScripts(visit.scripted, "noindex in HTML, none after scripts", robotsPlace)
        : null,
    {
      among: ({ visit }) => visit.scripted?.report.reason === "noindex",
      nothing: "no page with noindex and scripts was crawled"
    }
  ),
  perRendered(
    {
      id: "noindex_added_by_script",
      name: "JavaScript adds noindex",
      category: "indexability",
      severity: "warning",
      means: "A script adds noindex to these pages. The HTML that the server sends is without it.",
      fix: "If the pages should be indexed, remove the script's noindex. Otherwise send noindex in the HTML.",
      source: basics,
      guidance: {
        why: "Google drops the pages after rendering. Engines that do not render keep them in the index.",
        goal: "Send the robots meta tag of the listed pages in the HTML, with the value that you want",
        find: "Find the script or the component that writes the robots meta tag, often with a default for error pages or staging.",
        steps: [
          "Decide whether the pages should be indexed.",
          "If they should, fix the condition that adds noindex, such as a failed request or an environment variable.",
          "If they should not, write noindex in the HTML on the server."
        ],
        never: "leave the two versions with different directives"
      }
    },
    (page, scripted) => {
      const found = differenceOn(page, "robots")
      if (found === null || isNoindex(found.raw) || !isNoindex(found.rendered)) return null
      return byScripts(scripted, `robots after scripts: ${found.rendered ?? ""}`, robotsPlace)
    },
    anyPage
  ),
  perUrl(
    {
      id: "redirect_by_script",
      name: "JavaScript redirect",
      category: "redirects",
      severity: "warning",
      means: "A script leaves these pages for another URL as soon as they load.",
      fix: "Redirect on the server with status 301 or 308.",
      source: "Google Search Central, Redirects and Google Search, JavaScript redirects",
      onlyRendered: true,
      restsOn: "own",
      guidance: {
        why: "Google follows the redirect only after rendering, and other engines may never see it.",
        goal: "Answer the listed URLs with an HTTP redirect",
        find: "Search the scripts for location.href, location.replace and the redirects of the client-side router.",
        steps: [
          "Confirm that the URL has moved for all visitors, without a condition such as a sign-in.",
          "Add the redirect with status 301 or 308 to the server, the CDN or the router of the framework.",
          "Remove the script's redirect, and link to the new URL."
        ],
        never: "replace it with a meta refresh"
      }
    },
    isRendered,
    (page) => {
      const to = scriptedOf(page)?.report.redirect ?? null
      return to === null ? null : `a script redirects to ${to}`
    },
    { nothing }
  ),
  perUrl(
    {
      id: "soft_404_rendered",
      name: "Soft 404 after JavaScript",
      category: "availability",
      severity: "critical",
      means:
        "These URLs return 200, and after scripts they look like an error page or an empty page. Findable infers this from the content.",
      fix: "Return 404 on the server for missing content, or add noindex by script where the server cannot know.",
      source: `${basics}; HTTP status codes and network errors, soft 404`,
      onlyRendered: true,
      guidance: {
        why: "Google sees the error message only after rendering, and may index it under every mistyped URL.",
        goal: "Return 404 for routes whose content does not exist",
        find: "Find the not-found route of the client-side router, and what the server answers for that path.",
        steps: [
          "Open each listed page in a browser and confirm that it is an error page or empty.",
          "Tell the server which routes exist, so that it returns 404 for all others.",
          "Where the server cannot know, redirect by script to a URL that returns 404, or add noindex to the error page."
        ],
        never: "reword the error page to avoid detection"
      }
    },
    isRendered,
    (page) => (page.reason === "soft_404" && isSoftByScripts(page) ? (page.note ?? "looks like an error page") : null),
    { nothing, scope: "down" }
  ),
  perPage(
    {
      id: "rendering_blocked_by_robots",
      name: "Script or data blocked by robots.txt",
      category: "indexability",
      severity: "warning",
      means: "robots.txt blocks Googlebot from scripts, styles or data that these pages load.",
      fix: "Allow Googlebot to fetch the scripts, styles and data that pages need.",
      source: `${basics}; RFC 9309`,
      onlyRendered: true,
      restsOn: "own",
      guidance: {
        why: "Google renders the pages without these files, so content that they add is not indexed.",
        goal: "Allow the blocked files of the listed pages in robots.txt",
        find: "Find the Disallow lines that match the URLs in the evidence, in the robots.txt of their own host.",
        steps: [
          "Look up each blocked URL in the robots.txt of its host.",
          "Add an Allow line for scripts, styles and data, or make the Disallow line narrower.",
          "Test a listed page with the URL inspection of Search Console."
        ],
        never: "allow whole private directories for one file"
      }
    },
    ({ visit }) => {
      const blocked = visit.scripted?.blocked ?? []
      return blocked.length === 0 ? null : { detail: `blocked: ${some(blocked)}`, place: "robots" }
    },
    { among: isRendered, nothing }
  ),
  perRendered(
    {
      id: "rendering_resource_failed",
      name: "Script or data request failed",
      category: "availability",
      severity: "warning",
      means: "Scripts, styles or data that these pages load failed twice.",
      fix: "Fix or remove the failing requests.",
      source: basics,
      guidance: {
        why: "Search engines render the page without these files, and visitors may miss content.",
        goal: "Make the scripts, styles and data of the listed pages load without errors",
        find: "Open a listed page with the network panel of a browser and look for the URLs in the evidence.",
        steps: [
          "Request each URL and read its status.",
          "Fix the URL, the server behind it, or the firewall setting that refuses crawlers.",
          "Remove requests whose answer the page does not need."
        ],
        never: "hide the error from the page and leave the content missing"
      }
    },
    ({ visit: { facts } }, { failed }) => {
      // `resource_broken` requests and reports the resources of the page's own host.
      const own = new Set(facts.parts.map(({ url }) => url))
      const others = failed.filter(({ url }) => !own.has(url))
      return others.length === 0 ? null : `failed: ${some(others.map(({ url, why }) => `${url} (${why})`))}`
    }
  ),
  perRendered(
    {
      id: "script_error",
      name: "JavaScript error",
      category: "content",
      severity: "info",
      means:
        "Scripts of these pages stop with an error that nothing catches. It is a warning on pages that stay almost empty.",
      fix: "Fix the error, or catch it where the page can go on without the script.",
      source: basics,
      guidance: {
        why: "Content that the script should add after the error is missing for visitors and search engines.",
        goal: "Make the scripts of the listed pages run without uncaught errors",
        find: "Open a listed page with the console of a browser and read the error with its stack.",
        steps: [
          "Reproduce the error in a fresh browser profile, without cookies and stored data.",
          "Fix its cause: a missing value, a blocked request, or a feature that crawlers do not have.",
          "Check that the page shows its content when the script still fails."
        ],
        never: "swallow the error and leave the content missing"
      }
    },
    ({ visit: { facts } }, { report }) => {
      const errors = ownErrors(report)
      if (errors.length === 0) return null
      const detail = some(errors, 3)
      return isShell(facts) ? { detail: `almost empty after scripts: ${detail}`, severity: "warning" } : detail
    },
    anyPage
  ),
  perUrl(
    {
      id: "rendering_failed",
      name: "Page cannot be rendered",
      category: "content",
      severity: "warning",
      means:
        "These pages could not be rendered within the limits of time and memory, or they reload themselves without end.",
      fix: "Make the pages finish loading within a few seconds.",
      source: basics,
      onlyRendered: true,
      restsOn: "own",
      guidance: {
        why: "Search engines give up on such pages too, and index them without the content that scripts add.",
        goal: "Make the scripts of the listed pages finish within five seconds",
        find: "Record a listed page with the performance panel of a browser and look for endless loops, reloads and growing memory.",
        steps: [
          "Open the page in a fresh browser profile and wait until it is idle.",
          "Fix what keeps it busy: a loop, a reload on each visit, or data that is loaded without a limit.",
          "Check the page again with a crawl."
        ],
        never: "detect crawlers and skip the scripts for them"
      }
    },
    ({ visit }) => visit?.scripted != null && visit.scripted.report.state !== "not_rendered",
    ({ visit }) => {
      const report = visit?.scripted?.report
      return report?.state === "failed" ? (failures.get(report.reason ?? "") ?? "the page could not be rendered") : null
    },
    { nothing }
  )
]

const failures: ReadonlyMap<string, string> = new Map([
  ["time", "the page did not finish in time"],
  ["memory", "the page took too much memory"],
  ["crashed", "the page crashed the browser"],
  ["too_large", "the rendered page is too large"],
  ["reload", "the page reloads itself"]
])

/** Whether only scripts show that the page is an error page. */
export const isSoftByScripts = (page: AnalysedPage): boolean => (scriptedOf(page)?.report.differences.length ?? 0) > 0
