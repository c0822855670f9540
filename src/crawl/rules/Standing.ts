import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { healthStateOf } from "../report/States.ts"
import { startAddress } from "./Hiding.ts"
import { isRead } from "./Rule.ts"

/** For each URL those that lead to it: itself and the redirects that end there, in the order of meeting. */
export const waysTo = perSite(({ pages }): ((page: AnalysedPage) => ReadonlyArray<AnalysedPage>) => {
  const through = new Map<string, Array<AnalysedPage>>()
  for (const page of pages) {
    const end = page.chain.target?.url ?? page.url
    const sources = through.get(end)
    if (sources === undefined) through.set(end, [page])
    else sources.push(page)
  }
  return (page) => {
    const sources = through.get(page.url) ?? []
    return sources.includes(page) ? sources : [page, ...sources]
  }
})

/** Only a sitemap names it: an error there is one of the sitemap, which has a rule of its own, and no dead link. */
export const isListedOnly = (page: AnalysedPage, site: AnalysedSite): boolean =>
  page.record.via === "sitemap" && waysTo(site)(page).every(({ record }) => record.linkedFromCount === 0)

/** It answers 4xx, and a page that was read links to it: `broken_link` says so of the page that links. */
const isDeadTarget = (page: AnalysedPage, site: AnalysedSite): boolean =>
  page.reason === "http_4xx" &&
  site.checkDeadLinks &&
  site.needsJavascript === null &&
  waysTo(site)(page).some(({ record }) =>
    record.linkedFrom.some((from) => {
      const linker = site.find(from)
      return linker !== undefined && isRead(linker)
    })
  )

/** What a page with a verdict counts as. */
export type Standing = "up" | "hidden" | "down"

/** What a URL counts as; null for what has no verdict, is no page, or is charged where it is named. */
export const standingOf = (page: AnalysedPage, site: AnalysedSite): Standing | null => {
  switch (healthStateOf[page.reason]) {
    case "eligible":
      return "up"
    case "hidden":
      return page.reason === "canonical_variant" ? null : "hidden"
    case "failed":
      return page.url !== site.start.href && (isListedOnly(page, site) || isDeadTarget(page, site)) ? null : "down"
    default:
      return null
  }
}

/** How many pages count as what, and what the start page counts as. */
export const standings = perSite((site) => {
  const start = startAddress(site)
  const found: Record<Standing, number> & { start: Standing | null } = { up: 0, hidden: 0, down: 0, start: null }
  for (const page of site.pages) {
    const standing = standingOf(page, site)
    if (standing !== null) found[standing] += 1
    if (page.url === start) found.start = standing
  }
  return found
})
