import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Time from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { Events } from "../events/Events.ts"
import { ProjectId } from "../projects/Domain.ts"
import { OwnersRepo, Projects } from "../projects/Projects.ts"
import { VisibilityMetric, VisibilityReading } from "./Domain.ts"
import { geoScoreChanged } from "./Events.ts"
import { level, type OfPrompt, pOfCounts } from "./Statistics.ts"

const metrics = VisibilityMetric.literals

/** The smallest change of a metric to publish, in points. */
const threshold = 5

/** The change of a metric, if it is large enough to publish; rounded, because binary fractions distort decimal readings. */
export const movement = (previous: number | null, current: number | null): Option.Option<number> => {
  if (previous === null || current === null) return Option.none()
  const delta = Math.round((current - previous) * 1e9) / 1e9
  return Math.abs(delta) >= threshold ? Option.some(delta) : Option.none()
}

/** The counts of a reading, or null. */
const countsOf = ({ answers, cited }: Pick<VisibilityReading, "answers" | "cited">): OfPrompt | null =>
  answers === null || cited === null ? null : { answers, hits: cited }

/** Why a reading is invalid by itself. */
const faultOf = ({ answers, cited, citation_rate, sentiment }: VisibilityReading) => {
  if ((answers === null) !== (cited === null)) return "has only one of answers and cited: send both, or neither"
  if (citation_rate === null && sentiment === null && answers === null)
    return "has neither sentiment nor citation_rate: send at least one"
  if (answers === null || cited === null) return undefined
  if (answers === 0 || cited > answers) return "must have answers of at least 1, and cited no higher than answers"
  return citation_rate !== null && Math.abs(citation_rate - (100 * cited) / answers) > 1
    ? "has a citation_rate other than cited / answers"
    : undefined
}

/** The first invalid reading, and why. */
interface Fault {
  readonly at: number
  readonly engine: string
  readonly reason: string
}

const firstFault = (readings: ReadonlyArray<VisibilityReading>): Fault | undefined => {
  const engines = new Set<string>()
  for (const [at, reading] of readings.entries()) {
    const { engine } = reading
    const reason = engines.has(engine) ? "occurs twice" : faultOf(reading)
    if (reason !== undefined) return { at, engine, reason }
    engines.add(engine)
  }
  return undefined
}

/** Computes the rate from the counts, if given. */
const completed = (reading: VisibilityReading): VisibilityReading => {
  const counts = countsOf(reading)
  return counts === null || reading.citation_rate !== null
    ? reading
    : { ...reading, citation_rate: (100 * counts.hits) / counts.answers }
}

const decode = Schema.decodeUnknownEither(Schema.parseJson(Schema.Array(VisibilityReading)))

/** Reads an export of readings: a JSON array, one object for each engine, with at least one metric. */
export const read = (text: string): Either.Either<ReadonlyArray<VisibilityReading>, string> =>
  Either.flatMap(
    Either.mapLeft(decode(text.replace(/^\uFEFF/, "")), ({ message }) => message),
    (readings) => {
      const fault = firstFault(readings)
      if (fault !== undefined) return Either.left(`the engine ${fault.engine} ${fault.reason}`)
      return readings.length === 0 ? Either.left("the file has no engines") : Either.right(readings.map(completed))
    }
  )

/** Checks readings from the body of a request. */
const accepted = (
  readings: ReadonlyArray<VisibilityReading>
): Either.Either<ReadonlyArray<VisibilityReading>, Invalid> => {
  const fault = firstFault(readings)
  if (fault !== undefined) return Either.left(Invalid.of(`${fault.at}.engine`, `${fault.engine} ${fault.reason}`))
  return readings.length === 0
    ? Either.left(Invalid.of("body", "The snapshot is empty: send one object per engine"))
    : Either.right(readings.map(completed))
}

const OfEngine = Schema.Struct({ project: ProjectId, engine: Schema.String })

const Reading = Schema.typeSchema(VisibilityReading)

/** The latest snapshot's time, and each metric's last measured value, the citation rate with its counts. */
const Known = Schema.Struct({
  takenAt: Time.Moment,
  sentiment: Schema.NullOr(Schema.Number),
  citation_rate: Schema.NullOr(Schema.Number),
  answers: Schema.NullOr(Schema.Int),
  cited: Schema.NullOr(Schema.Int)
})

type Known = typeof Known.Type

export class VisibilityRepo extends Effect.Service<VisibilityRepo>()("visibility/VisibilityRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const known = Query.first({
      Request: OfEngine,
      Result: Known,
      execute: ({ engine, project }) => sql`
        SELECT iso(max(taken_at)) AS "takenAt",
          (array_agg(sentiment ORDER BY taken_at DESC) FILTER (WHERE sentiment IS NOT NULL))[1] AS sentiment,
          (array_agg(citation_rate ORDER BY taken_at DESC) FILTER (WHERE citation_rate IS NOT NULL))[1] AS citation_rate,
          (array_agg(answers ORDER BY taken_at DESC) FILTER (WHERE citation_rate IS NOT NULL))[1] AS answers,
          (array_agg(cited ORDER BY taken_at DESC) FILTER (WHERE citation_rate IS NOT NULL))[1] AS cited
        FROM visibility_snapshots WHERE project_id = ${project} AND engine = ${engine} HAVING count(*) > 0`
    })

    const insert = Query.none({
      Request: Schema.Struct({ project: ProjectId, reading: Reading, takenAt: Time.Moment }),
      execute: ({ project, reading: { answers, citation_rate, cited, engine, sentiment }, takenAt }) => sql`
        INSERT INTO visibility_snapshots (project_id, engine, taken_at, sentiment, citation_rate, answers, cited)
        VALUES (${project}, ${engine}, ${takenAt}::timestamptz, ${sentiment}, ${citation_rate}, ${answers}, ${cited})`
    })

    return { insert, known }
  })
}) {}

/** One engine's data to record. */
interface Observation {
  readonly account: AccountId
  readonly project: ProjectId
  readonly reading: VisibilityReading
  readonly takenAt: DateTime.Utc
}

/** Whether the change of a citation rate is significant, if the reading has counts; without earlier counts it cannot be. */
const isSignificant = (known: Known | null, reading: VisibilityReading) => {
  const after = countsOf(reading)
  if (after === null) return true
  const before = known === null ? null : countsOf(known)
  return before !== null && pOfCounts(before, after) < level
}

/** Snapshots of AI engines' answers about a site's brand. */
export class Visibility extends Effect.Service<Visibility>()("visibility/Visibility", {
  dependencies: [Events.Default, OwnersRepo.Default, Projects.Default, VisibilityRepo.Default],
  effect: Effect.gen(function* () {
    const events = yield* Events
    const owners = yield* OwnersRepo
    const projects = yield* Projects
    const repo = yield* VisibilityRepo

    /** Publishes a metric that changed since its last measurement. */
    const compare = Effect.fnUntraced(function* (
      { account, project, reading, takenAt }: Observation,
      metric: VisibilityMetric,
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
        return yield* new Conflict({
          message: `The latest snapshot of ${reading.engine} is from ${DateTime.formatIso(known.takenAt)}. Import a later one`
        })
      }
      yield* repo.insert({ project, reading, takenAt })
      const changes = yield* Effect.forEach(metrics, (metric) => compare(observation, metric, known))
      return changes.flat()
    })

    /** Records readings, each later than the engine's earlier ones, and publishes `geo_score.changed` for metrics that changed by 5 points or more. */
    const record = Traced.fn("Visibility.record")(function* (
      project: ProjectId,
      takenAt: DateTime.Utc,
      readings: ReadonlyArray<VisibilityReading>
    ) {
      const account = yield* owners.hold(project)
      const changes = yield* Effect.forEach(readings, (reading) => recordOne({ account, project, reading, takenAt }))
      return { readings: readings.length, changed: changes.flat() }
    }, owners.transaction)

    /** Records readings for the account of a request; `at` is now by default. */
    const imported = Traced.fn("Visibility.imported")(
      function* (
        account: AccountId,
        id: ProjectId,
        at: DateTime.Utc | undefined,
        sent: ReadonlyArray<VisibilityReading>
      ) {
        const readings = yield* accepted(sent)
        const now = yield* DateTime.now
        if (at !== undefined && DateTime.greaterThan(at, now))
          return yield* Invalid.of("at", "must not be in the future")
        const project = yield* projects.get(account, id)
        const takenAt = at ?? now
        const outcome = yield* record(project.id, takenAt, readings)
        return { taken_at: Time.format(takenAt), ...outcome }
      },
      Effect.catchTag("Refused", () => NotFound.of("site"))
    )

    return { imported, record }
  })
}) {}
