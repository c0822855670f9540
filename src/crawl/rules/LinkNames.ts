import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { sameSite } from "../site/Site.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import { linkElement, linkFault } from "./Elements.ts"
import type { Fault } from "./Fault.ts"
import { crawlable, find, isScript, once } from "./Links.ts"
import { isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { linksTo } from "./Targets.ts"

/** What a link without a name is for; null of links that have one, and of those that lead to a mail address and the like. */
const useOf = (link: KeptLink, { url }: ReadPage, { start }: AnalysedSite): "control" | "foreign" | "page" | null => {
  const { isNamed, isToggle, kind, raw, target } = link
  if (isNamed || kind !== "a") return null
  if (!target.followable) return isToggle && isScript(link) ? "control" : null
  if (raw.startsWith("#") || (target.url === url && target.fragment !== null)) return "control"
  return sameSite(start, new URL(target.url)) ? "page" : "foreign"
}

const many = (count: number, one: string, more: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : more}`]

/** The controls, buttons and links to other hosts that have no name. */
const muteControls = (page: ReadPage, site: AnalysedSite): Fault | null => {
  const { links, muteButtons } = page.visit.facts
  const used = (use: ReturnType<typeof useOf>) =>
    links.filter((link) => !link.isNamed && useOf(link, page, site) === use)
  const [controls, foreign] = [used("control"), used("foreign")]
  const elements = [...[...controls, ...foreign].map(linkElement), ...muteButtons]
  if (elements.length === 0) return null
  const counts = [
    ...many(controls.length, "control", "controls"),
    ...many(foreign.length, "link to another host", "links to other hosts"),
    ...many(muteButtons.length, "button", "buttons")
  ]
  return { detail: `${counts.join(", ")} without a name`, value: (controls[0] ?? foreign[0])?.raw, elements }
}

/** A view of another page that may be indexed: its address with parameters that sort it, filter it or do something with it. */
const isView = ({ url }: AnalysedPage, site: AnalysedSite): boolean => {
  const at = url.indexOf("?")
  const whole = at === -1 ? undefined : site.find(url.slice(0, at))
  return whole !== undefined && isEligible(whole)
}

/** What links are called, and what they say to engines. */
export const linkNames: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "link_text_missing",
      name: "Link without text",
      category: "links",
      severity: "warning",
      means:
        "Links to pages of the site have no text, no label and no image with an alternative text, so nothing says where they lead.",
      fix: "Give each link words, or its image an alt.",
      source: `${crawlable}; WCAG 2.2 success criterion 2.4.4; Accessible Name and Description Computation 1.2`,
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Nothing tells people with a screen reader, or engines, where the link leads.",
        goal: "Give every link of the listed pages words, or its image an alternative text",
        find,
        steps: [
          "Of a link around an image or icon, say in alt or aria-label where it leads.",
          "Take out links that are empty by mistake, such as a wrapper without content.",
          once
        ],
        never: 'give all of them one text such as "link"'
      }
    },
    (page, site) =>
      linkFault(
        page.visit.facts.links.filter((link) => !link.isNamed && useOf(link, page, site) === "page"),
        ({ raw }) => raw
      )
  ),
  perPage(
    {
      id: "control_unnamed",
      name: "Controls without a name",
      category: "links",
      severity: "info",
      means: "Buttons, links that open or close something, or icon links to other hosts have no name.",
      fix: "Name each of them by its text, or by an aria-label that says what it does or where it leads.",
      source: "WCAG 2.2 success criterion 4.1.2; Accessible Name and Description Computation 1.2",
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "People with a screen reader hear a button or link and not what it is for; pages of the site lose nothing in search by it.",
        goal: "Give every button, toggle and icon link of the listed pages a name",
        find: "Search header, navigation and footer templates for the elements of the evidence: mostly an icon without words.",
        steps: [
          "Of a button or toggle, say in aria-label what it does, such as Open menu.",
          "Of an icon that leads to another host, say where, such as the name of the network.",
          "Hide the icon itself from screen readers by aria-hidden.",
          once
        ],
        never: "hide the control from screen readers to silence this"
      }
    },
    muteControls
  ),
  perPage(
    {
      id: "link_nofollow_internal",
      name: "Internal links with nofollow",
      category: "links",
      severity: "info",
      means:
        "Links to pages of the same site that may be indexed carry nofollow, ugc or sponsored, which withholds credit from them.",
      fix: "Remove the token from links to pages that should be found; leave it on links that act, such as cart, sorting and filters.",
      source: "Google Search Central, Qualify your outbound links to Google",
      needsRendering: true,
      guidance: {
        why: "Such a link withholds from a page of your own what it would pass on.",
        goal: "Leave nofollow, ugc and sponsored only on links that lead away from the site, that act, or that visitors wrote",
        find: `${find} A helper or filter that adds rel to all links is the usual origin.`,
        steps: [
          "Let the helper spare the pages of the site's own host that should be found, such as those of the evidence.",
          "Leave the tokens on links that act (cart, wish list, log-in) and on those that sort or filter a list.",
          "Keep the tokens on what visitors write."
        ],
        never: "remove rel from all links at once, or from links that act or that visitors wrote"
      }
    },
    (page, site) =>
      linkFault(
        linksTo(page, site, (target, { nofollow }) => nofollow && isEligible(target) && !isView(target, site)).map(
          ({ link }) => link
        ),
        ({ raw }) => raw
      )
  )
]
