import * as Either from "effect/Either"
import type { FieldData } from "./FieldData.ts"
import { at, isJsonObject, measured } from "./Json.ts"
import type { LighthouseReport } from "./LighthouseReport.ts"
import { readLighthouse } from "./ReadLighthouse.ts"
import { type ReportUnreadable, unreadable } from "./ReportUnreadable.ts"

/** A PageSpeed Insights answer: the lab report, and field data where Google has any. */
export interface PsiReport {
  readonly report: LighthouseReport
  readonly field: FieldData | null
}

const readExperience = (experience: unknown): FieldData | null => {
  const p75 = (...names: ReadonlyArray<string>): number | null => {
    for (const name of names) {
      const value = measured(at(experience, "metrics", name, "percentile"))
      if (value !== null) return value
    }
    return null
  }
  // The API reports the layout shift as a whole number of hundredths: 5 is 0.05.
  const hundredths = p75("CUMULATIVE_LAYOUT_SHIFT_SCORE")
  const metrics = {
    lcp_ms: p75("LARGEST_CONTENTFUL_PAINT_MS"),
    inp_ms: p75("INTERACTION_TO_NEXT_PAINT", "EXPERIMENTAL_INTERACTION_TO_NEXT_PAINT"),
    fcp_ms: p75("FIRST_CONTENTFUL_PAINT_MS"),
    ttfb_ms: p75("EXPERIMENTAL_TIME_TO_FIRST_BYTE"),
    cls: hundredths === null ? null : hundredths / 100
  }
  if (Object.values(metrics).every((value) => value === null)) return null
  return { scope: at(experience, "origin_fallback") === true ? "origin" : "page", metrics }
}

/** Reads a PageSpeed Insights v5 answer; where Google replaced the page's field data with the origin's, the origin's counts. */
export const readPsi = (value: unknown, source: string): Either.Either<PsiReport, ReportUnreadable> => {
  if (!isJsonObject(value)) return Either.left(unreadable(source, [], "must contain a JSON object"))
  if (isJsonObject(value.error))
    return Either.left(unreadable(source, ["error"], "is an error answer of PageSpeed Insights, not a report"))
  if (!isJsonObject(value.lighthouseResult))
    return Either.left(unreadable(source, ["lighthouseResult"], "is missing: this is not a PageSpeed Insights answer"))
  return readLighthouse(value.lighthouseResult, source).pipe(
    Either.mapBoth({
      onLeft: (error) =>
        unreadable(source, ["lighthouseResult"], error.field === "" ? error.reason : `${error.field}: ${error.reason}`),
      onRight: (report) => ({ report, field: readExperience(value.loadingExperience) })
    })
  )
}
