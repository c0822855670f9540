import { bareHost } from "../../foundation/schema/Scalars.ts"
import { groupedBy } from "../../foundation/schema/Steps.ts"
import { plural } from "../../foundation/text/Words.ts"
import { isHiddenVariant } from "../analysis/Analyse.ts"
import { type AnalysedPage, type AnalysedSite, isLeftOut, leavesOpen, perSite } from "../analysis/AnalysedSite.ts"
import { enoughSessions, sessionOf } from "../analysis/Endless.ts"
import { folderOf, indexFile, steady } from "../frontier/Traps.ts"
import { reasonWords } from "../report/Labels.ts"
import { type HealthReason, healthStateOf } from "../report/MeasuredPage.ts"
import { type Checks, having, unasked } from "../run/Run.ts"
import { isReadInPart, type KeptLink } from "../visit/Visit.ts"
import { isEligible, isRead, type Precondition, perPage, type ReadPage, type Rule, readPages } from "./Rule.ts"

/** A URL without scheme, `www.`, the name of an index file, and the trailing slash. */
export const placeOf = (address: string): string => {
  const url = new URL(address)
  return `${bareHost(url.hostname)}:${url.port}${folderOf(url.pathname)}${url.search}`
}

/** A URL without the parts that carry no meaning, including session ids, tracking parameters and the order of parameters. */
const twinKey = (address: string): string => placeOf(steady(new URL(address)).address)

/** The difference between two URLs of one page, in words. */
const difference = (one: string, other: string): string => {
  const [a, b] = [new URL(one), new URL(other)]
  const [left, right] = [steady(a), steady(b)]
  const varies =
    left.varies?.name === right.varies?.name && a.search === b.search ? null : (left.varies ?? right.varies)
  if (varies !== null) return `the ${varies.kind === "session" ? "session id" : "tracking parameter"} "${varies.name}"`
  const name = [a, b].map(({ pathname }) => indexFile.exec(pathname)?.[0].slice(1)).find((each) => each !== undefined)
  if (a.pathname !== b.pathname) return name === undefined ? "the trailing slash" : `"${name}"`
  if (a.hostname !== b.hostname) return '"www."'
  return a.protocol === b.protocol ? "the order of parameters" : "http and https"
}

/** The source of checks on robots directives. */
export const robotsMetaGuide = "Google Search Central, Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"

/** The first guidance step for pages that may be hidden on purpose. */
export const meant =
  "Check first whether this is a mistake: staging, private and filter pages may be hidden on purpose. If it is intended, change nothing and say so."

/** The guidance step that separates groups of robots.txt, because other lines between their agents do not. */
export const partGroups =
  "If the evidence names lines that do not end a group, separate the groups: give the user agents above them a directive of their own, such as an empty Disallow."

/** Where guidance looks for the origin of robots directives. */
export const origin =
  "Find the source: a robots meta tag in a layout or SEO plugin, or an X-Robots-Tag header of the server, CDN or middleware."

/** Whether search engines find the start page at another URL, such as /index.html, that is its canonical and indexable. */
const isFoundElsewhere = ({ find }: AnalysedSite, { canonical, reason, visit }: AnalysedPage): boolean => {
  if (reason === "canonical_variant") return true
  const other = reason === "canonical_elsewhere" && canonical.url !== null ? find(canonical.url) : undefined
  return other?.reason === "ok" && other.visit?.facts?.text.mainHash === visit?.facts?.text.mainHash
}

/** The URL at which search engines find the start page: its own, or its canonical. */
export const startAddress = (site: AnalysedSite): string => {
  const page = site.find(site.start.href)
  return page !== undefined && isFoundElsewhere(site, page) ? (page.canonical.url ?? page.url) : site.start.href
}

/** Why the start page hides itself from the index, in words; null when it does not, or when robots.txt does, which has a check of its own. */
export const hidesStart = (site: AnalysedSite): string | null => {
  const page = site.find(site.start.href)
  if (page?.visit?.facts == null || healthStateOf[page.reason] !== "hidden") return null
  if (page.reason === "blocked_by_robots") return null
  return isFoundElsewhere(site, page) ? null : reasonWords[page.reason]
}

/** The noindex reasons of a page. */
export const noindexOf = ({ also, reason }: AnalysedPage): ReadonlyArray<HealthReason> =>
  [reason, ...also].filter((each) => each === "noindex_meta" || each === "noindex_header")

/** The directives of a page that contradict each other; null when none do. */
export const hasOwnNoindex = ({ visit }: ReadPage): string | null => {
  const metas = visit.facts.robots.filter(({ inHead }) => inHead).map(({ directives }) => directives)
  const tags =
    visit.headerFacts?.robotsTags.filter(({ agent }) => agent === null).map(({ directives }) => directives) ?? []
  const tokens = [...metas, ...tags].flatMap((directives) => directives.tokens)
  const hides = tokens.includes("noindex") || tokens.includes("none")
  const shows = tokens.includes("index") || tokens.includes("all")
  return hides && shows ? tokens.join(", ") : null
}

/** End of a sentence about pages that were cut off. */
export const readInPart = "could only be read in part, because of their size"

/** Why pages that the crawl never saw may contradict the claim; null when it saw everything. */
export const sawEverything: Precondition = ({ isPart, pages, termination, unlisted }: AnalysedSite) => {
  if (termination === "max-duration") return "the crawl reached its time limit before it covered every page"
  if (termination === "max-pages" || unlisted > 0)
    return "the crawl reached its page limit before it covered every page"
  const inPart = pages.filter(({ visit }) => visit !== null && isReadInPart(visit)).length
  if (inPart > 0) return `${inPart} of the site's pages ${readInPart}`
  const open = pages.filter(leavesOpen).length
  if (open > 0) return `${open} of the site's URLs could not be verified`
  return isPart ? "the crawl covered only a part of the site" : null
}

/** The options excluded nothing: an excluded page may have the missing link. */
export const leftNothingOut: Precondition = ({ pages }) => {
  const count = pages.filter(({ reason }) => reason === "excluded").length
  return count === 0 ? null : `the options of the crawl exclude ${plural(count, "URL")} that may link there`
}

/** The crawl read all sitemaps completely. */
export const readSitemap: Precondition = ({ sitemap }) => {
  if (sitemap === null) return "the crawl ended before the sitemap was fetched"
  return sitemap.complete ? null : "some sitemaps could not be read completely"
}

/** The site has a sitemap with pages. */
export const hasSitemap: Precondition = ({ sitemap }) =>
  sitemap === null
    ? "the crawl ended before the sitemap was fetched"
    : sitemap.urls.length === 0
      ? "the site has no readable sitemap"
      : null

/**
 * Why not every URL besides the pages has an answer; null when all have. URLs closed to crawlers do not count. `one` names such a URL, and `of` what it
 * belongs to, such as "image" and "of the site".
 */
export const answered = (checks: Checks | null, one: string, of: string): string | null => {
  if (checks === null) return `the crawl ended before it checked the ${one}s ${of}`
  const [late, silent] = [unasked(checks), having(checks, "unverified")]
  const reasons = [
    ...(late === 0 ? [] : [`the crawl had no time for ${plural(late, one)} ${of}`]),
    ...(silent === 0 ? [] : [`${plural(silent, one)} ${of} gave no clear response`])
  ]
  return reasons.length === 0 ? null : reasons.join("; ")
}

/** Combines preconditions: the first reason counts. */
export const all =
  (...preconditions: ReadonlyArray<Precondition>): Precondition =>
  (site) =>
    preconditions.reduce<string | null>((reason, precondition) => reason ?? precondition(site), null)

/** The URLs that lead to a URL: itself and the redirects that end there, in the order of meeting. */
export const waysTo = perSite(({ pages }): ((page: AnalysedPage) => ReadonlyArray<AnalysedPage>) => {
  const through = new Map<string, Array<AnalysedPage>>()
  for (const page of pages) {
    const end = page.chain.target?.url ?? page.url
    const sources = through.get(end)
    if (sources === undefined) through.set(end, [page])
    else sources.push(page)
  }
  return (page) => {
    const sources = through.get(page.url) ?? []
    return sources.includes(page) ? sources : [page, ...sources]
  }
})

/** The known end of a page's redirects; the page itself without one. */
export const endOf = ({ find }: AnalysedSite, page: AnalysedPage): AnalysedPage =>
  page.chain.target === null ? page : (find(page.chain.target.url) ?? page)

/** Whether only a sitemap names the page: an error there belongs to the sitemap's check, and is no broken link. */
export const isListedOnly = (page: AnalysedPage, site: AnalysedSite): boolean =>
  page.record.via === "sitemap" && waysTo(site)(page).every(({ record }) => record.linkedFromCount === 0)

/** Whether only head elements or headers name the page: an error there belongs to the checks of the pages with the element. */
export const isOnlyReferred = (page: AnalysedPage, site: AnalysedSite): boolean =>
  waysTo(site)(page).every(({ record }) => record.isOnlyReferred)

/** Whether the page returns 4xx and a fetched page links to it: `broken_link` reports it on the linking page. */
export const isDeadTarget = (page: AnalysedPage, site: AnalysedSite): boolean =>
  page.reason === "http_4xx" &&
  site.checkDeadLinks &&
  site.needsJavascript === null &&
  waysTo(site)(page).some(({ record }) =>
    record.linkedFrom.some((from) => {
      const linker = site.find(from)
      return linker !== undefined && isRead(linker) && !site.unseen.has(from)
    })
  )

/** The state of a page for the score. */
type Standing = "up" | "hidden" | "down"

/** The state of a URL for the score; null without a verdict, for other URLs than pages, or when the page that names it is charged. */
export const standingOf = (page: AnalysedPage, site: AnalysedSite): Standing | null => {
  if (isLeftOut(page) || isHiddenVariant(page, site.find)) return null
  switch (healthStateOf[page.reason]) {
    case "eligible":
      return "up"
    case "hidden":
      return "hidden"
    case "failed":
      return page.url !== site.start.href &&
        (isListedOnly(page, site) || isOnlyReferred(page, site) || isDeadTarget(page, site))
        ? null
        : "down"
    default:
      return null
  }
}

/** The number of pages in each state, and the state of the start page. */
export const standings = perSite((site) => {
  const start = startAddress(site)
  const found: Record<Standing, number> & { start: Standing | null } = { up: 0, hidden: 0, down: 0, start: null }
  for (const page of site.pages) {
    const standing = standingOf(page, site)
    if (standing !== null) found[standing] += 1
    if (page.url === start) found.start = standing
  }
  return found
})

/** The indexable pages, in the order of the crawl. */
export const eligible = perSite((site): ReadonlyArray<ReadPage> => readPages(site).filter(isEligible))

/** A link and its target page on the site. */
interface LinkedPage {
  readonly target: AnalysedPage
  readonly link: KeptLink
}

/** The target page of a link; undefined for other sites and for the page itself. */
const targetOf = ({ target }: KeptLink, { url }: ReadPage, site: AnalysedSite): AnalysedPage | undefined =>
  target.followable && target.url !== url ? site.find(target.url) : undefined

/** Whether a page links to another page of the site that meets a condition. */
export const leadsTo = (page: ReadPage, site: AnalysedSite, holds: (target: AnalysedPage) => boolean): boolean =>
  page.visit.facts.links.some((link) => {
    const target = targetOf(link, page, site)
    return target !== undefined && holds(target)
  })

/** The links of a page to other pages of the site that meet a condition, in document order. */
export const linksTo = (
  page: ReadPage,
  site: AnalysedSite,
  holds: (target: AnalysedPage, link: KeptLink) => boolean
): ReadonlyArray<LinkedPage> => {
  const found: Array<LinkedPage> = []
  for (const link of page.visit.facts.links) {
    const target = targetOf(link, page, site)
    if (target !== undefined && holds(target, link)) found.push({ target, link })
  }
  return found
}

/** Groups pages by a key and returns, for each page, the others with its key; null keys match nothing. */
export const twins = <P extends { readonly url: string }>(
  pages: ReadonlyArray<P>,
  keyOf: (page: P) => string | null
): ((page: P) => ReadonlyArray<string>) => {
  const groups = groupedBy(pages, keyOf)
  return (page) => {
    const key = keyOf(page)
    return key === null ? [] : (groups.get(key) ?? []).flatMap(({ url }) => (url === page.url ? [] : [url]))
  }
}

/** The other pages with equal title and text whose URLs differ only like a folder and its index file. */
export const sameFile = perSite((site) => {
  const read = site.pages.filter(({ visit }) => visit?.facts != null)
  const byPlace = groupedBy(read, ({ url }) => placeOf(url))
  return ({ url, visit }: AnalysedPage): ReadonlyArray<AnalysedPage> =>
    (byPlace.get(placeOf(url)) ?? []).filter(
      (other) =>
        other.url !== url &&
        other.visit?.facts?.title === visit?.facts?.title &&
        other.visit?.facts?.text.mainHash === visit?.facts?.text.mainHash
    )
})

/** The first few of a list of URLs, and the number of the others. */
export const some = (urls: ReadonlyArray<string>, most = 5): string =>
  urls.length <= most ? urls.join(", ") : `${urls.slice(0, most).join(", ")} and ${urls.length - most} more`

/** The text of a link, quoted for details. */
export const quoted = (text: string): string => (text.trim() === "" ? "(no text)" : `"${text}"`)

/** A title or description, normalized for comparison; null when empty. */
export const folded = (text: string | null | undefined): string | null => {
  const key = (text ?? "").replace(/\s+/g, " ").trim().toLowerCase()
  return key === "" ? null : key
}

/** Whether two pages have equal main text; empty texts never match. */
export const hasSameText = ({ visit: { facts } }: ReadPage, { visit: { facts: other } }: ReadPage): boolean =>
  facts.text.mainWords > 0 && facts.text.mainHash === other.text.mainHash

/** Whether two pages have equal text, or at least equal titles. */
const isSame = (page: ReadPage, other: ReadPage): boolean => {
  const title = folded(page.visit.facts.title)
  return hasSameText(page, other) || (title !== null && title === folded(other.visit.facts.title))
}

/** An eligible page with its URL's meaning, and whether `endless_addresses` reports its session ids. */
interface Meant {
  readonly page: ReadPage
  readonly key: string
  readonly isEndless: boolean
}

/** Session ids with enough URLs for `endless_addresses`. */
const endlessSessions = ({ pages }: AnalysedSite): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const { url } of pages) {
    const session = sessionOf(new URL(url))
    if (session !== null) counts.set(session, (counts.get(session) ?? 0) + 1)
  }
  return new Set([...counts].flatMap(([session, count]) => (count >= enoughSessions ? [session] : [])))
}

/** The eligible pages by URL, and by the meaning of their URL. */
const meanings = perSite((site) => {
  const sessions = eligible(site).map(({ url }) => sessionOf(new URL(url)))
  const endless = sessions.some((session) => session !== null) ? endlessSessions(site) : new Set<string>()
  const all = eligible(site).map((page, index): Meant => {
    const session = sessions[index] ?? null
    return { page, key: twinKey(page.url), isEndless: session !== null && endless.has(session) }
  })
  return { byUrl: new Map(all.map((each) => [each.page.url, each])), groups: groupedBy(all, ({ key }) => key) }
})

/** Whether another URL shows the same page, because all meaningful parts are equal: `address_twins` reports both, and duplicate checks do not. */
export const isTwin = (page: ReadPage, url: string, site: AnalysedSite): boolean => {
  const { byUrl } = meanings(site)
  const [one, other] = [byUrl.get(page.url), byUrl.get(url)]
  return one !== undefined && other !== undefined && one.key === other.key && isSame(one.page, other.page)
}

/** The other URLs of an eligible page that no other check reports. */
const twinsOf = ({ url }: ReadPage, site: AnalysedSite): ReadonlyArray<string> => {
  const { byUrl, groups } = meanings(site)
  const own = byUrl.get(url)
  if (own === undefined || own.isEndless) return []
  return (groups.get(own.key) ?? []).flatMap(({ isEndless, page }) =>
    page !== own.page && !isEndless && isSame(own.page, page) ? [page.url] : []
  )
}

/** Checks of pages with several URLs. */
export const addressTwins: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "address_twins",
      name: "Duplicate URLs of one page",
      category: "content",
      severity: "info",
      means:
        "The page has several URLs that differ only in an index file, a trailing slash, a session id or a tracking parameter.",
      fix: "Choose one URL, and redirect or canonicalize the others to it.",
      source: "Google Search Central, What is canonicalization; How to specify a canonical URL",
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "Search engines choose a URL themselves, and links to the others count less.",
        goal: "Make each listed page available at one URL",
        find: "Find what links to the other URLs (navigation, sitemap or canonicals), and why the server serves both.",
        steps: [
          "Choose the URL that the sitemap and most links use.",
          "Redirect the others to it with 301, or set their canonical to it if they must stay.",
          "Link only to that URL. Keep sessions in cookies, and tracking parameters out of internal links."
        ],
        never: "give each URL a canonical to itself"
      }
    },
    (page, site) => {
      const twins = twinsOf(page, site)
      const [first] = twins
      return first === undefined ? null : `also at ${some(twins)}: they differ in ${difference(page.url, first)}`
    },
    { among: isEligible, precondition: sawEverything, nothing: "no page is indexable" }
  )
]
