import type { HeaderFacts } from "../page/HeaderFacts.ts"
import type { PageLink } from "../page/LinkFacts.ts"
import type { PageFacts } from "../page/PageFacts.ts"

/** Of the facts of a page those that the run goes on to use; the others are let go with the page. */
export interface KeptFacts extends Omit<PageFacts, "images" | "links" | "mentions" | "metas" | "relations" | "social"> {
  readonly links: ReadonlyArray<KeptLink>
  /** Pages that `rel=next` names, in the head or the body. */
  readonly next: ReadonlyArray<string>
  /** False when the document has more links than the run follows and judges. */
  readonly hasAllLinks: boolean
}

export type KeptLink = Pick<PageLink, "isNamed" | "isToggle" | "kind" | "nofollow" | "raw" | "target" | "text">

const keptLink = ({ isNamed, isToggle, kind, nofollow, raw, target, text }: PageLink): KeptLink => ({
  isNamed,
  isToggle,
  kind,
  nofollow,
  raw,
  target,
  text
})

/** Links of one page that the run follows and judges. */
const maxLinks = 1000

/** Room for the links of one page, its language alternates, and each other list, in characters as JSON. */
const roomForLinks = 524_288
const roomForHreflangs = 131_072
const room = 32_768

/** The first items of a list that fit into so many characters. */
const fitting = <T>(items: ReadonlyArray<T>, characters: number): ReadonlyArray<T> => {
  let left = characters
  const end = items.findIndex((item) => {
    left -= JSON.stringify(item).length
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
  const links = fitting(found.slice(0, maxLinks).map(keptLink), roomForLinks)
  return { links, hasAllLinks: facts.linkCount === facts.links.length && links.length === found.length }
}

/** The facts that the run keeps of a page that was read. */
export const keptFacts = (page: PageFacts): KeptFacts => {
  const { images, mentions, metas, relations, social, ...facts } = page
  return {
    ...facts,
    ...keptLinks(page),
    canonicals: fitting(facts.canonicals, room),
    descriptions: fitting(facts.descriptions, room),
    headings: fitting(facts.headings, room),
    hreflangs: fitting(facts.hreflangs, roomForHreflangs),
    next: fitting(
      relations.flatMap(({ rel, url }) => (rel.includes("next") && url !== null ? [url] : [])),
      room
    ),
    insecureResources: fitting(facts.insecureResources, room),
    resources: fitting(facts.resources, room),
    robots: fitting(facts.robots, room),
    structuredData: fitting(facts.structuredData, room)
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
