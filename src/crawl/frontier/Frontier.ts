import { maxHops } from "../visit/CookieRedirect.ts"
import type { Part } from "./Part.ts"
import { namesFile, patternOf, permutationKey, repeatsSegments, type TrapReason } from "./Trap.ts"
import { type Meeting, maxLinkers, type UrlRecord, type Via } from "./UrlRecord.ts"
import { calendarOf, steady } from "./Variation.ts"

/** Records kept of the URLs met, or twice the pages of a run where that is more. Further URLs are only counted, so memory is bounded. */
export const maxRecords = 2000
const maxCounted = 200_000

/** What makes URLs without end, and the pattern that they share. */
interface Trap {
  readonly reason: TrapReason
  readonly pattern: string
}

export interface TrapCount extends Trap {
  count: number
  readonly example: string
}

/** The order of turns when the links run dry: what the markup names, the sitemap, more of the same kind, files, and then what may have no end. */
const laterTurns = ["reference", "sitemap", "share", "file", "facets", "permutation", "calendar"] as const

/** Parameter sets of one path, and pages of one calendar, that have their turn among the other pages. */
const firstSets = 5
const firstDates = 3
type Turn = "now" | (typeof laterTurns)[number]

/** Where a URL stands in the order: its turn, null when it is never requested, and the trap that it looks like. */
interface Place {
  readonly turn: Turn | null
  readonly trap?: Trap
}

/**
 * The URLs of the run in the order of their requests: breadth-first by discovery, then by document order. A URL is
 * known from the moment it is met. It is filled only by the engine's in-order step, so the order depends on the site alone.
 */
export class Frontier {
  readonly #records = new Map<string, UrlRecord>()
  readonly #counted = new Set<string>()
  readonly #queues = new Map<Turn, Array<UrlRecord>>()
  readonly #shares = new Map<string, number>()
  readonly #permutations = new Set<string>()
  readonly #traps = new Map<string, TrapCount>()
  readonly #room: number
  readonly #share: number
  readonly #part: Part

  constructor(maxPages: number, part: Part = () => true) {
    this.#part = part
    this.#room = Math.max(maxRecords, 2 * maxPages)
    // A quarter of the run for one kind of page, until nothing else is left.
    this.#share = Math.max(10, Math.ceil(maxPages / 4))
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

  traps(): ReadonlyArray<TrapCount> {
    return [...this.#traps.values()]
  }

  /** Notes that a URL exists and, the first time, gives it its turn; `url` is an identity on the site. */
  meet(url: string, meeting: Meeting): UrlRecord | null {
    const record = this.#records.get(url) ?? this.#create(url, meeting)
    if (record === null) return null
    if (record.aside) this.#give(record, meeting)
    if (meeting.via === "sitemap") record.inSitemap = true
    if (meeting.depth !== null && record.depth === null) record.depth = meeting.depth
    if (meeting.via === "link" && meeting.from !== null && meeting.from !== url)
      this.#link(record, meeting.from, meeting.text)
    return record
  }

  /** The next URL to ask for among those whose turn is now. */
  next(): UrlRecord | undefined {
    return this.#queue("now").shift()
  }

  /** Gives the next kind of URLs their turn; false when nothing is left. To be called only when all before was read. */
  turn(): boolean {
    const turn = laterTurns.find((name) => this.#queue(name).length > 0)
    if (turn === undefined) return false
    this.#queues.set("now", [...this.#queue("now"), ...this.#queue(turn)])
    this.#queues.set(turn, [])
    return true
  }

  #queue(turn: Turn): Array<UrlRecord> {
    const queue = this.#queues.get(turn) ?? []
    this.#queues.set(turn, queue)
    return queue
  }

  /** Gives a URL its turn if the run looks at it; that another page names it later may still bring it one. */
  #give(record: UrlRecord, meeting: Meeting): void {
    record.aside = !this.#part(record.url, meeting)
    record.trapped = true
    if (record.aside || meeting.hops > maxHops) return
    const { trap, turn } = this.#placeOf(new URL(record.url), meeting.via)
    if (trap !== undefined) this.#countTrap(trap, record.url)
    record.trapped = turn === null
    if (turn !== null) this.#queue(turn).push(record)
  }

  #create(url: string, meeting: Meeting): UrlRecord | null {
    const { depth, hops, via } = meeting
    if (this.#records.size >= this.#room) {
      if (this.#counted.size < maxCounted) this.#counted.add(url)
      return null
    }
    const record: UrlRecord = {
      url,
      via,
      depth,
      hops,
      linkedFrom: [],
      linkedFromCount: 0,
      lastLinker: null,
      anchorText: null,
      inSitemap: false,
      trapped: false,
      aside: false,
      visit: null
    }
    this.#records.set(url, record)
    if (via !== "start") this.#give(record, meeting)
    return record
  }

  /** The place of a URL, by itself and by those of its kind that came before it. */
  #placeOf(url: URL, via: Via): Place {
    const pattern = patternOf(url)
    if (repeatsSegments(url)) return { turn: null, trap: { reason: "repeated_segments", pattern } }
    if (via === "redirect") return { turn: "now" }
    const key = permutationKey(url)
    if (this.#permutations.has(key)) {
      const reason = steady(url).varies?.kind === "session" ? "session_id" : "query_permutation"
      return { turn: "permutation", trap: { reason, pattern } }
    }
    this.#permutations.add(key)
    const calendar = calendarOf(url)
    if (calendar !== null && this.#count(calendar) > firstDates)
      return { turn: "calendar", trap: { reason: "calendar", pattern: calendar } }
    const share = this.#count(pattern)
    const isSet = new Set(url.searchParams.keys()).size > 1
    if (isSet && share > firstSets) return { turn: "facets", trap: { reason: "facets", pattern } }
    if (share > (url.search === "" ? this.#share : firstSets))
      return { turn: "share", trap: { reason: "pattern_share", pattern } }
    if (namesFile(url)) return { turn: "file" }
    return { turn: via === "link" ? "now" : via === "sitemap" ? "sitemap" : "reference" }
  }

  /** One more of a kind; the number of them so far. */
  #count(kind: string): number {
    const count = (this.#shares.get(kind) ?? 0) + 1
    this.#shares.set(kind, count)
    return count
  }

  #countTrap({ pattern, reason }: Trap, example: string): void {
    const key = `${reason} ${pattern}`
    const known = this.#traps.get(key)
    if (known === undefined) this.#traps.set(key, { reason, pattern, count: 1, example })
    else known.count += 1
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
