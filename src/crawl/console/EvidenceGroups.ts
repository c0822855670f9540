import { plural } from "../../foundation/text/Words.ts"
import type { EvidenceItem, Finding } from "../report/Finding.ts"
import type { FaultPlace } from "../report/PagePlace.ts"

/** Evidence that is the same on one page or on several. */
export interface EvidenceGroup {
  /** One of the items that say so. */
  readonly item: EvidenceItem
  /** How many pages have it. */
  readonly count: number
  /** Those that are known by name, in the order of the finding: of a site-wide cause five at most. */
  readonly urls: ReadonlyArray<string>
}

/** How many pages of a group a report names at once. */
export const shownUrls = 5

const groupOf = (items: readonly [EvidenceItem, ...ReadonlyArray<EvidenceItem>]): EvidenceGroup => {
  const [item] = items
  const shared = item.shared_by ?? items.length
  return { item, count: shared, urls: item.sample ?? items.map(({ url }) => url) }
}

const keyOf = ({ detail, markup, place, sample, shared_by, url, value }: EvidenceItem): string =>
  JSON.stringify([detail, value, markup, place, shared_by === undefined ? null : [url, sample]])

/** The evidence of a finding by what it says, the most frequent first. */
export const groupsOf = ({ evidence: { items } }: Finding): ReadonlyArray<EvidenceGroup> => {
  const groups = new Map<string, [EvidenceItem, ...Array<EvidenceItem>]>()
  for (const item of items) {
    const key = keyOf(item)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [item])
    else known.push(item)
  }
  return [...groups.values()].map(groupOf).toSorted((a, b) => b.count - a.count)
}

const places: Readonly<Record<FaultPlace, string>> = {
  header: "in the header",
  nav: "in the navigation",
  main: "in the main content",
  footer: "in the footer",
  head: "in the head",
  sitemap: "in the sitemap",
  robots: "in robots.txt"
}

/** The value at fault, unless the detail quotes it already. */
export const valueOf = ({ detail, value }: EvidenceItem): string | null =>
  value === undefined || detail.includes(value) ? null : value

/** What is said of one URL, with the place where it stands; the line of a site-wide cause names its place itself. */
export const saidOf = ({ detail, place, shared_by }: EvidenceItem): string =>
  [detail, ...(place === undefined || shared_by !== undefined ? [] : [places[place]])]
    .filter((part) => part !== "")
    .join(", ")

/** Whom a group of several pages concerns. */
export const headOf = ({ count, item }: EvidenceGroup): string =>
  item.shared_by !== undefined && item.detail !== ""
    ? item.detail
    : `${plural(count, "URL")}${saidOf(item) === "" ? "" : `: ${saidOf(item)}`}`
