import type { Visit } from "../visit/Visit.ts"
import type { Kind } from "./Kinds.ts"
import type { Turn, Via } from "./Turn.ts"

/** Pages that link to a URL are named up to this many, and all counted. */
export const maxLinkers = 10

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
  /** What kind of address it is; null for the start and its redirects, which are asked whatever they are. */
  kind: Kind | null
  /** The earliest turn by which it was named; null while nothing has named it that gives it one. */
  named: Turn | null
  /** The turn that it waits for; null when it has none. */
  turn: Turn | "taken" | null
  /** Set while it stands outside of what the run says of the whole site, unless it is asked all the same. */
  trapped: boolean
  /** Set while the URL is outside of the part that the run covers; such a record is left out too. */
  aside: boolean
  visit: Visit | null
}

/** A URL that was met for the first time; what the start leads to is asked whatever it is. */
export const newRecord = (url: string, { depth, hops, via }: Meeting, kind: Kind | null): UrlRecord => ({
  url,
  via,
  depth,
  hops,
  linkedFrom: [],
  linkedFromCount: 0,
  lastLinker: null,
  anchorText: null,
  inSitemap: false,
  kind,
  named: null,
  turn: kind === null ? "taken" : null,
  trapped: kind !== null,
  aside: kind !== null,
  visit: null
})
