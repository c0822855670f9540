import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { hasFragment } from "../page/Fragments.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import { elementOf } from "./LinkElement.ts"
import { sawEverything } from "./Preconditions.ts"
import { isRead, perPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

/** Fragments that scripts read: routes, states, and directions to the text that is meant (`:~:text=`). */
const isScripts = /[=/!:]/
/** Longer fragments are kept in part only. */
const maxFragment = 200

/** A link names a part of a page of the site, and the whole of that page was read and has no such part. */
const isLost = ({ isToggle, target }: KeptLink, site: AnalysedSite): boolean => {
  if (isToggle || !target.followable) return false
  const { fragment, url } = target
  // The empty fragment and `top` are the top of every page.
  if (fragment === null || fragment === "" || fragment.toLowerCase() === "top") return false
  if (isScripts.test(fragment) || fragment.length >= maxFragment) return false
  const page = site.find(url)
  if (page === undefined || !isRead(page) || page.visit.cut) return false
  const { fragments, parsedWholly } = page.visit.facts
  return parsedWholly && fragments !== null && !hasFragment(fragments, fragment)
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
    ({ visit }, site) => {
      const lost = visit.facts.links.filter((link) => isLost(link, site))
      const [first] = lost
      if (first === undefined) return null
      return {
        detail: `no such part: ${some(lost.map(({ raw }) => raw))}`,
        value: first.raw,
        elements: lost.map(elementOf)
      }
    },
    { precondition: sawEverything }
  )
]
