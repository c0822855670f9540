import type { Visit } from "../visit/Visit.ts"

/** Pages that link to a URL are named up to this many, and all counted. */
export const maxLinkers = 10

/** How the run came to know a URL. */
export type Via = "start" | "link" | "redirect" | "reference" | "sitemap"

/** How a URL was met. */
export interface Meeting {
  readonly via: Via
  readonly depth: number | null
  readonly from: string | null
  readonly text: string | null
  readonly hops: number
}

/** All that one run knows about one URL; the engine fills it in, in an order that no network timing changes. */
export interface UrlRecord {
  readonly url: string
  readonly via: Via
  /** Clicks from the start; null when no link path is known. */
  depth: number | null
  /** Redirects that led here in a row. */
  readonly hops: number
  /** Distinct pages that link here, in the order they were read; the first of them are listed. */
  readonly linkedFrom: Array<string>
  linkedFromCount: number
  lastLinker: string | null
  anchorText: string | null
  inSitemap: boolean
  /** Set when the frontier left it out for good. */
  trapped: boolean
  /** Set while the URL is outside of the part that the run covers; such a record is left out too. */
  aside: boolean
  visit: Visit | null
}
