import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Events } from "../../../events/Events.ts"
import { geoScoreChanged } from "../Events.ts"
import { type Change, signOf, verdict } from "../statistics/Comparison.ts"
import { compared, mayCompare } from "../statistics/Measured.ts"
import { BaselinesRepo } from "./BaselinesRepo.ts"
import type { Claim } from "./CallsRepo.ts"
import { type Measure, MeasuresRepo } from "./MeasuresRepo.ts"

/** Shares in points, without the noise of binary fractions. */
const points = (share: number) => Math.round(share * 1e8) / 1e6

/** What a run that ends says of the one before: it becomes the baseline, or is compared with it. */
export class Changes extends Effect.Service<Changes>()("visibility/runs/Changes", {
  dependencies: [BaselinesRepo.Default, Events.Default, MeasuresRepo.Default],
  effect: Effect.gen(function* () {
    const baselines = yield* BaselinesRepo
    const events = yield* Events
    const { measures } = yield* MeasuresRepo

    const publish = (
      { account, id, project }: Claim,
      { engine, models: [model = "unknown"] }: Measure,
      { after, before, delta, interval: [low, high], p }: Change,
      baseline: typeof geoScoreChanged.data.Type.baseline_run_id,
      at: DateTime.Utc
    ) =>
      events.publish(
        account,
        geoScoreChanged,
        {
          ...(baseline === undefined ? {} : { baseline_run_id: baseline }),
          basis: "run",
          current: points(after),
          delta: points(delta),
          engine,
          interval: [points(low), points(high)],
          measured_at: at,
          metric: "citation_rate",
          model,
          p_value: p,
          previous: points(before),
          project_id: project,
          run_id: id
        },
        { occurrence: `${id}/${engine}` }
      )

    /** A run that is not whole, or of several models, is passed over: it measured nothing that could be compared. */
    const judge = Effect.fnUntraced(function* (claim: Claim, measure: Measure, at: DateTime.Utc) {
      const [model] = measure.models
      if (model === undefined || !mayCompare(measure)) return
      const { engine, promptSet, tool } = measure
      const key = { engine, model, project: claim.project, promptSet, tool }
      const known = Option.getOrUndefined(yield* baselines.find(key))
      if (known === undefined) return yield* baselines.put({ ...key, pending: null, run: claim.id })
      const before = (yield* measures({ run: known.run })).find((other) => other.engine === engine)
      if (before === undefined) return
      const { change, reasons } = compared(before, measure)
      const { isPublished, pending } = verdict(known.pending, reasons.length > 0 ? 0 : signOf(change))
      if (isPublished && change !== null) yield* publish(claim, measure, change, known.run, at)
      yield* baselines.put({ ...key, pending, run: isPublished ? claim.id : known.run })
    })

    /** Judges each engine of a run that ended, in the transaction of its end. */
    const ended = (claim: Claim, at: DateTime.Utc) =>
      Effect.flatMap(measures({ run: claim.id }), (found) =>
        Effect.forEach(found, (measure) => judge(claim, measure, at), { discard: true })
      )

    return { ended }
  })
}) {}
