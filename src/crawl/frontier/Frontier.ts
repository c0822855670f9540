import { maxHops } from "../visit/CookieRedirect.ts"
import type { Scope } from "../visit/Scope.ts"
import { addressOf, type Kind, Kinds } from "./Kinds.ts"
import type { Part } from "./Part.ts"
import { earlierOf, laterOf, type Turn, turnOf, turns } from "./Turn.ts"
import { type Meeting, maxLinkers, newRecord, type UrlRecord } from "./UrlRecord.ts"

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
    this.#give(record, meeting)
    if (depth !== null && record.depth === null) record.depth = depth
    if ((via === "link" || via === "nofollow") && from !== null && from !== url) this.#link(record, from, text)
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
