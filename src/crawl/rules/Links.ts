import { type AnalysedPage, isDead } from "../analysis/AnalysedPage.ts"
import { elementOf } from "./Elements.ts"
import { all, sawEverything } from "./Preconditions.ts"
import { perPage, type Rule } from "./Rule.ts"
import { linkedPages, linksTo, quoted, some } from "./Targets.ts"

const crawlable = "Google Search Central, SEO link best practices"
/** Whether a link to it could give it credit: files, pages that ask not to be indexed and forbidden ones take none. */
const takesCredit = ({ reason }: AnalysedPage): boolean =>
  !/^(?:not_html|noindex_meta|noindex_header|blocked_by_robots)$/.test(reason)

const find = "Search templates, navigation, footers and content for the addresses and link texts of the evidence."
const once = "Repair a link that stands in shared navigation once, where it is generated."

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
      const isGone = (target: AnalysedPage) => isDead(endOf(target))
      const said = (target: AnalysedPage) => `${target.url} (${endOf(target).visit?.status ?? ""})`
      const dead = linkedPages(page, site, isGone).map(({ link, target }) => `${quoted(link.text)} → ${said(target)}`)
      const elements = () =>
        linksTo(page, site, isGone).map(({ link, target }) => ({ ...elementOf(link), value: said(target) }))
      return dead.length === 0 ? null : { detail: some(dead, 3), elements: elements() }
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
    ({ visit }) => {
      const invalid = visit.facts.links.flatMap(({ raw, target }) =>
        !target.followable && target.reason === "invalid" ? [`"${raw}"`] : []
      )
      return invalid.length === 0 ? null : some(invalid)
    }
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
    ({ visit }) => {
      const scripts = visit.facts.links.filter(
        ({ isToggle, kind, target }) =>
          kind === "a" && !isToggle && !target.followable && target.detail === "javascript:"
      )
      return scripts.length === 0
        ? null
        : `${scripts.length} links: ${some(
            scripts.map(({ text }) => quoted(text)),
            3
          )}`
    }
  ),
  perPage(
    {
      id: "link_text_missing",
      name: "Link without text",
      category: "links",
      severity: "warning",
      means: "Links have no text, no label and no image with an alternative text, so nothing says where they lead.",
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
    ({ visit }) => {
      const mute = visit.facts.links.filter(
        ({ isNamed, kind, target }) => kind === "a" && target.followable && !isNamed
      )
      return mute.length === 0 ? null : { detail: some(mute.map(({ raw }) => raw)), elements: mute.map(elementOf) }
    }
  ),
  perPage(
    {
      id: "link_nofollow_internal",
      name: "Internal links with nofollow",
      category: "links",
      severity: "info",
      means:
        "Links to pages of the same site that may be indexed carry nofollow, ugc or sponsored, which withholds credit from them.",
      fix: "Remove the token from internal links; use robots.txt to keep crawlers away.",
      source: "Google Search Central, Qualify your outbound links to Google",
      needsRendering: true,
      guidance: {
        why: "Such a link withholds from a page of your own what it would pass on.",
        goal: "Leave nofollow, ugc and sponsored only on links that lead away from the site or were written by visitors",
        find: `${find} A helper or filter that adds rel to all links is the usual origin.`,
        steps: [
          "Let the helper spare addresses of the site's own host.",
          "To keep crawlers out of a path, use robots.txt; to keep a page out of the index, noindex.",
          "Keep the tokens on what visitors write."
        ],
        never: "remove rel from links that visitors wrote"
      }
    },
    ({ url, visit }, site) => {
      const own = visit.facts.links.filter(({ nofollow, target }) => {
        const found = nofollow && target.followable && target.url !== url ? site.find(target.url) : undefined
        return found !== undefined && takesCredit(found)
      })
      return own.length === 0 ? null : some(own.map(({ raw }) => raw))
    }
  )
]
