import { type AnalysedSite, linksElsewhere } from "../analysis/AnalysedSite.ts"
import { hasFragment } from "../page/Links.ts"
import { concerns } from "../run/Run.ts"
import type { KeptLink } from "../visit/Visit.ts"
import { linkElement } from "./Causes.ts"
import { isRead, type Precondition, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { answered, sawEverything, some } from "./Targets.ts"

const open: Precondition = ({ checkExternalLinks, externalLinks }) =>
  checkExternalLinks
    ? answered(externalLinks, "linked page", "of other sites")
    : "checking links to other sites is turned off for the run"

/** The element as far as the run keeps it: most links are kept by their address and text alone. */
const markupOf = ({ kind, markup, raw, text }: KeptLink): string => {
  const escaped = (value: string) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
  if (markup !== null) return markup
  return kind === "area" ? `<area href="${escaped(raw)}">` : `<a href="${escaped(raw)}">${escaped(text)}</a>`
}

/** Links to other sites. */
export const externalLinks: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "external_link_broken",
      name: "Broken links to other sites",
      category: "links",
      severity: "warning",
      means: "The page links to pages of other sites that answer 4xx or 5xx, confirmed by a second request.",
      fix: "Correct, replace or remove the links named in the evidence.",
      source: "RFC 9110 §15.5; Google Search Central, SEO link best practices",
      needsRendering: true,
      restsOn: "checks",
      guidance: {
        why: "Who follows the link arrives at an error, and a page that refers to what is gone is trusted less.",
        goal: "Make every link of the listed pages to another site lead to a page that answers below 400, or take it out",
        find: "Search content, templates, navigation and footers for the addresses and link texts of the evidence.",
        steps: [
          "Open the address in a browser: a page that is there for people is no fault of yours, whatever it answers to crawlers.",
          "Look for where the page moved, or for one that says the same, and write its address; a source that must be cited may be linked at an archive.",
          "Take out a link for which there is nothing better; repair what stands in shared navigation once."
        ],
        never: "link to the start page of the other site in place of what was meant"
      }
    },
    ({ visit }, { externalLinks: checks, start }) => {
      if (checks === null) return null
      const broken = linksElsewhere(start, visit.facts.links).flatMap((link) => {
        const check = checks.answers.get(link.target.url)
        return check?.verdict === "broken" ? [{ link, status: check.status }] : []
      })
      const [first] = broken
      if (first === undefined) return null
      const words = broken.map(({ link, status }) => `"${link.text}" → ${link.target.url} (${status ?? ""})`)
      return {
        detail: some([...new Set(words)], 3),
        value: first.link.target.url,
        elements: broken.map(({ link }) => ({ markup: markupOf(link), place: link.place, link: link.raw }))
      }
    },
    {
      among: ({ url }, site) => concerns(site.externalLinks, url),
      nothing: "no page was read whose links to other sites were asked for",
      precondition: open
    }
  )
]

/** Fragments that scripts read: routes, states, and directions to the text that is meant (`:~:text=`). */
const isScripts = /[=/!:]/
/** Longer fragments are kept in part only. */
const maxFragment = 200

/** At least this number of links to parts of their own page, of which it has none, are filters and tabs that its scripts read. */
const manyParts = 10

/** Whether the part that a link names is on a page of the site that was read whole; null when that cannot be told. */
const hasPart = ({ isToggle, target }: KeptLink, site: AnalysedSite): boolean | null => {
  if (isToggle || !target.followable) return null
  const { fragment, url } = target
  // The empty fragment and `top` are the top of every page.
  if (fragment === null || fragment === "" || fragment.toLowerCase() === "top") return null
  if (isScripts.test(fragment) || fragment.length >= maxFragment) return null
  const page = site.find(url)
  if (page === undefined || !isRead(page) || page.visit.cut) return null
  const { fragments, parsedWholly } = page.visit.facts
  return parsedWholly && fragments !== null ? hasFragment(fragments, fragment) : null
}

/** The links of a page to parts that are not there. */
const lostLinks = ({ url, visit }: ReadPage, site: AnalysedSite): ReadonlyArray<KeptLink> => {
  const lost: Array<KeptLink> = []
  let ownLost = 0
  let ownFound = 0
  for (const link of visit.facts.links) {
    const found = hasPart(link, site)
    const isOwn = link.target.followable && link.target.url === url
    if (found === false) lost.push(link)
    if (found === true && isOwn) ownFound++
    if (found === false && isOwn) ownLost++
  }
  const areScripts = ownLost >= manyParts && ownFound === 0 && visit.facts.scripts > 0
  return areScripts ? lost.filter(({ target }) => target.followable && target.url !== url) : lost
}

/** Parts of pages that links name. */
export const linkTargets: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "link_fragment_missing",
      name: "Links to parts that do not exist",
      category: "links",
      severity: "info",
      means:
        "Links name a part of a page, behind the #, and the page has no element with that id, nor an anchor of that name.",
      fix: "Correct the name behind the #, or give the part its id.",
      source: "HTML standard §7.4.6.4, Scrolling to a fragment",
      needsRendering: true,
      guidance: {
        why: "Who follows such a link lands at the top of the page and has to look for what was promised.",
        goal: "Let every fragment in links of the listed pages be the id of an element on the page that the link leads to",
        find: "Search templates and content for the fragments of the evidence, and look at the headings of the pages that they lead to: ids made from headings change with their words.",
        steps: [
          "Look for the part that was meant and write its id into the link.",
          "Where the heading was renamed, keep its old id, since others link to it too.",
          "Take the fragment off where the part is gone."
        ],
        never: "add empty elements with the missing ids"
      }
    },
    (page, site) => {
      const lost = lostLinks(page, site)
      const [first] = lost
      if (first === undefined) return null
      return {
        detail: `no such part: ${some([...new Set(lost.map(({ raw }) => raw))])}`,
        value: first.raw,
        elements: lost.map(linkElement)
      }
    },
    { precondition: sawEverything }
  )
]
