import * as Either from "effect/Either"
import { type Category, categories, lighthouseKey } from "../Domain.ts"
import { maxAudits, readScore } from "./AuditEntries.ts"
import { at, elements, isJsonObject, measured, text } from "./Json.ts"
import type { AuditRef, CategoryEntry } from "./LighthouseReport.ts"
import { type ReportUnreadable, unreadable } from "./ReportUnreadable.ts"

const readRef = (ref: unknown): ReadonlyArray<AuditRef> => {
  const id = text(at(ref, "id"))
  return id === null ? [] : [{ id, weight: measured(at(ref, "weight")) ?? 0, group: text(at(ref, "group")) }]
}

const readCategory = (
  report: unknown,
  source: string,
  category: Category
): Either.Either<CategoryEntry, ReportUnreadable> => {
  const path = ["categories", lighthouseKey[category]]
  const found = at(report, ...path)
  if (found === undefined)
    return Either.left(
      unreadable(source, path, "is missing; the report must cover performance, accessibility, best-practices and seo")
    )
  if (!isJsonObject(found)) return Either.left(unreadable(source, path, "must be an object"))
  const score = readScore(found.score)
  if (score === undefined)
    return Either.left(unreadable(source, [...path, "score"], "must be null or a number from 0 to 1"))
  const refs = elements(found.auditRefs)
  if (refs.length > maxAudits)
    return Either.left(unreadable(source, [...path, "auditRefs"], `has more than ${maxAudits} entries`))
  return Either.right({ category, score, refs: refs.flatMap(readRef) })
}

/** The four categories of a report; others (`pwa`, `agentic-browsing`) are ignored. */
export const readCategories = (
  report: unknown,
  source: string
): Either.Either<ReadonlyArray<CategoryEntry>, ReportUnreadable> =>
  Either.all(categories.map((category) => readCategory(report, source, category)))
