import type { HeaderFacts } from "../page/HeaderFacts.ts"
import type { HeadingFacts } from "../page/Images.ts"
import type { PageLink } from "../page/LinkFacts.ts"
import type { PageFacts } from "../page/PageFacts.ts"
import type { PagePart } from "../page/Resources.ts"
import { keep } from "../page/Strings.ts"
import { provesOwnership, saysNotFound, type TextFacts } from "../page/TextFacts.ts"

/** What is kept of the text: its excerpt is as long as all other facts of a page together. */
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
  | "robots"
  | "structuredData"
  | "unsizedImages"

/** Of the facts of a page those that the run goes on to use; the others are let go with the page. */
export interface KeptFacts extends Pick<PageFacts, Same | Lists> {
  readonly text: KeptText
  /** Whether the beginning of its main text says that something was not found. */
  readonly saysNotFound: boolean
  readonly provesOwnership: boolean
  /** Texts of the first-level headings. */
  readonly firstHeadings: ReadonlyArray<string>
  /** Texts of the second-level headings, a line each: pages have many of them. */
  readonly secondHeadings: string
  readonly hasResources: boolean
  readonly links: ReadonlyArray<KeptLink>
  /** Pages that `rel=next` names, in the head or the body. */
  readonly next: ReadonlyArray<string>
  /** False when the document has more links than the run follows and judges. */
  readonly hasAllLinks: boolean
}

export type KeptLink = Pick<
  PageLink,
  "isNamed" | "isToggle" | "kind" | "markup" | "nofollow" | "place" | "raw" | "target" | "text"
>

const keptLink = (link: PageLink): KeptLink => {
  const { isNamed, isToggle, kind, markup, nofollow, place, raw, target, text } = link
  return { isNamed, isToggle, kind, markup, nofollow, place, raw, target, text }
}

/** Links of one page that the run follows and judges. */
const maxLinks = 4000

/** Room for the links of one page, its language alternates, its parts, each other list, and its buttons without a name, in characters as JSON. */
const roomForLinks = 524_288
const roomForHreflangs = 131_072
const roomForParts = 131_072
const room = 32_768
const roomForButtons = 8_192

const asJson = (item: unknown): number => JSON.stringify(item).length

/** The same of what most pages have much of, without writing it. */
const ofLink = ({ markup, raw, target, text }: KeptLink): number =>
  160 + raw.length + text.length + (target.followable ? target.url : target.detail).length + (markup?.length ?? 0)
const ofPart = ({ link, raw, url }: PagePart): number => 80 + url.length + raw.length + (link?.length ?? 0)

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

/** All links of a page, or of a page with too many the first ones that differ in what rules look at. */
const telling = (links: ReadonlyArray<PageLink>): ReadonlyArray<PageLink> => {
  if (links.length <= maxLinks) return links
  const seen = new Set<string>()
  return links.filter(({ isNamed, nofollow, raw, target }) => {
    const known = seen.size
    return seen.add(`${nofollow} ${isNamed} ${target.followable ? target.url : raw}`).size > known
  })
}

const keptLinks = (facts: PageFacts): Pick<KeptFacts, "links" | "hasAllLinks"> => {
  const found = telling(facts.links)
  const links = fitting(found.slice(0, maxLinks).map(keptLink), roomForLinks, ofLink)
  return { links, hasAllLinks: facts.linkCount === facts.links.length && links.length === found.length }
}

const textsOf = (headings: ReadonlyArray<HeadingFacts>, wanted: number): ReadonlyArray<string> =>
  headings.flatMap(({ level, text }) => (level === wanted ? [text] : []))

/** The facts that the run keeps of a page that was read. */
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
    next: fitting(
      page.relations.flatMap(({ rel, url }) => (rel.includes("next") && url !== null ? [url] : [])),
      room
    ),
    openGraph: page.openGraph,
    parsedWholly: page.parsedWholly,
    parts: fitting(page.parts, roomForParts, ofPart),
    provesOwnership: provesOwnership(excerpt),
    quirks: page.quirks,
    refresh: page.refresh,
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

/** The facts that the run keeps of the headers: references that are short as written can be long once they are resolved. */
export const keptHeaderFacts = (facts: HeaderFacts): HeaderFacts => ({
  ...facts,
  canonicals: fitting(facts.canonicals, room),
  hreflangs: fitting(facts.hreflangs, roomForHreflangs),
  next: fitting(facts.next, room),
  robotsTags: fitting(facts.robotsTags, room)
})
