import type { RobotsLine } from "../report/MeasuredPage.ts"
import type { FaultPlace, PagePlace } from "../report/PagePlace.ts"

/** An element of a page that fails a rule. Pages that have the same one have one cause in common. */
export interface FaultyElement {
  /** The element with its contents, as the page writes it. */
  readonly markup: string
  readonly place: PagePlace
  /** The `href` of the link that it is or stands in, as written: a link and what it holds are one element to the score. Null outside of links. */
  readonly link: string | null
  /** What is wrong with it, where its markup does not show it, such as the target of a dead link with its status. */
  readonly value?: string | undefined
}

/** What is wrong with one URL. */
export interface Fault {
  readonly detail: string
  /** The value that fails, as the site writes it. */
  readonly value?: string | undefined
  /** The element, where the fault has one that is not among `elements`. */
  readonly markup?: string | undefined
  readonly place?: FaultPlace | undefined
  /** The elements at fault, of many the first; what is missing is no element, so a rule about that names none. */
  readonly elements?: ReadonlyArray<FaultyElement> | undefined
}

/** A fault with its URL. */
export interface Failure extends Fault {
  readonly url: string
}

/** What a rule says of a URL: nothing, or its fault, in words alone where there is no more to it. */
export type FaultOf = Fault | string | null

/** Elements that are counted of one page. */
const maxElements = 50

/** The fault as one of a URL. */
export const failureOf = (url: string, fault: Fault | string): Failure =>
  typeof fault === "string"
    ? { url, detail: fault }
    : { ...fault, elements: fault.elements?.slice(0, maxElements), url }

/** A line of robots.txt in words. */
export const lineText = ({ group, line, text }: RobotsLine): string => `line ${line}: ${text} (group of ${group})`

/** What robots.txt forbids, by the line that decides. */
export const byLine = (line: RobotsLine | null): Fault => ({
  detail: line === null ? "disallowed" : lineText(line),
  value: line?.text,
  place: "robots"
})
