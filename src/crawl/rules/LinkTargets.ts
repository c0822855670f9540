import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { hasFragment } from "../page/Fragments.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import { linkElement } from "./Elements.ts"
import { sawEverything } from "./Preconditions.ts"
import { isRead, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

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
