import type { Project } from "./api/Contract.ts"
import { hashOf } from "./Routes.ts"

/** A screen of a site: the site, a reload after a change of it, and the rest of the URL. */
export interface SiteProperties {
  readonly site: Project
  readonly reload: () => void
  readonly rest: ReadonlyArray<string>
}

/** The path of a site's screen, for `hashOf`. */
export const siteTab = (id: string, segment: string): ReadonlyArray<string> =>
  segment === "" ? ["sites", id] : ["sites", id, segment]

/** The URL of a crawl, or of its comparison. */
export const runHash = (site: string, run: string, ...part: ReadonlyArray<"compare">): string =>
  hashOf(["sites", site, "health", run, ...part])
