import { type AnalysedPage, isDead } from "../analysis/AnalysedPage.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import { counted, linkElement, linkFault } from "./Elements.ts"
import { all, sawEverything } from "./Preconditions.ts"
import { perPage, type Rule } from "./Rule.ts"
import { linksTo, quoted } from "./Targets.ts"

export const crawlable = "Google Search Central, SEO link best practices"

/** Where the guidance of links looks for their origin. */
export const find =
  "Search templates, navigation, footers and content for the addresses and link texts of the evidence."

/** The step of the guidance for links of templates. */
export const once = "Repair a link that stands in shared navigation once, where it is generated."

/** Whether a link has a script in place of an address. */
export const isScript = ({ target }: KeptLink): boolean => !target.followable && target.detail === "javascript:"

/** The links that a page writes. */
export const links: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "broken_link",
      name: "Broken link",
      category: "links",
      severity: "critical",
      means: "The page links to pages of the site that answer 4xx or 5xx, confirmed by a second request.",
      fix: "Correct or remove the links named in the evidence.",
      source: `${crawlable}; RFC 9110 §15.5`,
      needsRendering: true,
      restsOn: "confirmed",
      guidance: {
        why: "Who follows the link arrives at an error; crawlers lose the way to whatever stood behind it.",
        goal: "Make every link of the listed pages lead to a page that answers below 400",
        find,
        steps: [
          "Look for the page that was meant: a typing error, a renamed path, or a page that is gone.",
          "Write the address of the page that exists, or take the link out; where many others link to the old address, redirect it to the new one.",
          once
        ],
        never: "let the missing address answer 200 with an empty or error page"
      }
    },
    (page, site) => {
      if (!site.checkDeadLinks) return null
      const endOf = (target: AnalysedPage) =>
        target.chain.target === null ? target : (site.find(target.chain.target.url) ?? target)
      const said = (target: AnalysedPage) => `${target.url} (${endOf(target).visit?.status ?? ""})`
      const dead = linksTo(page, site, (target) => isDead(endOf(target)))
      const words = dead.map(({ link, target }) => `${quoted(link.text)} → ${said(target)}`)
      const elements = dead.map(({ link, target }) => ({ ...linkElement(link), value: said(target) }))
      return dead.length === 0 ? null : { detail: counted(words, "links"), value: dead[0]?.link.raw, elements }
    },
    {
      precondition: all(
        ({ checkDeadLinks }) => (checkDeadLinks ? null : "checking links is turned off for the run"),
        sawEverything
      )
    }
  ),
  perPage(
    {
      id: "link_invalid",
      name: "Invalid link",
      category: "links",
      severity: "warning",
      means: "Links cannot be parsed as a URL, so they cannot be followed.",
      fix: "Correct the addresses.",
      source: "URL standard §4.4; HTML standard §4.6.4",
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "An address that cannot be parsed leads nowhere, for people and for crawlers.",
        goal: "Make every link of the listed pages an address that parses",
        find: `${find} Look for a doubled scheme, a space in the host, or a template expression that was not filled in.`,
        steps: [
          "Correct the address, or what computes it.",
          "Encode values that come from data before they are put into an address.",
          once
        ],
        never: "take links out whose target is known"
      }
    },
    ({ visit }) =>
      linkFault(
        visit.facts.links.filter(({ target }) => !target.followable && target.reason === "invalid"),
        ({ raw }) => `"${raw}"`
      )
  ),
  perPage(
    {
      id: "link_script",
      name: "Links that run a script",
      category: "links",
      severity: "warning",
      means: "Links run a script instead of naming an address, so crawlers cannot follow them.",
      fix: "Put the address into href and keep the script as an addition.",
      source: crawlable,
      needsRendering: true,
      restsOn: "own",
      guidance: {
        why: "Crawlers do not press buttons: what only a script opens is not found.",
        goal: "Give every link of the listed pages an address in href that leads to what its script opens",
        find: `${find} Look for href="javascript:…" and for click handlers that set the location.`,
        steps: [
          "Put the address into href and keep the script as an addition that prevents the default.",
          "Make a control that leads nowhere, such as a toggle, a button.",
          "With a client-side router use its link component, which writes a real href."
        ],
        never: 'write href="#" instead'
      }
    },
    ({ visit }) =>
      linkFault(
        visit.facts.links.filter((link) => link.kind === "a" && !link.isToggle && isScript(link)),
        ({ raw, text }) => (text === "" ? raw : `"${text}"`)
      )
  )
]
