import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { Events } from "../../events/Events.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { OwnersRepo } from "../../projects/OwnersRepo.ts"
import { geoScoreChanged } from "./Events.ts"
import { type Known, VisibilityRepo } from "./Repo.ts"
import { level, pOfCounts } from "./statistics/Comparison.ts"
import { countsOf, type Metric, metrics, movement, type VisibilityReading } from "./VisibilityReading.ts"

/** What is recorded of one engine. */
interface Observation {
  readonly account: AccountId
  readonly project: ProjectId
  readonly reading: VisibilityReading
  readonly takenAt: DateTime.Utc
}

/** Whether a changed citation rate is more than chance, where the reading has counts; without earlier counts that cannot be shown. */
const isSignificant = (known: Known | null, reading: VisibilityReading) => {
  const after = countsOf(reading)
  if (after === null) return true
  const before = known === null ? null : countsOf(known)
  return before !== null && pOfCounts(before, after) < level
}

/** Snapshots of what AI engines say of a site's brand. */
export class Visibility extends Effect.Service<Visibility>()("visibility/Visibility", {
  dependencies: [Events.Default, OwnersRepo.Default, VisibilityRepo.Default],
  effect: Effect.gen(function* () {
    const events = yield* Events
    const owners = yield* OwnersRepo
    const repo = yield* VisibilityRepo

    /** Publishes a metric that moved since its last measurement. */
    const compare = Effect.fnUntraced(function* (
      { account, project, reading, takenAt }: Observation,
      metric: Metric,
      known: Known | null
    ) {
      const previous = known?.[metric] ?? null
      const current = reading[metric]
      const delta = movement(previous, current)
      if (Option.isNone(delta) || previous === null || current === null) return []
      const { engine } = reading
      if (metric === "citation_rate" && !isSignificant(known, reading)) return []
      yield* events.publish(
        account,
        geoScoreChanged,
        {
          basis: "import",
          project_id: project,
          engine,
          metric,
          previous,
          current,
          delta: delta.value,
          measured_at: takenAt
        },
        { occurrence: `${project}/${engine}/${metric}/${DateTime.formatIso(takenAt)}` }
      )
      return [{ engine, metric, delta: delta.value }]
    })

    const recordOne = Effect.fnUntraced(function* (observation: Observation) {
      const { project, reading, takenAt } = observation
      const known = Option.getOrNull(yield* repo.known({ engine: reading.engine, project }))
      if (known !== null && DateTime.lessThanOrEqualTo(takenAt, known.takenAt)) {
        return yield* new Refused({
          message: `The newest snapshot of ${reading.engine} is of ${DateTime.formatIso(known.takenAt)}: only a newer one can follow`
        })
      }
      yield* repo.insert({ project, reading, takenAt })
      const changes = yield* Effect.forEach(metrics, (metric) => compare(observation, metric, known))
      return changes.flat()
    })

    /** Records readings, each newer than all before it of its engine, and publishes `geo_score.changed` for metrics that moved by 5 points or more. */
    const record = Traced.fn("Visibility.record")(function* (
      project: ProjectId,
      takenAt: DateTime.Utc,
      readings: ReadonlyArray<VisibilityReading>
    ) {
      const account = yield* owners.hold(project)
      const changes = yield* Effect.forEach(readings, (reading) => recordOne({ account, project, reading, takenAt }))
      return { readings: readings.length, changed: changes.flat() }
    }, owners.transaction)

    return { record }
  })
}) {}
