import type { KeptLink } from "../visit/KeptFacts.ts"

/** Addresses of which links are remembered; the links to others are kept as they come. */
const maxAddresses = 200_000
/** Links to one address that differ: most pages link to another in the words of their navigation. */
const maxVariants = 16

const addressOf = ({ raw, target }: KeptLink): string => (target.followable ? target.url : raw)

const isSame = (a: KeptLink, b: KeptLink): boolean =>
  a.raw === b.raw &&
  a.text === b.text &&
  a.kind === b.kind &&
  a.isNamed === b.isNamed &&
  a.isToggle === b.isToggle &&
  a.nofollow === b.nofollow &&
  a.place === b.place &&
  a.markup === b.markup &&
  (a.target.followable
    ? b.target.followable && a.target.url === b.target.url && a.target.fragment === b.target.fragment
    : !b.target.followable && a.target.reason === b.target.reason && a.target.detail === b.target.detail)

/** The links of a run, each kept once however many pages have it: the pages of a site share their navigation. */
export class SharedLinks {
  readonly #known = new Map<string, Array<KeptLink>>()

  /** The links of a page, each the one that an earlier page had where that is the same. */
  share(links: ReadonlyArray<KeptLink>): ReadonlyArray<KeptLink> {
    return links.map((link) => this.#first(link))
  }

  #first(link: KeptLink): KeptLink {
    const address = addressOf(link)
    const known = this.#known.get(address)
    if (known === undefined) {
      if (this.#known.size < maxAddresses) this.#known.set(address, [link])
      return link
    }
    const same = known.find((other) => isSame(link, other))
    if (same !== undefined) return same
    if (known.length < maxVariants) known.push(link)
    return link
  }
}
