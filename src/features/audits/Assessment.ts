import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Order from "effect/Order"
import {
  type AuditFailure,
  type AuditReport,
  type Category,
  type FieldData,
  type FixDirective,
  lighthouseKey,
  type Scores,
  type Spread,
  vitalsStatus,
  withField
} from "./Domain.ts"
import { type Finding, findVerdicts } from "./Findings.ts"
import { fixDirectives } from "./FixDirectives.ts"
import { at, elements, type LighthouseReport } from "./report/LighthouseReport.ts"

/** Checks of security headers. Lighthouse lists missing headers without a verdict, because many sites do well without some of them. */
const headerAudits = [
  "csp-xss",
  "has-hsts",
  "clickjacking-mitigation",
  "origin-isolation",
  "trusted-types-xss"
] as const

/** Advice of a report without a verdict: findings of severity `info`, which no total counts. */
const findAdvice = (report: LighthouseReport): ReadonlyArray<Finding> =>
  headerAudits.flatMap((id) => {
    const audit = report.audits.get(id)
    return audit?.mode === "informative" && elements(at(audit.details, "items")).length > 0
      ? { audit, category: "best_practices" as const, severity: "info" as const, impact: 0 }
      : []
  })

/** A report of a completed audit, with its fixes in order. */
export interface Assessment {
  readonly report: AuditReport
  readonly fixes: ReadonlyArray<FixDirective>
}

const scoreMissing = (category: Category): AuditFailure => ({
  code: "score_missing",
  message: `Lighthouse could not score ${lighthouseKey[category]} because one of its checks did not run.`,
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
 * The assessment of a report, or the failure to record when Lighthouse declared one or gave a category no score. The overall score is the rounded mean of the
 * four rounded scores; field data wins over lab values.
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

const performanceOf = (report: LighthouseReport): number =>
  report.categories.find(({ category }) => category === "performance")?.score ?? 0

const known = (values: ReadonlyArray<number | null>): ReadonlyArray<number> => values.flatMap((value) => value ?? [])

/** The middle value; of an even number of values the lower one in the middle, so a run has it. */
const middle = (values: ReadonlyArray<number>): number | undefined =>
  Arr.sort(values, Order.number)[Math.floor((values.length - 1) / 2)]

const distance = (value: number | null, from: number | undefined): number =>
  value === null || from === undefined ? 0 : (value - from) ** 2

/**
 * The representative run: of the runs with the median performance score, the one nearest to the median FCP and LCP, the first and last visible moments of a
 * load (Lighthouse's own `median-run` uses the distance to FCP and TTI).
 */
export const medianRun = <Run extends { readonly report: LighthouseReport }>(
  runs: Arr.NonEmptyReadonlyArray<Run>
): Run => {
  const score = middle(runs.map(({ report }) => performanceOf(report)))
  const fcp = middle(known(runs.map(({ report }) => report.lab.fcp_ms)))
  const lcp = middle(known(runs.map(({ report }) => report.lab.lcp_ms)))
  const distanceOf = ({ report: { lab } }: Run) => distance(lab.fcp_ms, fcp) + distance(lab.lcp_ms, lcp)
  const nearest = Arr.sort(
    runs.filter(({ report }) => performanceOf(report) === score),
    Order.mapInput(Order.number, distanceOf)
  )
  return nearest[0] ?? runs[0]
}

const rangeOf = (values: ReadonlyArray<number | null>) => {
  const measured = known(values)
  return measured.length === 0 ? null : { highest: Math.max(...measured), lowest: Math.min(...measured) }
}

/** The range of each metric over several runs. */
export const spreadOf = (reports: ReadonlyArray<LighthouseReport>): Spread => ({
  runs: reports.length,
  performance: rangeOf(reports.map((report) => Math.round(performanceOf(report) * 100))),
  lcp_ms: rangeOf(reports.map(({ lab }) => lab.lcp_ms)),
  fcp_ms: rangeOf(reports.map(({ lab }) => lab.fcp_ms)),
  ttfb_ms: rangeOf(reports.map(({ lab }) => lab.ttfb_ms)),
  cls: rangeOf(reports.map(({ lab }) => lab.cls))
})
