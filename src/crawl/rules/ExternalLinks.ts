import { linksElsewhere } from "../analysis/LinksElsewhere.ts"
import { concerns } from "../run/Checks.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import { answered } from "./Preconditions.ts"
import { type Precondition, perPage, type Rule } from "./Rule.ts"
import { some } from "./Targets.ts"

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
