import { plural } from "../../foundation/text/Words.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { anyPage, basics, byScripts, differenceOn, perRendered, robotsPlace } from "./Rendering.ts"
import type { Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

const isNofollow = (robots: string | null): boolean => /(?:^|[\s:])(?:nofollow|none)(?:,|$)/.test(robots ?? "")

const linkPlace = { markup: "<a href>", place: "main" } as const

const inHtml =
  "Compare the HTML that the server sends with the page in a browser, and find the script that makes the difference."

/** The URLs to which a link leads that some server sends. */
const linkedRaw = perSite((site: AnalysedSite): ReadonlySet<string> => {
  const urls = new Set<string>()
  for (const { visit } of site.pages) {
    for (const { target } of visit?.scripted?.rawLinks ?? visit?.facts?.links ?? [])
      if (target.followable) urls.add(target.url)
  }
  return urls
})

/** Links that scripts add, change and take out. */
export const renderedLinks: ReadonlyArray<Rule> = [
  perRendered(
    {
      id: "links_only_rendered",
      name: "Links only after JavaScript",
      category: "links",
      severity: "warning",
      means: "Scripts add links to these pages that the HTML does not have.",
      fix: "Put the links of navigation and lists in the HTML that the server sends.",
      source: `${basics}; Make your links crawlable`,
      guidance: {
        why: "Google finds the linked pages later, after rendering. Crawlers without JavaScript never find them.",
        goal: "Send the internal links of the listed pages in the HTML",
        find: inHtml,
        steps: [
          "Render navigation, lists and pagination on the server or in the build.",
          "Write each as an a element with the URL in href.",
          "List the pages in the sitemap until the links are in the HTML."
        ],
        never: "add hidden links that visitors cannot see"
      }
    },
    (_, scripted, site) => {
      const { linksOnlyRendered, report } = scripted
      if (linksOnlyRendered.length === 0) return null
      const raw = linkedRaw(site)
      const alone = linksOnlyRendered.filter((url) => !raw.has(url))
      const found = alone.length === 0 ? "" : `; only scripts link to ${some(alone)}`
      return byScripts(
        scripted,
        `${plural(report.links_only_rendered, "URL")}: ${some(linksOnlyRendered)}${found}`,
        linkPlace
      )
    },
    anyPage
  ),
  perRendered(
    {
      id: "links_only_raw",
      name: "JavaScript removes links",
      category: "links",
      severity: "info",
      means: "Scripts remove links from these pages that the HTML has.",
      fix: "Keep the same links in the HTML and after scripts.",
      source: basics,
      guidance: {
        why: "Search engines see two versions of the page, and visitors cannot use the removed links.",
        goal: "Show the same internal links before and after scripts",
        find: inHtml,
        steps: [
          "Check whether the removed links are still needed.",
          "Render them in the component that replaces the HTML, or remove them from the HTML too.",
          "Compare both versions again."
        ],
        never: "keep links in the HTML only for crawlers"
      }
    },
    (_, scripted) =>
      scripted.linksOnlyRaw.length === 0
        ? null
        : byScripts(scripted, `removed: ${some(scripted.linksOnlyRaw)}`, linkPlace),
    anyPage
  ),
  perRendered(
    {
      id: "nofollow_removed_by_script",
      name: "JavaScript removes nofollow",
      category: "links",
      severity: "warning",
      means: "The HTML of these pages has nofollow, and a script removes it.",
      fix: "Send the links and the robots meta tag in the HTML without nofollow.",
      source: `${basics}; Qualify outbound links`,
      guidance: {
        why: "Search engines read links from the HTML first, so the links count as nofollow.",
        goal: "Send the internal links of the listed pages without nofollow",
        find: inHtml,
        steps: [
          "Find the template that writes nofollow on the links or in the robots meta tag.",
          "Remove it there for links to pages that should be found.",
          "Remove the script that takes it back."
        ],
        never: "rely on a script to make a link followed"
      }
    },
    (page, scripted) => {
      const robots = differenceOn(page, "robots")
      const isMeta = robots !== null && isNofollow(robots.raw) && !isNofollow(robots.rendered)
      if (isMeta) return byScripts(scripted, `robots in HTML: ${robots.raw ?? ""}`, robotsPlace)
      const { nofollowRemoved } = scripted
      return nofollowRemoved.length === 0
        ? null
        : byScripts(scripted, `nofollow removed from links to ${some(nofollowRemoved)}`, linkPlace)
    },
    anyPage
  ),
  perRendered(
    {
      id: "links_by_fragment",
      name: "Routes in URL fragments",
      category: "links",
      severity: "warning",
      means:
        "Links of these pages lead to routes behind a #, such as #/products. Search engines drop fragments, so all routes are one URL.",
      fix: "Give each route a URL of its own with the History API.",
      source: `${basics}, Use the History API instead of fragments`,
      guidance: {
        why: "Search engines index one page for all routes, and never see the others.",
        goal: "Give each route of the listed pages a path instead of a fragment",
        find: "Find the mode of the client-side router, such as createHashRouter, HashLocationStrategy or mode: hash.",
        steps: [
          "Switch the router to the History API.",
          "Let the server answer each route with the page, and unknown routes with 404.",
          "Redirect old URLs with fragments by a script on the start page."
        ],
        never: "list fragment URLs in the sitemap"
      }
    },
    ({ visit: { facts } }, scripted) => {
      const routes = facts.links.flatMap(({ raw, target }) =>
        target.followable && /^[/!]/.test(target.fragment ?? "") ? [raw] : []
      )
      return routes.length === 0 ? null : byScripts(scripted, some([...new Set(routes)]), linkPlace)
    }
  )
]
