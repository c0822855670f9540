import { signal } from "@preact/signals"
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

/** The days and the order that were chosen last for each site's search data, as long as the browser's tab is open. */
export const searchChoices = signal<Readonly<Record<string, Readonly<Record<string, string | null>>>>>({})

/** The URL of a site's tab; the one of search data keeps its days and order. */
export const tabHash = (id: string, segment: string): string =>
  hashOf(siteTab(id, segment), segment === "search" ? searchChoices.value[id] : {})

/** The URL of a crawl, or of its comparison. */
export const runHash = (site: string, run: string, ...part: ReadonlyArray<"compare">): string =>
  hashOf(["sites", site, "health", run, ...part])
