import * as Either from "effect/Either"
import type { AuditReport, Scores } from "../Audit.ts"
import { vitalsStatus } from "../CoreWebVitals.ts"
import { type AuditFailure, type Category, lighthouseKey } from "../Domain.ts"
import type { FixDirective } from "../FixDirective.ts"
import { fixDirectives } from "../fixes/FixDirectives.ts"
import { type FieldData, withField } from "../report/FieldData.ts"
import { at, elements } from "../report/Json.ts"
import type { LighthouseReport } from "../report/LighthouseReport.ts"
import { type Finding, findVerdicts } from "./Findings.ts"

/** Checks of response headers that protect visitors. Lighthouse lists what is missing, and gives no verdict: many sites do well without one or the other. */
const headerAudits = [
  "csp-xss",
  "has-hsts",
  "clickjacking-mitigation",
  "origin-isolation",
  "trusted-types-xss"
] as const

/** What a report advises without a verdict: findings of severity `info`, which count nowhere. */
const findAdvice = (report: LighthouseReport): ReadonlyArray<Finding> =>
  headerAudits.flatMap((id) => {
    const audit = report.audits.get(id)
    return audit?.mode === "informative" && elements(at(audit.details, "items")).length > 0
      ? { audit, category: "best_practices" as const, severity: "info" as const, impact: 0 }
      : []
  })

/** A report that can be recorded as a completed audit, with its fixes in order. */
export interface Assessment {
  readonly report: AuditReport
  readonly fixes: ReadonlyArray<FixDirective>
}

const scoreMissing = (category: Category): AuditFailure => ({
  code: "score_missing",
  message: `Lighthouse could not score ${lighthouseKey[category]}: a weighted check of it could not run.`,
  lighthouse_code: null
})

const readScores = (report: LighthouseReport): Either.Either<Scores, AuditFailure> => {
  const points = (category: Category): Either.Either<number, AuditFailure> => {
    const score = report.categories.find((entry) => entry.category === category)?.score ?? null
    return score === null ? Either.left(scoreMissing(category)) : Either.right(Math.round(score * 100))
  }
  return Either.all({
    performance: points("performance"),
    seo: points("seo"),
    accessibility: points("accessibility"),
    best_practices: points("best_practices")
  })
}

/**
 * The assessment of a report, or the failure to record when Lighthouse declared one or left a category without
 * a score. The overall score is the rounded mean of the four rounded scores; field data wins over lab values.
 */
export const assess = (report: LighthouseReport, field: FieldData | null): Either.Either<Assessment, AuditFailure> =>
  Either.gen(function* () {
    if (report.runtimeError !== null) return yield* Either.left(report.runtimeError)
    const scores = yield* readScores(report)
    const { findings, summary } = findVerdicts(report)
    const metrics = withField(report.lab, field)
    const total = scores.performance + scores.seo + scores.accessibility + scores.best_practices
    return {
      report: {
        url: report.url,
        overall_score: Math.round(total / 4),
        scores,
        core_web_vitals: { status: vitalsStatus(metrics), metrics, diagnostics: report.diagnostics },
        findings_summary: summary
      },
      fixes: fixDirectives([...findings, ...findAdvice(report)], report)
    }
  })
