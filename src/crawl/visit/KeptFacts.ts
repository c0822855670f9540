import type { HeaderFacts } from "../page/HeaderFacts.ts"
import type { PageLink } from "../page/LinkFacts.ts"
import type { PageFacts } from "../page/PageFacts.ts"

/** Of the facts of a page those that the run goes on to use; the others are let go with the page. */
export interface KeptFacts extends Omit<PageFacts, "images" | "links" | "mentions" | "metas" | "relations" | "social"> {
  readonly links: ReadonlyArray<KeptLink>
}

export type KeptLink = Pick<PageLink, "kind" | "nofollow" | "raw" | "target" | "text">

const keptLink = ({ kind, nofollow, raw, target, text }: PageLink): KeptLink => ({ kind, nofollow, raw, target, text })

/** Links of one page that the run follows and judges; as many URLs as a run lists at all. */
export const maxLinks = 2000

/** Room for the links of one page and for each other list, in characters as JSON: fifty pages shall fit into memory. */
const roomForLinks = 655_360
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

/** The facts that the run keeps of a page that was read. */
export const keptFacts = ({ images, mentions, metas, relations, social, ...facts }: PageFacts): KeptFacts => ({
  ...facts,
  canonicals: fitting(facts.canonicals, room),
  descriptions: fitting(facts.descriptions, room),
  headings: fitting(facts.headings, room),
  hreflangs: fitting(facts.hreflangs, room),
  insecureResources: fitting(facts.insecureResources, room),
  links: fitting(facts.links.slice(0, maxLinks).map(keptLink), roomForLinks),
  resources: fitting(facts.resources, room),
  robots: fitting(facts.robots, room),
  structuredData: fitting(facts.structuredData, room)
})

/** The facts that the run keeps of the headers: references that are short as written can be long once they are resolved. */
export const keptHeaderFacts = (facts: HeaderFacts): HeaderFacts => ({
  ...facts,
  canonicals: fitting(facts.canonicals, room),
  hreflangs: fitting(facts.hreflangs, room),
  robotsTags: fitting(facts.robotsTags, room)
})
