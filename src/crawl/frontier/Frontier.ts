import type { Visit } from "../visit/Visit.ts"
import { maxHops, type Scope } from "../visit/Visitor.ts"
import { addressOf, earlierOf, type Kind, Kinds, laterOf, type Turn, turnOf, turns, type Via } from "./Traps.ts"

/** Pages that link to a URL are named up to this many, and all counted. */
export const maxLinkers = 10

/** Whether a link led to it, of the server's or of a script's. */
const isByLink = (via: Via): boolean => via === "link" || via === "nofollow" || via === "rendered"

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
  /** Set while head elements or `Link` headers of pages alone name it, or redirects lead here; a link, a sitemap or the caller unsets it. */
  isOnlyReferred: boolean
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
  isOnlyReferred: true,
  kind,
  named: null,
  turn: kind === null ? "taken" : null,
  trapped: kind !== null,
  aside: kind !== null,
  visit: null
})

/** The part of a site that is measured again. What these URLs redirect to, or name as canonical or language version, belongs to it. */
export interface Only {
  readonly urls: ReadonlyArray<string>
  /** Those of them whose links belong to it as well. */
  readonly linksOf: ReadonlyArray<string>
  /** Those of them whose images, styles, scripts and links to other sites are asked for; default none. */
  readonly checksOf?: ReadonlyArray<string>
}

/** Whether a URL that was met gets a turn. */
type Part = (url: string, meeting: Meeting) => boolean

/** The part of the site that a run looks at; without one it looks at all of it. */
export const partOf = (only: Only | undefined): Part => {
  if (only === undefined) return () => true
  const [urls, linksOf] = [new Set(only.urls), new Set(only.linksOf)]
  return (url, { from, via }) => {
    if (urls.has(url) || via === "redirect") return true
    if (from === null) return false
    return isByLink(via) ? linksOf.has(from) : via === "reference" && urls.has(from)
  }
}

/** Records kept of the pages met, or twice the pages of a run where that is more. Further URLs are only counted, so memory is bounded. */
export const maxRecords = 2000
const maxCounted = 200_000

/**
 * The URLs of the run in the order of their requests: breadth-first by discovery, then by document order, in turns. A URL is known from the moment it is met, and
 * has the earliest turn that anything gives it. It is filled only by the engine's in-order step, so the order depends on the site alone.
 */
export class Frontier {
  readonly #records = new Map<string, UrlRecord>()
  /** Of the records those that stand outside: they have room of their own, half of that of the pages. */
  #outside = 0
  readonly #counted = new Set<string>()
  /** Addresses outside for which there was no room. */
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

  /** URLs met beyond the cap of records. */
  unlisted(): number {
    return this.#counted.size
  }

  discovered(): number {
    return this.#records.size + this.#counted.size
  }

  /** Addresses met beyond the room for those that stand outside. */
  beyond(): ReadonlyMap<string, Kind> {
    return this.#beyond
  }

  /** Notes that a URL exists and gives it its turn; `url` is an identity on the site. */
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

  /** The next URL to ask for among those whose turn has come; what has an earlier turn goes first, also when it was met later. */
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

  /** Gives the next kind of URLs their turn; false when nothing is left. To be called only when all before was read. */
  turn(): boolean {
    const waiting = turns.find((turn) => this.#queue(turn).some((record) => record.turn === turn))
    this.#current = waiting ?? this.#current
    return waiting !== undefined
  }

  /** Takes in that a URL names itself canonical: so the parameter sets of its path are pages. */
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

  /** The first record that waits for a turn; those that have an earlier one by now are passed. */
  #shift(turn: Turn): UrlRecord | undefined {
    const queue = this.#queue(turn)
    let record = queue.shift()
    while (record !== undefined && record.turn !== turn) record = queue.shift()
    return record
  }

  /** Gives a URL its turn, or an earlier one, if the run looks at it. */
  #give(record: UrlRecord, meeting: Meeting): void {
    const { hops, via } = meeting
    const named = turnOf[via]
    if (record.kind === null || record.turn === "taken") return
    // Most addresses are named once more in the same way, on each page that has the navigation.
    if (record.named === named && via !== "redirect") return
    if (record.aside && !this.#part(record.url, meeting)) return
    record.aside = false
    if (hops > maxHops) return
    record.named = record.named === null ? named : earlierOf(record.named, named)
    this.#settle(record, this.#kinds.named(record.url, record.kind, via))
  }

  /** The kind of a record as it is when its turn has come: what it is another address of may have been met in the meantime. */
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
    // The links of one page are met one after another, so the last linker is the only one to compare with.
    if (record.lastLinker === from) return
    if (record.linkedFromCount === 0) record.anchorText = text
    record.lastLinker = from
    record.linkedFromCount += 1
    if (record.linkedFrom.length < maxLinkers) record.linkedFrom.push(from)
  }
}
