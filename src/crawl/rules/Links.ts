import { type AnalysedPage, isDead } from "../analysis/AnalysedPage.ts"
import { all, sawEverything } from "./Gates.ts"
import { links as guidance } from "./guidance/Links.ts"
import { perPage, type Rule } from "./Rule.ts"
import { linkedPages, some } from "./Targets.ts"

const crawlable = "Google Search Central, SEO link best practices"
/** Whether a link to it could give it credit: files, pages that ask not to be indexed and forbidden ones take none. */
const takesCredit = ({ reason }: AnalysedPage): boolean =>
  !/^(?:not_html|noindex_meta|noindex_header|blocked_by_robots)$/.test(reason)

export const links: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "broken_link",
      category: "links",
      severity: "critical",
      means: "The page links to pages of the site that answer 4xx or 5xx, confirmed by a second request.",
      fix: "Correct or remove the links named in the evidence.",
      source: `${crawlable}; RFC 9110 §15.5`,
      needsRendering: true,
      restsOn: "confirmed",
      guidance: guidance.broken_link
    },
    (page, site) => {
      if (!site.checkDeadLinks) return null
      const endOf = (target: AnalysedPage) =>
        target.chain.target === null ? target : (site.find(target.chain.target.url) ?? target)
      const dead = linkedPages(page, site, (target) => isDead(endOf(target))).map(
        ({ target, text }) => `"${text}" → ${target.url} (${endOf(target).visit?.status ?? ""})`
      )
      return dead.length === 0 ? null : some(dead, 3)
    },
    {
      gate: all(
        ({ checkDeadLinks }) => (checkDeadLinks ? null : "checking links is turned off for the run"),
        sawEverything
      )
    }
  ),
  perPage(
    {
      id: "link_invalid",
      category: "links",
      severity: "warning",
      means: "Links cannot be parsed as a URL, so they cannot be followed.",
      fix: "Correct the addresses.",
      source: "URL standard §4.4; HTML standard §4.6.4",
      needsRendering: true,
      restsOn: "own",
      guidance: guidance.link_invalid
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
      guidance: guidance.link_script
    },
    ({ visit }) => {
      const scripts = visit.facts.links.filter(
        ({ isToggle, kind, target }) =>
          kind === "a" && !isToggle && !target.followable && target.detail === "javascript:"
      )
      return scripts.length === 0
        ? null
        : `${scripts.length} links: ${some(
            scripts.map(({ text }) => `"${text}"`),
            3
          )}`
    }
  ),
  perPage(
    {
      id: "link_text_missing",
      category: "links",
      severity: "warning",
      means: "Links have no text, no label and no image with an alternative text, so nothing says where they lead.",
      fix: "Give each link words, or its image an alt.",
      source: `${crawlable}; WCAG 2.2 success criterion 2.4.4; Accessible Name and Description Computation 1.2`,
      needsRendering: true,
      restsOn: "own",
      guidance: guidance.link_text_missing
    },
    ({ visit }) => {
      const mute = visit.facts.links.filter(
        ({ isNamed, kind, target }) => kind === "a" && target.followable && !isNamed
      )
      return mute.length === 0 ? null : some(mute.map(({ raw }) => raw))
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
      guidance: guidance.link_nofollow_internal
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
