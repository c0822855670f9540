import * as Either from "effect/Either"
import { type Assessment, assess } from "./assessment/Assess.ts"
import type { AuditFailure, Device, Spread } from "./Domain.ts"
import { type MetricSources, metricSources } from "./MetricSources.ts"
import type { PsiReport } from "./report/ReadPsi.ts"

/** How an audit ended, as it is recorded. */
export interface Outcome {
  readonly url: string
  /** Null when the report does not name it. */
  readonly device: Device | null
  /** The version of Lighthouse, null when it gave no report. */
  readonly version: string | null
  /** Null for a single run. */
  readonly spread: Spread | null
  readonly verdict: Either.Either<Assessment & { readonly sources: MetricSources }, AuditFailure>
}

/** The outcome of a report, with field data where there is any. */
export const reportOutcome = ({ field, report }: PsiReport): Outcome => ({
  url: report.url,
  device: report.device,
  version: report.version,
  spread: null,
  verdict: Either.map(assess(report, field), (assessment) => ({
    ...assessment,
    sources: metricSources(report.lab, field)
  }))
})

/** The outcome of an audit that gave no report. */
export const failureOutcome = (url: string, device: Device, failure: AuditFailure): Outcome => ({
  url,
  device,
  version: null,
  spread: null,
  verdict: Either.left(failure)
})
