import * as Either from "effect/Either"
import type { Steps } from "../../../../foundation/schema/Steps.ts"
import type { DesignPreview } from "./DesignedAnalysis.ts"
import type { DesignFault } from "./DesignFault.ts"
import { evaluatingWith } from "./Evaluate.ts"
import { type Design, type Panel, weeksOf } from "./Panel.ts"

/**
 * A look at a running experiment: the `weeks` whole weeks since the change, settling included, are its post window. With m = (g + b)/7 planned weeks, one look
 * each, p is min(1, p · m) and the interval holds the effect with probability 1 − 0.05/m: a look may stop harm, and declares no victory.
 */
export const previewing = function* (
  panel: Panel,
  design: Design,
  weeks: number,
  leastPages: number
): Steps<Either.Either<DesignPreview, DesignFault>> {
  const { post, settle } = weeksOf(design)
  const planned = post + settle
  const soFar = Math.min(weeks, planned)
  const seen = yield* evaluatingWith(panel, { ...design, settle_days: 0, post_days: 7 * soFar }, leastPages, {
    planned
  })
  return Either.map(seen, (analysis) => ({
    ...analysis,
    sentence: `After ${soFar} of ${planned} weeks, corrected for a look in each: ${analysis.sentence} A look is for stopping harm; the verdict comes at the end.`,
    final: false as const,
    weeks: soFar,
    planned_weeks: planned
  }))
}
