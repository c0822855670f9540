import * as Either from "effect/Either"
import { at, finite, isJsonObject, measured, members, text } from "./Json.ts"
import type { AuditEntry, Savings } from "./LighthouseReport.ts"
import { type ReportUnreadable, unreadable } from "./ReportUnreadable.ts"

/** Most checks a report may hold; Lighthouse has about 150. */
export const maxAudits = 1_000

const auditId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/

const readSavings = (audit: unknown): Savings => {
  const of = (metric: string) => measured(at(audit, "metricSavings", metric)) ?? 0
  return {
    lcp: of("LCP"),
    fcp: of("FCP"),
    tbt: of("TBT"),
    inp: of("INP"),
    cls: of("CLS"),
    overallMs: measured(at(audit, "details", "overallSavingsMs")) ?? 0,
    byMetric: isJsonObject(at(audit, "metricSavings"))
  }
}

/** A score of a check or a category: 0 to 1, null for none; undefined when it is anything else. */
export const readScore = (value: unknown): number | null | undefined => {
  if (value === null || value === undefined) return null
  const score = finite(value)
  return score !== null && score >= 0 && score <= 1 ? score : undefined
}

/** The checks of a report by id. */
export const readAuditEntries = (
  report: unknown,
  source: string
): Either.Either<ReadonlyMap<string, AuditEntry>, ReportUnreadable> => {
  const audits = at(report, "audits")
  if (!isJsonObject(audits)) return Either.left(unreadable(source, ["audits"], "must be an object"))
  const listed = members(audits)
  if (listed.length > maxAudits)
    return Either.left(unreadable(source, ["audits"], `has more than ${maxAudits} entries`))
  const entries = new Map<string, AuditEntry>()
  for (const [id, audit] of listed) {
    const wrong = (reason: string, ...path: ReadonlyArray<string>) =>
      Either.left(unreadable(source, ["audits", id, ...path], reason))
    if (!auditId.test(id)) return wrong("is not the id of an audit")
    if (!isJsonObject(audit)) return wrong("must be an object")
    const score = readScore(audit.score)
    if (score === undefined) return wrong("must be null or a number from 0 to 1", "score")
    entries.set(id, {
      id,
      score,
      mode: text(audit.scoreDisplayMode) ?? "",
      savings: readSavings(audit),
      details: audit.details
    })
  }
  return Either.right(entries)
}
