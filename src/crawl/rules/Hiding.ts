import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { healthStateOf } from "../report/States.ts"
import type { ReadPage } from "./Rule.ts"

/** Why the start page is hidden from the index, null when it is not. */
export const hidesStart = ({ find, start }: AnalysedSite): string | null => {
  const page = find(start.href)
  return page?.visit?.facts != null && healthStateOf[page.reason] === "hidden" ? page.reason : null
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
