import type { TrapCount } from "../frontier/Frontier.ts"
import type { Termination } from "../report/States.ts"
import type { SoftProbe } from "../visit/Probe.ts"
import type { RobotsFile } from "../visit/RobotsCache.ts"
import type { SitemapReading } from "../visit/SitemapWalk.ts"
import type { AnalysedPage } from "./AnalysedPage.ts"

/** Everything a run found, with a verdict on each URL: what rules, score and report are computed from. */
export interface AnalysedSite {
  /** The start page after its redirects. */
  readonly start: URL
  readonly pages: ReadonlyArray<AnalysedPage>
  readonly find: (url: string) => AnalysedPage | undefined
  /** Null when the run ended before robots.txt was requested. */
  readonly robots: RobotsFile | null
  /** Null when the run ended before the sitemaps were read. */
  readonly sitemap: SitemapReading | null
  readonly probe: SoftProbe | null
  /** Why the site cannot be seen without running its scripts; null when it can. */
  readonly needsJavascript: string | null
  readonly termination: Termination
  /** URLs met beyond those kept in `pages`. */
  readonly unlisted: number
  readonly traps: ReadonlyArray<TrapCount>
  /** Where addresses multiply without end, in words. */
  readonly endless: ReadonlyArray<string>
  readonly checkDeadLinks: boolean
  /** The run covered only part of the site, so it says nothing of the whole. */
  readonly isPart: boolean
  readonly maxPages: number
  readonly deadlineMillis: number
  /** Milliseconds since the epoch by which dates of the site are judged. */
  readonly now: number
}

/** A value of a site that rules need for each of its pages, computed once a site. */
export const perSite = <T>(make: (site: AnalysedSite) => T): ((site: AnalysedSite) => T) => {
  const known = new WeakMap<AnalysedSite, { readonly value: T }>()
  return (site) => {
    const found = known.get(site)
    if (found !== undefined) return found.value
    const value = make(site)
    known.set(site, { value })
    return value
  }
}
