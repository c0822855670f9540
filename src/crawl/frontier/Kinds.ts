import { actionOf } from "../site/ActionLinks.ts"
import type { Scope } from "../visit/Scope.ts"
import { namesFile, patternOf, repeatsSegments, type Trap, type TrapReason } from "./Trap.ts"
import type { Turn, Via } from "./Turn.ts"
import { calendarOf, steady } from "./Variation.ts"

/** Parameter sets of one path that are pages like any other, and pages of one calendar that have their turn among the other pages. */
const firstSets = 3
const firstDates = 3

/** What an address is an address of. */
export interface Address {
  /** Itself without session id and tracking, its parameters sorted. */
  readonly address: string
  /** The same without parameters. */
  readonly plain: string
}

export const addressOf = (url: URL): Address => {
  const { address } = steady(url)
  return { address, plain: address.split("?", 1)[0] ?? address }
}

/** Several parameters at once: filters of a list. */
const isCombined = ({ searchParams }: URL): boolean => new Set(searchParams.keys()).size > 1

/** What an address is by itself and by those of its kind that came before it. */
export interface Kind extends Address {
  /** The earliest turn that it may have; null when it is never asked for. */
  readonly turn: Turn | null
  /** What puts it last or leaves it out. */
  readonly trap: Trap | null
  /** It stands outside of what a run says of the whole site unless it is asked: one more address of something that is known, or none that shows a page. */
  readonly isOutside: boolean
  /** Whether it is one of the first or of the further parameter sets of a path of which none names itself canonical; null when it is neither. */
  readonly set: "first" | "further" | null
  /** What it counts as one of. */
  readonly counts: ReadonlyArray<string>
}

/** Tells kinds of addresses apart, and counts them as they are met. */
export class Kinds {
  readonly #counts = new Map<string, number>()
  readonly #addresses = new Set<string>()
  readonly #free = new Set<string>()
  /** A quarter of the run for one kind of page, until nothing else is left. */
  readonly #share: number
  readonly #leftOut: Scope["leftOut"]

  constructor(maxPages: number, leftOut: Scope["leftOut"]) {
    this.#share = Math.max(10, Math.ceil(maxPages / 4))
    this.#leftOut = leftOut
  }

  /** The kind of an address that was not met before. */
  kindOf(name: string, via: Via): Kind {
    const url = new URL(name)
    const pattern = patternOf(url)
    const { address, plain } = addressOf(url)
    const own = { address, plain, set: null, counts: [] }
    const outside = (reason: TrapReason, turn: Turn | null, of = pattern): Kind => ({
      ...own,
      turn,
      trap: { reason, pattern: of },
      isOutside: true
    })
    const left = this.#leftOut(url)
    if (left !== null) return outside(left.reason, null, left.pattern)
    const action = actionOf(url)
    if (action !== null) return outside("action_link", null, action)
    if (repeatsSegments(url)) return outside("repeated_segments", null)
    if (via === "redirect") return { ...own, address: name, turn: "link", trap: null, isOutside: false }
    if (address !== name && this.#addresses.has(address)) return this.asVariation(name, own)

    const isSet = address !== plain && via !== "sitemap" && !this.#free.has(plain)
    const sets = isSet ? [`set ${plain}`] : []
    const isLate = this.#isBeyond(sets, firstSets)
    const calendar = calendarOf(url)
    const dates = calendar === null ? [] : [`date ${calendar}`]
    const counts = [...sets, ...dates]
    if (calendar !== null && this.#isBeyond(dates, firstDates))
      return { ...outside("calendar", "calendar", calendar), isOutside: isLate, set: isLate ? "further" : null, counts }
    if (isLate) return { ...outside(isCombined(url) ? "facets" : "parameter_set", "variant"), set: "further", counts }
    if (isSet) return { ...own, turn: "link", trap: null, isOutside: false, set: "first", counts }
    const page = this.#page(url, own)
    return { ...page, counts: [...counts, ...page.counts] }
  }

  /** The kind of an address that differs from one that is known in the order of its parameters, a session id or a tracking parameter alone. */
  asVariation(name: string, { address, plain }: Address): Kind {
    const url = new URL(name)
    const reason = steady(url).varies?.kind === "session" ? "session_id" : "query_permutation"
    const trap = { reason, pattern: patternOf(url) } as const
    return { address, plain, turn: "variant", trap, isOutside: true, set: null, counts: [] }
  }

  /** Counts an address that is kept. */
  enter({ address, counts }: Kind): void {
    this.#addresses.add(address)
    for (const key of counts) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** The kind of an address that was one of many parameter sets and counts as a page from now on; a date stays one. */
  asPage(name: string, kind: Kind): Kind {
    if (kind.turn === "calendar") return { ...kind, isOutside: false, set: null }
    const page = this.#page(new URL(name), kind)
    this.enter(page)
    return page
  }

  /** The kind of an address once more that it is named: what a sitemap lists is a page by the word of the site, and it is to be known where a redirect ends. */
  named(name: string, kind: Kind, via: Via): Kind {
    if (kind.turn === null) return kind
    if (via === "redirect") return { ...kind, address: name, turn: "link", trap: null, isOutside: false, set: null }
    const isListed = via === "sitemap" && (kind.set !== null || kind.turn === "variant")
    return isListed ? this.asPage(name, { ...kind, address: name }) : kind
  }

  /** The parameter sets of a path are pages from now on: one of them says so of itself. False when they were before. */
  free(plain: string): boolean {
    const isNew = !this.#free.has(plain)
    this.#free.add(plain)
    return isNew
  }

  #isBeyond([key]: ReadonlyArray<string>, most: number): boolean {
    return key !== undefined && (this.#counts.get(key) ?? 0) >= most
  }

  #page(url: URL, { address, plain }: Address): Kind {
    const pattern = patternOf(url)
    const page = { address, plain, set: null, counts: [`page ${pattern}`], isOutside: false }
    if (!this.#isBeyond(page.counts, this.#share))
      return { ...page, turn: namesFile(url) ? "file" : "link", trap: null }
    return isCombined(url)
      ? { ...page, turn: "set", trap: { reason: "facets", pattern } }
      : { ...page, turn: "share", trap: { reason: "pattern_share", pattern } }
  }
}
