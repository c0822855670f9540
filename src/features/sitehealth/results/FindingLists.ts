import * as Schema from "effect/Schema"
import type { FindingUnit } from "../../../crawl/diff/CrawlDiff.ts"
import { type Finding, FindingStatus, Severity, severityRank, unitsOf } from "../../../crawl/report/Finding.ts"
import type { Batch } from "../../accounts/Handlers.ts"

const optional = { exact: true } as const

const others = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

/** What a list of findings is narrowed to, and its order. */
export const FindingFilters = Schema.Struct({
  rule: Schema.optionalWith(Schema.String, optional).annotations({
    description: "Only the finding of this rule, by its id"
  }),
  severity: Schema.optionalWith(Severity, optional).annotations({ description: "Only rules of this severity" }),
  status: Schema.optionalWith(FindingStatus, optional).annotations({ description: "Only findings with this verdict" }),
  url: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" })),
    optional
  ).annotations({
    description: "Part of a URL, in any case: only findings that fail on a URL with it; with `rows=url` only these URLs"
  }),
  rows: Schema.optionalWith(
    Schema.Literal("url").annotations(others("must be url, or be left out")),
    optional
  ).annotations({
    description: "`url`: the list has one entry for each rule and each URL that fails it, instead of one for each rule"
  }),
  sort: Schema.optionalWith(
    Schema.Literal("severity").annotations(others("must be severity, or be left out")),
    optional
  ).annotations({
    description:
      "`severity`: the worst first, that is rules that fail, then those that were not assessed, then those that pass, each by severity, and of one severity the one that fails on most pages first; in the order of the catalogue by default"
  })
})
export type FindingFilters = typeof FindingFilters.Type

/** An entry of a list with its place in it, from 1, and the length of the list. A result never changes, so a place is a position that lasts. */
export interface Listed<A> {
  readonly entry: A
  readonly place: string
  readonly total: number
}

const turn: Readonly<Record<FindingStatus, number>> = { fail: 0, not_assessed: 1, pass: 2 }

const worstFirst = (a: Finding, b: Finding) =>
  turn[a.status] - turn[b.status] || severityRank[a.severity] - severityRank[b.severity] || b.count - a.count

const named = (part: string | undefined): ((url: string) => boolean) => {
  if (part === undefined) return () => true
  const wanted = part.toLowerCase()
  return (url) => url.toLowerCase().includes(wanted)
}

/** Findings in the order of a list; with part of a URL those that fail on one with it. */
export const ordered = (findings: ReadonlyArray<Finding>, { sort, url }: FindingFilters): ReadonlyArray<Finding> => {
  const having = url === undefined ? findings : findings.filter(({ pages }) => pages.some(named(url)))
  return sort === undefined ? having : having.toSorted(worstFirst)
}

/** The same as an entry for each rule and URL. */
export const byUrl = (findings: ReadonlyArray<Finding>, filters: FindingFilters): ReadonlyArray<FindingUnit> =>
  unitsOf(ordered(findings, filters)).filter(({ url }) => named(filters.url)(url))

/** The entries behind a position, each with its place. */
export const batchOf = <A>(entries: ReadonlyArray<A>, { after, count }: Batch): ReadonlyArray<Listed<A>> => {
  const start = Number(after?.[0] ?? 0)
  return entries
    .slice(start, start + count)
    .map((entry, index) => ({ entry, place: String(start + index + 1), total: entries.length }))
}
