import * as Effect from "effect/Effect"
import type { CrawlOptions } from "../../../src/crawl/Crawl.ts"
import { virtualClock } from "../generator/VirtualClock.ts"
import { report } from "./Crawled.ts"
import { html } from "./Html.ts"
import { memoryOutbound, type Reply, type ScriptedSite } from "./MemoryOutbound.ts"

/** The start of a virtual crawl, and the response time of its pages, in milliseconds. */
const begin = 1_767_225_600_000
export const delay = 15

/** A request as the site sees it; its response comes `delay` later. */
export interface Arrival {
  readonly path: string
  readonly at: number
  /** Concurrent requests when it arrives, including itself. */
  readonly inFlight: number
}

/** The site's response to a path at its n-th request, at that time. */
export type Timed = (url: URL, asked: number, at: number) => Reply

/** Crawls a scripted site in virtual time, and returns when each request arrived. */
export const timed = (site: Timed, own: Partial<CrawlOptions> = {}) =>
  Effect.suspend(() => {
    const clock = virtualClock(begin)
    const seen: Array<Arrival> = []
    const scripted: ScriptedSite = (url, _, asked) => {
      const at = clock.unsafeCurrentTimeMillis()
      seen.push({ path: url.pathname, at, inFlight: 1 + seen.filter((earlier) => earlier.at + delay > at).length })
      return { delay, ...site(url, asked, at) }
    }
    return report("https://site.test/", own).pipe(
      Effect.map((result) => ({ result, seen, took: clock.unsafeCurrentTimeMillis() - begin })),
      Effect.provide(memoryOutbound(scripted)),
      Effect.withClock(clock)
    )
  })

/** A site of a robots.txt, a start page with links to `/p0`, `/p1` …, and a function for all other responses. */
export const homeOf =
  (count: number, robots: string, page: Timed): Timed =>
  (url, asked, at) => {
    if (url.pathname === "/robots.txt") return { body: robots, headers: {} }
    const links = Array.from({ length: count }, (_, index) => `/p${index}`)
    return url.pathname === "/" ? { body: html({ title: "Home", links }) } : page(url, asked, at)
  }

/** A page with its own title. */
export const sound: Timed = ({ pathname }) => ({ body: html({ title: pathname }) })
