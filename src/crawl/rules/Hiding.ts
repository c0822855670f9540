import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { type HealthReason, healthStateOf } from "../report/States.ts"
import type { ReadPage } from "./Rule.ts"

/** The source of rules on robots directives. */
export const robotsMetaGuide = "Google Search Central, Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"

/** The first step of the guidance for what may be hidden on purpose. */
export const meant =
  "Make sure that the state is a mistake before you change it: staging, private and filter pages may be hidden on purpose. If it is meant, change nothing and say so."

/** Where the guidance looks for the origin of robots directives. */
export const origin =
  "Find the origin: a robots meta element in a layout or SEO plugin, or an X-Robots-Tag header of server, CDN or middleware."

/** The start page names another address of itself, such as /index.html, and that one may be indexed: it is found there. */
const isFoundElsewhere = ({ find }: AnalysedSite, { canonical, reason, visit }: AnalysedPage): boolean => {
  if (reason === "canonical_variant") return true
  const other = reason === "canonical_elsewhere" && canonical.url !== null ? find(canonical.url) : undefined
  return other?.reason === "ok" && other.visit?.facts?.text.mainHash === visit?.facts?.text.mainHash
}

/** The address under which the start page is to be found: its own, or another one of itself that it names. */
export const startAddress = (site: AnalysedSite): string => {
  const page = site.find(site.start.href)
  return page !== undefined && isFoundElsewhere(site, page) ? (page.canonical.url ?? page.url) : site.start.href
}

/** By which of its own words the start page is hidden from the index, null when it is not; what robots.txt says has a rule of its own. */
export const hidesStart = (site: AnalysedSite): string | null => {
  const page = site.find(site.start.href)
  if (page?.visit?.facts == null || healthStateOf[page.reason] !== "hidden") return null
  if (page.reason === "blocked_by_robots") return null
  return isFoundElsewhere(site, page) ? null : page.reason
}

/** The reasons by which a page asks not to be indexed. */
export const noindexOf = ({ also, reason }: AnalysedPage): ReadonlyArray<HealthReason> =>
  [reason, ...also].filter((each) => each === "noindex_meta" || each === "noindex_header")

/** Directives that contradict each other on one page, null when none do. */
export const hasOwnNoindex = ({ visit }: ReadPage): string | null => {
  const metas = visit.facts.robots.filter(({ inHead }) => inHead).map(({ directives }) => directives)
  const tags =
    visit.headerFacts?.robotsTags.filter(({ agent }) => agent === null).map(({ directives }) => directives) ?? []
  const tokens = [...metas, ...tags].flatMap((directives) => directives.tokens)
  const hides = tokens.includes("noindex") || tokens.includes("none")
  const shows = tokens.includes("index") || tokens.includes("all")
  return hides && shows ? tokens.join(", ") : null
}
