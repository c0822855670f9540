import type { Lost } from "../fetch/Fetcher.ts"
import type { HeaderFacts } from "../page/Headers.ts"
import type { HeadingFacts } from "../page/Images.ts"
import type { PageFacts } from "../page/Page.ts"
import type { PagePart } from "../page/Resources.ts"
import { keep } from "../page/Text.ts"
import { provesOwnership, saysNotFound, type TextFacts } from "../page/Texts.ts"
import type { CanonicalLink, HreflangLink, PageLink } from "../page/UrlIdentity.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import type { Attempt, FetchState, HealthReason, RobotsLine } from "../report/MeasuredPage.ts"
import type { PageRendering } from "../report/Rendering.ts"

/** Kept text values, without the excerpt, which is as long as all other facts of a page together. */
export type KeptText = Omit<TextFacts, "excerpt">

type Same =
  | (
      | "asksForScripts"
      | "doctype"
      | "encoding"
      | "fragments"
      | "imageCount"
      | "imagesWithoutAlt"
      | "imagesWithoutSize"
      | "lang"
      | "noscript"
      | "parsedWholly"
    )
  | ("openGraph" | "quirks" | "refresh" | "scripts" | "title" | "titleInHead" | "titles" | "url" | "viewport")

type Lists =
  | "canonicals"
  | "dataFaults"
  | "descriptions"
  | "hreflangs"
  | "insecureResources"
  | "muteButtons"
  | "muteImages"
  | "parts"
  | "resourcesWithCredentials"
  | "robots"
  | "structuredData"
  | "unsizedImages"

/** The facts of a page that the crawl keeps; the others are dropped with the page. */
export interface KeptFacts extends Pick<PageFacts, Same | Lists> {
  readonly text: KeptText
  /** Whether the beginning of the main text says that something was not found. */
  readonly saysNotFound: boolean
  readonly provesOwnership: boolean
  /** Texts of the first-level headings. */
  readonly firstHeadings: ReadonlyArray<string>
  /** Texts of the second-level headings, one per line, because pages have many. */
  readonly secondHeadings: string
  readonly hasResources: boolean
  readonly links: ReadonlyArray<KeptLink>
  /** Targets of `link rel=next` elements, in the head or the body. */
  readonly next: ReadonlyArray<{ readonly raw: string; readonly url: string }>
  /** False when the document has more links than the crawl follows and checks. */
  readonly hasAllLinks: boolean
}

export type KeptLink = Pick<
  PageLink,
  "isNamed" | "isToggle" | "kind" | "markup" | "nofollow" | "place" | "raw" | "tag" | "target" | "text"
>

const keptLink = (link: PageLink): KeptLink => {
  const { isNamed, isToggle, kind, markup, nofollow, place, raw, tag, target, text } = link
  return { isNamed, isToggle, kind, markup, nofollow, place, raw, tag, target, text }
}

/** Maximum links of one page to follow and check. */
const maxLinks = 4000

/** Maximum characters as JSON of one page's links, of its language alternates, its parts, each other list, and its buttons without a name. */
const roomForLinks = 524_288
const roomForHreflangs = 131_072
const roomForParts = 131_072
const room = 32_768
const roomForButtons = 8_192

const asJson = (item: unknown): number => JSON.stringify(item).length

/** The JSON size of a link or part, estimated without writing it. */
const ofLink = ({ markup, raw, target, text }: KeptLink): number =>
  160 + raw.length + text.length + (target.followable ? target.url : target.detail).length + (markup?.length ?? 0)
const ofPart = ({ link, raw, tag, url }: PagePart): number =>
  80 + url.length + raw.length + tag.length + (link?.length ?? 0)

/** The first items of a list that fit into `characters`. */
const fitting = <T>(
  items: ReadonlyArray<T>,
  characters: number,
  sizeOf: (item: T) => number = asJson
): ReadonlyArray<T> => {
  let left = characters
  const end = items.findIndex((item) => {
    left -= sizeOf(item)
    return left < 0
  })
  return end === -1 ? items : items.slice(0, end)
}

/** All links of a page, or, if there are too many, the first ones that differ for checks. */
const telling = (links: ReadonlyArray<PageLink>): ReadonlyArray<PageLink> => {
  if (links.length <= maxLinks) return links
  const seen = new Set<string>()
  return links.filter(({ isNamed, nofollow, raw, target }) => {
    const known = seen.size
    return seen.add(`${nofollow} ${isNamed} ${target.followable ? target.url : raw}`).size > known
  })
}

/** The links with start tags while there is room: links are more important than their attributes. */
const withTags = (links: ReadonlyArray<KeptLink>): ReadonlyArray<KeptLink> => {
  let left = links.reduce((room, link) => room - ofLink(link), roomForLinks)
  return links.map((link) => {
    left -= link.tag?.length ?? 0
    return left < 0 && link.tag !== null ? { ...link, tag: null } : link
  })
}

const keptLinks = (facts: PageFacts): Pick<KeptFacts, "links" | "hasAllLinks"> => {
  const found = telling(facts.links)
  const links = withTags(fitting(found.slice(0, maxLinks).map(keptLink), roomForLinks, ofLink))
  return { links, hasAllLinks: facts.linkCount === facts.links.length && links.length === found.length }
}

const textsOf = (headings: ReadonlyArray<HeadingFacts>, wanted: number): ReadonlyArray<string> =>
  headings.flatMap(({ level, text }) => (level === wanted ? [text] : []))

/** The facts to keep of a read page. */
export const keptFacts = (page: PageFacts): KeptFacts => {
  const { excerpt, ...text } = page.text
  const headings = fitting(page.headings, room)
  return {
    asksForScripts: page.asksForScripts,
    canonicals: fitting(page.canonicals, room),
    dataFaults: page.dataFaults,
    descriptions: fitting(page.descriptions, room),
    doctype: page.doctype,
    encoding: page.encoding,
    firstHeadings: fitting(textsOf(page.headings, 1), room),
    fragments: page.fragments,
    hasResources: page.resources.length > 0,
    hreflangs: fitting(page.hreflangs, roomForHreflangs),
    imageCount: page.imageCount,
    imagesWithoutAlt: page.imagesWithoutAlt,
    imagesWithoutSize: page.imagesWithoutSize,
    insecureResources: fitting(page.insecureResources, room),
    lang: page.lang,
    muteButtons: fitting(page.muteButtons, roomForButtons),
    muteImages: fitting(page.muteImages, room),
    noscript: { ...page.noscript, elements: fitting(page.noscript.elements, roomForButtons) },
    next: fitting(
      page.relations.flatMap(({ raw, rel, url }) => (rel.includes("next") && url !== null ? [{ raw, url }] : [])),
      room
    ),
    openGraph: page.openGraph,
    parsedWholly: page.parsedWholly,
    parts: fitting(page.parts, roomForParts, ofPart),
    provesOwnership: provesOwnership(excerpt),
    quirks: page.quirks,
    refresh: page.refresh,
    resourcesWithCredentials: fitting(page.resourcesWithCredentials, roomForButtons),
    robots: fitting(page.robots, room),
    saysNotFound: saysNotFound(excerpt),
    scripts: page.scripts,
    secondHeadings: keep(textsOf(headings, 2).join("\n"), room),
    structuredData: fitting(page.structuredData, room),
    text,
    title: page.title,
    titleInHead: page.titleInHead,
    titles: page.titles,
    unsizedImages: page.unsizedImages,
    url: page.url,
    viewport: page.viewport,
    ...keptLinks(page)
  }
}

/** The facts to keep of the headers: short references can become long when resolved. */
export const keptHeaderFacts = (facts: HeaderFacts): HeaderFacts => ({
  ...facts,
  canonicals: fitting(facts.canonicals, room),
  hreflangs: fitting(facts.hreflangs, roomForHreflangs),
  next: fitting(facts.next, room),
  robotsTags: fitting(facts.robotsTags, room)
})

/** The target of a redirect. */
export interface RedirectTarget {
  /** Normalized target, or the reference as sent if it is no http(s) URL; null without a followable target. */
  readonly to: string | null
  /** The Location has a user name or a password, so it is never requested. */
  readonly hasCredentials: boolean
  /** The fragment of a Location; null without one, so the link's fragment stays (RFC 9110 §10.2.2), and null for a refresh. */
  readonly fragment: string | null
  readonly internal: boolean
  /** 301, 308 and an immediate refresh are permanent. */
  readonly permanent: boolean
  /** The redirect came back to the same URL with the same cookies, or never settled. */
  readonly loop: boolean
}

/** The scripts of a page, with values for findings alone. */
export interface Scripted {
  readonly report: PageRendering
  /** The template of the page. */
  readonly template: string
  /** Whether it has almost no text and links without its scripts. */
  readonly isShell: boolean
  /** The links of the HTML that the server sends, which are followed first; null unless the page was rendered. */
  readonly rawLinks: ReadonlyArray<KeptLink> | null
  /** URLs of the site with links in one of the two versions alone; empty unless the page was rendered. */
  readonly linksOnlyRendered: ReadonlyArray<string>
  readonly linksOnlyRaw: ReadonlyArray<string>
  /** URLs of the site with links that lose their nofollow by scripts. */
  readonly nofollowRemoved: ReadonlyArray<string>
  /** Types of structured data that only the rendered page has. */
  readonly typesOnlyRendered: ReadonlyArray<string>
  readonly wordsOnlyRendered: number
  /** Scripts, styles and data that failed twice. */
  readonly failed: ReadonlyArray<{ readonly url: string; readonly why: string }>
  /** Scripts, styles and data that robots.txt blocks for Googlebot. */
  readonly blocked: ReadonlyArray<string>
  /** Whether a script removes the noindex of the page. */
  readonly isNoindexRemoved: boolean
}

/** The kept facts of one visited URL, without its body. */
export interface Visit {
  readonly attempts: ReadonlyArray<Attempt>
  /** Why the last attempt brought no response; null when it did. */
  readonly lost: Lost | null
  readonly fetchState: FetchState
  readonly status: number | null
  /** The reason when the exchange alone decides it (unchecked, blocked); null when the response needs a check. */
  readonly reason: HealthReason | null
  readonly redirect: RedirectTarget | null
  /** An immediate refresh to another URL, which search engines read as a permanent redirect. */
  readonly refresh: RedirectTarget | null
  /** The line of robots.txt that forbids the request; for a requested URL, the line that shuts Googlebot out. */
  readonly robotsLine: RobotsLine | null
  /** The facts of an HTML response below 300, after its scripts if it was rendered; null for others. */
  readonly facts: KeptFacts | null
  /** The scripts of the page; null without any. */
  readonly scripted: Scripted | null
  readonly headerFacts: HeaderFacts | null
  /** The `Content-Type` as sent. */
  readonly contentType: string | null
  readonly millis: number | null
  /** Milliseconds from the request to the first byte, without the connection. */
  readonly firstByteMillis: number | null
  readonly bytes: number | null
  /** Responses of the URLs behind a redirect that set cookies, maybe including this one, to requests with those cookies. */
  readonly withCookies: ReadonlyMap<string, Visit>
  /** Only the first 2 MiB of the page were parsed. */
  readonly cut: boolean
  /** Why the crawl ended before all requests that the verdict needs; null when it did not. */
  readonly cutBy: OutOfTime["reason"] | null
}

const noVisits: ReadonlyMap<string, Visit> = new Map()

/** A visit without a request. */
export const unasked = (fetchState: FetchState, reason: HealthReason, robotsLine: RobotsLine | null = null): Visit => ({
  attempts: [],
  lost: null,
  fetchState,
  status: null,
  reason,
  redirect: null,
  refresh: null,
  robotsLine,
  facts: null,
  scripted: null,
  headerFacts: null,
  contentType: null,
  millis: null,
  firstByteMillis: null,
  bytes: null,
  withCookies: noVisits,
  cut: false,
  cutBy: null
})

/** The canonicals of a response, in its document and in its headers. */
export const canonicalsOf = (visit: Visit): ReadonlyArray<CanonicalLink> => [
  ...(visit.facts?.canonicals ?? []),
  ...(visit.headerFacts?.canonicals ?? [])
]

/** The language versions of a response, in its document and in its headers. */
export const hreflangsOf = (visit: Visit): ReadonlyArray<HreflangLink> => [
  ...(visit.facts?.hreflangs ?? []),
  ...(visit.headerFacts?.hreflangs ?? [])
]

/** Whether this crawler requested a URL that Googlebot may not read. */
export const isShutOut = ({ attempts, robotsLine }: Visit): boolean => attempts.length > 0 && robotsLine !== null

/** Whether the page may have more content than the crawl saw. */
export const isReadInPart = ({ cut, facts }: Visit): boolean =>
  facts !== null && (cut || !facts.parsedWholly || !facts.hasAllLinks)

/** Remark on a page that was read in part. */
export const inPart = "only a part of the document was read"
