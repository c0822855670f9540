import type { Termination } from "../report/States.ts"
import type { Checks } from "../run/Checks.ts"
import type { SoftProbe } from "../visit/Probe.ts"
import type { RobotsFile } from "../visit/RobotsCache.ts"
import type { Globs } from "../visit/Scope.ts"
import type { SitemapReading } from "../visit/SitemapWalk.ts"
import type { AgentAccess } from "./AgentAccess.ts"
import type { AnalysedPage } from "./AnalysedPage.ts"
import type { TrapCount } from "./TrapCounts.ts"

/** Everything a run found, with a verdict on each URL: what rules, score and report are computed from. */
export interface AnalysedSite {
  /** The start page after its redirects. */
  readonly start: URL
  readonly pages: ReadonlyArray<AnalysedPage>
  readonly find: (url: string) => AnalysedPage | undefined
  /** Null when the run ended before robots.txt was requested. */
  readonly robots: RobotsFile | null
  /** What robots.txt lets search engines and AI companies read, in the order of the list; empty when the run ended before it answered. */
  readonly agents: ReadonlyArray<AgentAccess>
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
  /** Where they may, in words: of these addresses none had its turn. */
  readonly mayBeEndless: ReadonlyArray<string>
  readonly checkDeadLinks: boolean
  readonly checkExternalLinks: boolean
  /** Images, styles and scripts of the site, and pages of other sites, that were asked for; null when the run ended before. */
  readonly parts: Checks | null
  readonly externalLinks: Checks | null
  /** The run covered only part of the site, so it says nothing of the whole. */
  readonly isPart: boolean
  /** Globs of addresses that the run was not to request, and of those that alone it was to read. */
  readonly globs: Globs
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
