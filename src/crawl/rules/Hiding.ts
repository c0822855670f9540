import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { healthStateOf } from "../report/States.ts"
import type { ReadPage } from "./Rule.ts"

/** The start page names another address of itself, such as /index.html, and that one may be indexed: it is found there. */
const isFoundElsewhere = ({ find }: AnalysedSite, { canonical, reason, visit }: AnalysedPage): boolean => {
  const other = reason === "canonical_elsewhere" && canonical.url !== null ? find(canonical.url) : undefined
  return other?.reason === "ok" && other.visit?.facts?.text.mainHash === visit?.facts?.text.mainHash
}

/** The address under which the start page is to be found: its own, or another one of itself that it names. */
export const startAddress = (site: AnalysedSite): string => {
  const page = site.find(site.start.href)
  return page !== undefined && isFoundElsewhere(site, page) ? (page.canonical.url ?? page.url) : site.start.href
}

/** Why the start page is hidden from the index, null when it is not. */
export const hidesStart = (site: AnalysedSite): string | null => {
  const page = site.find(site.start.href)
  if (page?.visit?.facts == null || healthStateOf[page.reason] !== "hidden") return null
  return isFoundElsewhere(site, page) ? null : page.reason
}

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
