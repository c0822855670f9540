import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { NonEmptyText } from "../../../foundation/schema/Scalars.ts"
import type { OfPrompt } from "./statistics/Rate.ts"

const nothing = { default: () => null }

const Counted = Schema.NullOr(Schema.NonNegativeInt)

/**
 * A measurement of what one AI engine says of the brand, in points: sentiment −100 to 100, citation rate in per cent of the answers. `answers` and `cited`
 * are the counts that it is of, where they are known.
 */
export const VisibilityReading = Schema.Struct({
  engine: NonEmptyText,
  sentiment: Schema.optionalWith(Schema.NullOr(Schema.Number.pipe(Schema.between(-100, 100))), nothing),
  citation_rate: Schema.optionalWith(Schema.NullOr(Schema.Number.pipe(Schema.between(0, 100))), nothing),
  answers: Schema.optionalWith(Counted, nothing),
  cited: Schema.optionalWith(Counted, nothing)
})
export type VisibilityReading = typeof VisibilityReading.Type

/** A measured value, by the name of the event's metric. */
export type Metric = "sentiment" | "citation_rate"
export const metrics: ReadonlyArray<Metric> = ["sentiment", "citation_rate"]

/** The smallest change of a metric that is published, in points. */
const threshold = 5

/** The change of a metric, if it is large enough to publish; rounded, because binary fractions distort decimal readings. */
export const movement = (previous: number | null, current: number | null): Option.Option<number> => {
  if (previous === null || current === null) return Option.none()
  const delta = Math.round((current - previous) * 1e9) / 1e9
  return Math.abs(delta) >= threshold ? Option.some(delta) : Option.none()
}

/** The counts of a reading, which has both or neither. */
export const countsOf = ({ answers, cited }: Pick<VisibilityReading, "answers" | "cited">): OfPrompt | null =>
  answers === null || cited === null ? null : { answers, hits: cited }

/** Why the counts of a reading are none. */
const miscounted = ({ answers, cited, citation_rate }: VisibilityReading) => {
  if ((answers === null) !== (cited === null)) return "has one of answers and cited: both, or neither"
  if (answers === null || cited === null) return undefined
  if (answers === 0 || cited > answers) return "must have at least one of answers, and no more of cited than of them"
  return citation_rate !== null && Math.abs(citation_rate - (100 * cited) / answers) > 1
    ? "has a citation_rate that is not cited / answers"
    : undefined
}

/** With counts, the rate is theirs. */
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
      const twice = readings.find(({ engine }, at) => readings.findIndex((other) => other.engine === engine) !== at)
      if (twice !== undefined) return Either.left(`the engine ${twice.engine} occurs twice`)
      const wrong = readings.find((reading) => miscounted(reading) !== undefined)
      if (wrong !== undefined) return Either.left(`the engine ${wrong.engine} ${miscounted(wrong)}`)
      const whole = readings.map(completed)
      const empty = whole.find(({ citation_rate, sentiment }) => citation_rate === null && sentiment === null)
      if (empty !== undefined) return Either.left(`the engine ${empty.engine} has neither sentiment nor citation_rate`)
      return readings.length === 0 ? Either.left("it has no readings") : Either.right(whole)
    }
  )
