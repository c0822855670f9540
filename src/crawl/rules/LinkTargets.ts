import { type AnalysedPage, type AnalysedSite, linksElsewhere } from "../analysis/AnalysedSite.ts"
import { hasFragment, unescaped } from "../page/Links.ts"
import { identity, maxFragment } from "../page/UrlIdentity.ts"
import { concerns } from "../run/Run.ts"
import type { KeptFacts, KeptLink } from "../visit/Visit.ts"
import { linkElement, listed } from "./Causes.ts"
import { lackWords } from "./Lacks.ts"
import { isRead, type Precondition, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { answered, sawEverything } from "./Targets.ts"

const open: Precondition = ({ checkExternalLinks, externalLinks }) =>
  checkExternalLinks
    ? answered(externalLinks, "linked page", "of other sites")
    : "the crawl did not check external links"

/** Checks of links to other sites. */
export const externalLinks: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "external_link_broken",
      name: "Broken external link",
      category: "links",
      severity: "warning",
      means: "The page links to pages of other sites that return 4xx or 5xx, confirmed by a second request.",
      fix: "Correct, replace or remove the links listed in the details.",
      source: "RFC 9110 §15.5; Google Search Central, SEO link best practices",
      needsRendering: true,
      restsOn: "checks",
      guidance: {
        why: "Visitors end on an error page and trust the content less.",
        goal: "Make every external link of the listed pages lead to a page that returns a status below 400, or remove it",
        find: "Search content, templates, navigation and footers for the URLs and link texts in the evidence.",
        steps: [
          "Open the URL in a browser. If people see the page, leave the link alone, whatever crawlers get.",
          "Find the new URL of the page, or a page that says the same. For a source that must be cited, link to an archive.",
          "Remove a link that has no replacement. Fix a link in shared navigation once."
        ],
        never: "link to the other site's start page instead of the intended page"
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
      const words = broken.map(
        ({ link, status }) => `"${link.text}" → ${link.target.url} (${status ?? ""})${lackWords(link.raw)}`
      )
      return {
        detail: listed(words),
        value: first.link.target.url,
        elements: broken.map(({ link }) => linkElement(link))
      }
    },
    {
      among: ({ url }, site) => concerns(site.externalLinks, url),
      nothing: "no crawled page has external links that were checked",
      precondition: open
    }
  )
]

/** Fragments for scripts: routes and states. */
const isScripts = /[=/!:]/

/** From this number of same-page links without any target on, the links are filters and tabs that scripts read. */
const manyParts = 10

/** A browser's destination after following a link. */
interface Arrival {
  readonly page: AnalysedPage
  readonly fragment: string
}

/**
 * The destination of a link with a fragment. A redirect keeps the fragment unless its Location has its own (RFC 9110 §10.2.2), and a refresh drops it; null
 * without a fragment, or when the crawl does not know the link's end.
 */
const arrivalOf = ({ target }: KeptLink, site: AnalysedSite): Arrival | null => {
  const first = target.followable ? site.find(target.url) : undefined
  if (!target.followable || first === undefined) return null
  let { fragment } = target
  for (const url of [first.url, ...first.chain.hops].slice(0, first.chain.hops.length)) {
    const redirect = site.find(url)?.visit?.redirect ?? null
    if (redirect === null) return null
    fragment = redirect.fragment ?? fragment
  }
  const page = first.chain.target === null ? undefined : site.find(first.chain.target.url)
  return page === undefined || fragment === null ? null : { page, fragment }
}

/** Whether a fully read page has the fragment's target; null when unknown. */
const hasPart = ({ fragment, page }: Arrival): boolean | null => {
  const text = unescaped(fragment)
  // The empty fragment and `top` are the top of every page.
  if (text === "" || text.toLowerCase() === "top") return null
  if (fragment.length >= maxFragment || !isRead(page) || page.visit.cut) return null
  const { fragments, parsedWholly } = page.visit.facts
  if (!parsedWholly || fragments === null) return null
  // Footnotes (#fn:1) look like fragments for scripts, but are targets.
  return hasFragment(fragments, fragment) || (isScripts.test(text) ? null : false)
}

/** A link to a missing fragment, with the URL of its destination. */
interface LostLink {
  readonly link: KeptLink
  readonly to: string
}

/** Whether half of the links have the text of a heading: a table of contents that lost its ids. */
const isContents = (own: ReadonlyArray<LostLink>, { firstHeadings, secondHeadings }: KeptFacts): boolean => {
  const headings = new Set([...firstHeadings, ...secondHeadings.split("\n")])
  return 2 * own.filter(({ link }) => headings.has(link.text)).length >= own.length
}

/** The links of a page to missing fragments. */
const lostLinks = ({ url, visit }: ReadPage, site: AnalysedSite): ReadonlyArray<LostLink> => {
  const lost: Array<LostLink & { readonly isOwn: boolean }> = []
  let ownFound = 0
  for (const link of visit.facts.links) {
    const arrival = link.isToggle ? null : arrivalOf(link, site)
    const found = arrival === null ? null : hasPart(arrival)
    const isOwn = link.target.followable && link.target.url === url
    if (found === true && isOwn) ownFound++
    if (arrival !== null && found === false) lost.push({ link, isOwn, to: `${arrival.page.url}#${arrival.fragment}` })
  }
  const own = lost.filter(({ isOwn }) => isOwn)
  const areScripts =
    ownFound === 0 && visit.facts.scripts > 0 && own.length >= manyParts && !isContents(own, visit.facts)
  return areScripts ? lost.filter(({ isOwn }) => !isOwn) : lost
}

/** The link as written, and its destination if that is not visible: behind a redirect, or from a base element. */
const wordsFor = ({ link: { raw }, to }: LostLink, { url }: ReadPage): string => {
  const [end] = to.split("#", 1)
  const written = URL.parse(raw, url)
  const lack = lackWords(raw)
  if (written !== null && identity(written) === end) return raw + lack
  return raw.startsWith("#")
    ? `${raw} → ${to}, because of the base element of the page${lack}`
    : `${raw} → ${to}${lack}`
}

/** Checks of links with a fragment. */
export const linkTargets: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "link_fragment_missing",
      name: "Broken anchor link",
      category: "links",
      severity: "info",
      means: "Links have a #fragment that does not exist on the target page.",
      fix: "Correct the fragment, or add the id to the target element.",
      source: "HTML standard §7.4.6.4, Scrolling to a fragment; RFC 9110 §10.2.2; URL Fragment Text Directives §3.3",
      needsRendering: true,
      guidance: {
        why: "Visitors land at the top of the page and have to search for the section.",
        goal: "Make every fragment in links of the listed pages the id of an element on the target page",
        find: "Search templates and content for the fragments in the evidence, and check the headings of the target pages: generated ids change with the heading.",
        steps: [
          "Find the intended section and put its id into the link.",
          "If the heading was renamed, keep its old id, because other links use it too.",
          "Remove the fragment if the section no longer exists."
        ],
        never: "add empty elements with the missing ids"
      }
    },
    (page, site) => {
      const lost = lostLinks(page, site)
      const [first] = lost
      if (first === undefined) return null
      return {
        detail: `missing: ${listed(lost.map((each) => wordsFor(each, page)))}`,
        value: first.link.raw,
        elements: lost.map(({ link, to }) => ({ ...linkElement(link), value: to }))
      }
    },
    { precondition: sawEverything }
  )
]
