import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Traced from "../../foundation/schema/Traced.ts"
import { medianRun, spreadOf } from "./assessment/MedianRun.ts"
import type { Auditing, Device } from "./Domain.ts"
import { failureOutcome, type Outcome, reportOutcome } from "./Outcome.ts"
import * as PsiClient from "./psi/PsiClient.ts"
import type { PsiReport } from "./report/ReadPsi.ts"
import type { AuditRunFailed } from "./run/AuditRunFailed.ts"
import * as LighthouseProcess from "./run/LighthouseProcess.ts"

/** The outcome of several runs: the median of those that Lighthouse could score, or the first failure when it could score none. */
const outcomeOf = (runs: Arr.NonEmptyReadonlyArray<PsiReport>): Outcome => {
  const scored = runs.filter((run) => Either.isRight(reportOutcome(run).verdict))
  return Arr.isNonEmptyReadonlyArray(scored) && runs.length > 1
    ? { ...reportOutcome(medianRun(scored)), spread: spreadOf(scored.map(({ report }) => report)) }
    : reportOutcome(runs[0])
}

/** Failures of this machine, not of a page: it has nothing to audit with. */
const isUnequipped = ({ failure: { code } }: AuditRunFailed) =>
  code === "browser_missing" || code === "lighthouse_missing"

/** Audits pages, by Lighthouse here or by PageSpeed Insights. */
export class Auditor extends Effect.Service<Auditor>()("audits/Auditor", {
  dependencies: [LighthouseProcess.layer, PsiClient.layer],
  effect: Effect.gen(function* () {
    const lighthouse = yield* LighthouseProcess.Lighthouse
    const psi = yield* PsiClient.PageSpeedInsights

    const runOnce = (source: Auditing, url: URL, device: Device) =>
      source === "psi"
        ? psi.run(url, device)
        : Effect.map(lighthouse.run(url, device), (report) => ({ field: null, report }))

    /** Runs a page's audit `runs` times in sequence; failed runs are dropped as long as one succeeds. */
    const runAll = (source: Auditing, url: URL, device: Device, runs: number) =>
      Effect.gen(function* () {
        const first = yield* Effect.either(runOnce(source, url, device))
        if (Either.isLeft(first) && isUnequipped(first.left)) return yield* first.left
        const others = yield* Effect.replicateEffect(Effect.either(runOnce(source, url, device)), runs - 1)
        const reports = Arr.getRights([first, ...others])
        if (Arr.isNonEmptyReadonlyArray(reports)) return reports
        return yield* Effect.map(first, Arr.of)
      })

    /**
     * Audits a page: of several runs the median is the outcome. A page that cannot be audited is an outcome too; only a machine without browser or
     * Lighthouse is a failure.
     */
    const audit = Traced.fn("Auditor.audit")(function* (source: Auditing, page: string, device: Device, runs = 1) {
      const url = new URL(page)
      return yield* runAll(source, url, device, runs).pipe(
        Effect.map(outcomeOf),
        Effect.map((outcome): Outcome => ({ ...outcome, device: outcome.device ?? device })),
        Effect.catchIf(
          (error) => !isUnequipped(error),
          ({ failure }) => Effect.succeed(failureOutcome(url.href, device, failure))
        )
      )
    })

    return { audit }
  })
}) {}
