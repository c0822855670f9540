import type { Visit } from "../visit/Visit.ts"
import { maxHops, type Scope } from "../visit/Visitor.ts"
import { addressOf, earlierOf, type Kind, Kinds, laterOf, type Turn, turnOf, turns, type Via } from "./Traps.ts"

/** Linking pages listed per URL; further ones are only counted. */
export const maxLinkers = 10

/** Whether a link led to it, of the server's or of a script's. */
const isByLink = (via: Via): boolean => via === "link" || via === "nofollow" || via === "rendered"

/** How the crawl met a URL. */
export interface Meeting {
  readonly via: Via
  readonly depth: number | null
  readonly from: string | null
  readonly text: string | null
  readonly hops: number
}

/** All knowledge of one crawl about one URL; the engine fills it in, in an order independent of network timing. */
export interface UrlRecord {
  readonly url: string
  readonly via: Via
  /** Clicks from the start; null without a known link path. */
  depth: number | null
  /** Consecutive redirects that led here. */
  readonly hops: number
  /** Distinct pages that link here, in reading order; only the first ones are listed. */
  readonly linkedFrom: Array<string>
  linkedFromCount: number
  lastLinker: string | null
  anchorText: string | null
  inSitemap: boolean
  /** Set while only head elements, `Link` headers or redirects name the URL; a link, a sitemap or the caller unsets it. */
  isOnlyReferred: boolean
  /** Kind of the URL; null for the start and its redirects, which are always requested. */
  kind: Kind | null
  /** The earliest turn by any mention; null before a mention that gives a turn. */
  named: Turn | null
  /** The turn that the URL waits for; null when it has none. */
  turn: Turn | "taken" | null
  /** Set when statements about the whole site leave the URL out, unless the crawl requests it. */
  trapped: boolean
  /** Set while the URL is outside of the crawled part; such a record is left out too. */
  aside: boolean
  visit: Visit | null
}

/** A record of a new URL; the start and its redirects are always requested. */
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
  isOnlyReferred: true,
  kind,
  named: null,
  turn: kind === null ? "taken" : null,
  trapped: kind !== null,
  aside: kind !== null,
  visit: null
})

/** The part of a site to crawl again. Redirect targets, canonicals and language versions of these URLs belong to it. */
export interface Only {
  readonly urls: ReadonlyArray<string>
  /** URLs that also add their links to the part. */
  readonly linksOf: ReadonlyArray<string>
  /** URLs whose images, styles, scripts and links to other sites are requested; default none. */
  readonly checksOf?: ReadonlyArray<string>
}

/** Whether a URL gets a turn when the crawl meets it. */
type Part = (url: string, meeting: Meeting) => boolean

/** The part of the site to crawl; without `only` the whole site. */
export const partOf = (only: Only | undefined): Part => {
  if (only === undefined) return () => true
  const [urls, linksOf] = [new Set(only.urls), new Set(only.linksOf)]
  return (url, { from, via }) => {
    if (urls.has(url) || via === "redirect") return true
    if (from === null) return false
    return isByLink(via) ? linksOf.has(from) : via === "reference" && urls.has(from)
  }
}

/** Maximum records, or twice the page limit if that is more. Further URLs are only counted, so memory is bounded. */
export const maxRecords = 2000
const maxCounted = 200_000

/**
 * The URLs of the crawl in the order of their requests: breadth-first by discovery, then by document order, in turns. A URL is known from its first mention,
 * and has the earliest turn of all its mentions. Only the engine's in-order step fills the frontier, so the order depends on the site alone.
 */
export class Frontier {
  readonly #records = new Map<string, UrlRecord>()
  /** Number of left-out records: they may fill half as many records as pages do. */
  #outside = 0
  readonly #counted = new Set<string>()
  /** Left-out URLs without room for a record. */
  readonly #beyond = new Map<string, Kind>()
  readonly #queues = new Map<Turn, Array<UrlRecord>>(turns.map((turn) => [turn, []]))
  readonly #sets = new Map<string, Array<UrlRecord>>()
  readonly #kinds: Kinds
  readonly #room: number
  readonly #part: Part
  #current: Turn = "link"

  constructor(maxPages: number, part: Part = () => true, leftOut: Scope["leftOut"] = () => null) {
    this.#part = part
    this.#room = Math.max(maxRecords, 2 * maxPages)
    this.#kinds = new Kinds(maxPages, leftOut)
  }

  /** Every record in the order of meeting. */
  records(): ReadonlyArray<UrlRecord> {
    return [...this.#records.values()]
  }

  find(url: string): UrlRecord | undefined {
    return this.#records.get(url)
  }

  /** Number of URLs beyond the cap of records. */
  unlisted(): number {
    return this.#counted.size
  }

  discovered(): number {
    return this.#records.size + this.#counted.size
  }

  /** Left-out URLs beyond the cap of records. */
  beyond(): ReadonlyMap<string, Kind> {
    return this.#beyond
  }

  /** Notes a URL and gives it its turn; `url` is normalized and on the site. */
  meet(url: string, meeting: Meeting): UrlRecord | null {
    const record = this.#records.get(url) ?? this.#create(url, meeting)
    if (record === null) return null
    const { depth, from, text, via } = meeting
    if (via === "sitemap") record.inSitemap = true
    if (via !== "redirect" && (via !== "reference" || from === null)) record.isOnlyReferred = false
    this.#give(record, meeting)
    if (depth !== null && record.depth === null) record.depth = depth
    if (isByLink(via) && from !== null && from !== url) this.#link(record, from, text)
    return record
  }

  /** The next URL to request in the open turns; an earlier turn goes first, even for a later mention. */
  next(): UrlRecord | undefined {
    for (const turn of turns) {
      for (let record = this.#shift(turn); record !== undefined; record = this.#shift(turn)) {
        this.#settle(record, this.#reviewed(record))
        if (record.turn !== turn) continue
        record.turn = "taken"
        return record
      }
      if (turn === this.#current) break
    }
    return undefined
  }

  /** Opens the next turn; false when no URL is left. Call it only after all earlier URLs were read. */
  turn(): boolean {
    const waiting = turns.find((turn) => this.#queue(turn).some((record) => record.turn === turn))
    this.#current = waiting ?? this.#current
    return waiting !== undefined
  }

  /** Notes that a URL is its own canonical, so the parameter sets of its path count as pages. */
  namesItself(url: string): void {
    if (!url.includes("?")) return
    const { address, plain } = addressOf(new URL(url))
    if (address === plain || !this.#kinds.free(plain)) return
    for (const record of this.#sets.get(plain) ?? []) {
      const { kind, turn } = record
      if (kind?.set == null || turn === "taken") continue
      this.#settle(record, this.#kinds.asPage(record.url, kind))
    }
    for (const [other, kind] of this.#beyond) {
      if (kind.plain !== plain || kind.set === null) continue
      this.#beyond.delete(other)
      this.#counted.add(other)
    }
  }

  #queue(turn: Turn): Array<UrlRecord> {
    return this.#queues.get(turn) ?? []
  }

  /** The first record that waits for a turn; skips records with an earlier turn by now. */
  #shift(turn: Turn): UrlRecord | undefined {
    const queue = this.#queue(turn)
    let record = queue.shift()
    while (record !== undefined && record.turn !== turn) record = queue.shift()
    return record
  }

  /** Gives a URL its turn, or an earlier one, if the crawl covers it. */
  #give(record: UrlRecord, meeting: Meeting): void {
    const { hops, via } = meeting
    const named = turnOf[via]
    if (record.kind === null || record.turn === "taken") return
    // Most URLs appear again in the same way, on each page with the navigation.
    if (record.named === named && via !== "redirect") return
    if (record.aside && !this.#part(record.url, meeting)) return
    record.aside = false
    if (hops > maxHops) return
    record.named = record.named === null ? named : earlierOf(record.named, named)
    this.#settle(record, this.#kinds.named(record.url, record.kind, via))
  }

  /** The kind of a record at its turn: the crawl may have met its equivalent URL in the meantime. */
  #reviewed({ kind, url }: UrlRecord): Kind | null {
    if (kind === null) return null
    if (kind.address !== url && kind.turn !== "variant" && this.#records.has(kind.address))
      return this.#kinds.asVariation(url, kind)
    const isKnownWithout = kind.set === "first" && this.#records.has(kind.plain)
    return isKnownWithout ? { ...kind, turn: "set" } : kind
  }

  #settle(record: UrlRecord, kind: Kind | null): void {
    if (kind === null) return
    if (record.kind !== null) this.#outside += Number(kind.isOutside) - Number(record.kind.isOutside)
    record.kind = kind
    const turn = kind.turn === null || record.named === null ? null : laterOf(kind.turn, record.named)
    record.trapped = turn === null || kind.isOutside
    if (turn === record.turn) return
    record.turn = turn
    if (turn !== null) this.#queue(turn).push(record)
  }

  #create(url: string, meeting: Meeting): UrlRecord | null {
    if (this.#counted.has(url) || this.#beyond.has(url)) return null
    const kind = meeting.via === "start" ? null : this.#kinds.kindOf(url, meeting.via)
    const isOutside = kind?.isOutside === true
    const pages = this.#records.size - this.#outside
    if (isOutside ? this.#outside >= this.#room / 2 : pages >= this.#room) {
      if (this.#counted.size + this.#beyond.size >= maxCounted) return null
      if (kind !== null && isOutside) this.#beyond.set(url, kind)
      else this.#counted.add(url)
      return null
    }
    const record = newRecord(url, meeting, kind)
    this.#records.set(url, record)
    if (kind === null) return record
    if (isOutside) this.#outside += 1
    this.#kinds.enter(kind)
    const sets = this.#sets.get(kind.plain)
    if (kind.set !== null && sets === undefined) this.#sets.set(kind.plain, [record])
    else if (kind.set !== null) sets?.push(record)
    return record
  }

  #link(record: UrlRecord, from: string, text: string | null) {
    // The links of one page arrive one after another, so comparing with the last linker suffices.
    if (record.lastLinker === from) return
    if (record.linkedFromCount === 0) record.anchorText = text
    record.lastLinker = from
    record.linkedFromCount += 1
    if (record.linkedFrom.length < maxLinkers) record.linkedFrom.push(from)
  }
}
