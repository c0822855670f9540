import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { maxMarkup } from "../page/MarkupOf.ts"
import type { EvidenceItem } from "../report/Finding.ts"
import type { PagePlace } from "../report/PagePlace.ts"
import type { Failure, FaultyElement } from "./Fault.ts"

/** Pages from which on an element is no fault of theirs, but of what they have in common. */
const few = 3
/** Pages of a cause that evidence names. */
const maxSample = 5

/** An element that fails a rule, and how many pages have it. */
export interface Cause {
  readonly element: FaultyElement
  readonly count: number
  readonly sample: ReadonlyArray<string>
}

/** What the failures of a rule have in common. */
export interface Causes {
  readonly of: (element: FaultyElement) => Cause | undefined
  /** It is the same element on every page that names one. */
  readonly isOne: boolean
}

interface Tally extends Cause {
  count: number
  last: string
  readonly sample: Array<string>
}

/** Cost of counting a failure and an element, in characters. */
const worthOfFailure = 8
const worthOfElement = 64

const relative = /\b(href|src)="(?![a-z][a-z\d+.-]*:|[/#"])([^"]*)"/gi

/** Markup with relative addresses made absolute: an element of a template writes them by the depth of its page. */
const absolute = (markup: string, url: string): string =>
  markup.replace(relative, (written, name: string, reference: string) => {
    const target = URL.parse(reference, url)
    return target === null ? written : `${name}="${target.href}"`
  })

/** Counts the pages of each element of a rule: elements are the same when their place and their markup are, as it is written or with absolute addresses. */
export function* causesOf(failures: ReadonlyArray<Failure>): Steps<Causes> {
  const byPlace = new Map<PagePlace, Map<string, Tally>>()
  const tallies = new Set<Tally>()
  const tallyOf = (url: string, element: FaultyElement): Tally => {
    const { markup, place } = element
    const known = byPlace.get(place) ?? new Map<string, Tally>()
    byPlace.set(place, known)
    const key = known.has(markup) ? markup : absolute(markup, url)
    const tally = known.get(key) ?? { element, count: 0, last: "", sample: [] }
    tallies.add(tally)
    known.set(markup, tally)
    known.set(key, tally)
    return tally
  }
  const count = (url: string, element: FaultyElement) => {
    const tally = tallyOf(url, element)
    if (tally.last !== url) {
      tally.count += 1
      tally.last = url
      if (tally.sample.length < maxSample) tally.sample.push(url)
    }
  }
  yield* each(failures, ({ elements = [], url }) => {
    for (const element of elements) count(url, element)
    return worthOfFailure + elements.length * worthOfElement
  })
  return {
    of: ({ markup, place }) => byPlace.get(place)?.get(markup),
    isOne: tallies.size === 1
  }
}

/**
 * Whether the score may charge an element once for all pages: it stands on three or more. So may a rule that has no other cause, or a repair on the third
 * page of a small site would cost.
 */
export const isShared = ({ isOne, of }: Causes, element: FaultyElement): boolean =>
  isOne || (of(element)?.count ?? 0) >= few

/** Whether a cause is reported once for all its pages: three or more, and more than three tenths of those that the rule looked at. */
export const isSiteWide = ({ count }: Cause, assessed: number): boolean => count >= few && 10 * count > 3 * assessed

const things: Readonly<Record<string, string>> = {
  a: "link",
  area: "area of an image map",
  button: "button",
  iframe: "frame",
  img: "image",
  input: "field"
}

const places: Readonly<Record<PagePlace, string>> = {
  footer: "in the footer",
  head: "in the head",
  header: "in the header",
  main: "in the content",
  nav: "in the navigation"
}

/** The line of evidence for all pages of a site-wide cause. */
export const itemOfCause = ({ count, element: { markup, place, value }, sample }: Cause): EvidenceItem => {
  const tag = /^<([a-z][a-z0-9-]*)/i.exec(markup)?.[1]?.toLowerCase() ?? ""
  const detail = `${count} pages, the same ${things[tag] ?? "element"} ${places[place]}`
  const item = {
    url: sample[0] ?? "",
    detail,
    markup: markup.slice(0, maxMarkup),
    place,
    shared_by: count,
    sample
  }
  return value === undefined ? item : { ...item, value }
}
