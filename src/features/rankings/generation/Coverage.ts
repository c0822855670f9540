import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { plural } from "../../../foundation/text/Words.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { endingAt, type Window } from "../Days.ts"
import type { Coverage } from "../Domain.ts"
import { WindowDays } from "../Settings.ts"

/**
 * What the windows that end at a day have data of. `isComplete`: a query that the current window lacks is lost, not merely late. `isWhole`: each day of
 * the current window came from a source that has all of a day.
 */
export interface Covered {
  readonly coverage: Coverage
  readonly isComplete: boolean
  readonly isWhole: boolean
}

/** How many queries the previous window shows often, and how many of them the current one lacks. */
interface Missing {
  readonly missing: number
  readonly shown: number
}

/** A drop this large usually means missing data: where the days may be incomplete, they are taken to be. */
export const isPart = ({ missing, shown }: Missing): boolean => missing >= 10 && missing * 5 > shown * 2

/** The coverage of a current window whose data look incomplete: losses wait, and a warning says so. */
export const inPart = (covered: Covered, { missing, shown }: Missing): Covered => ({
  ...covered,
  coverage: {
    ...covered.coverage,
    warnings: [
      ...covered.coverage.warnings,
      `The window that ends at ${covered.coverage.current.end} lacks ${missing} of the ${shown} queries that the one before it shows often: no query is reported as lost until the missing data are imported. If no more data will come, import the files again with --replace (replace=true over HTTP)`
    ]
  },
  isComplete: false
})

/**
 * Whether the current window has all days that the previous one leads to expect: the same weekdays, or, where the previous one has fewer than half of
 * its days, as many.
 */
export const isComplete = (
  previous: ReadonlyArray<Day.DayNumber>,
  current: ReadonlyArray<Day.DayNumber>,
  length: number
): boolean =>
  previous.length * 2 < length
    ? current.length >= previous.length
    : previous.every((day) => current.includes(day + length))

const Known = Schema.Struct({ day: Schema.String, whole: Schema.Boolean })
const Former = Schema.Struct({ day: Schema.String })

/** Reads which days of the windows have data. */
export class CoverageRepo extends Effect.Service<CoverageRepo>()("rankings/generation/CoverageRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const length = yield* WindowDays

    const known = Query.all({
      Request: Schema.Struct({ from: Schema.String, site: Schema.Int, to: Schema.String }),
      Result: Known,
      execute: ({ from, site, to }) => sql`
        SELECT day::text, whole FROM ranking_days WHERE site = ${site} AND level = 'queries' AND day BETWEEN ${from}::date AND ${to}::date ORDER BY day`
    })

    /** The newest day before another one. */
    const before = Query.first({
      Request: Schema.Struct({ day: Schema.String, site: Schema.Int }),
      Result: Former,
      execute: ({ day, site }) => sql`
        SELECT day::text FROM ranking_days WHERE site = ${site} AND level = 'queries' AND day < ${day}::date ORDER BY day DESC LIMIT 1`
    })

    const rowsOf = Query.one({
      Request: Schema.Struct({ day: Schema.String, site: Schema.Int }),
      Result: Schema.Struct({ rows: Schema.Int }),
      execute: ({ day, site }) => sql`
        SELECT count(*)::int AS rows FROM ranking_query_facts WHERE site = ${site} AND day = ${day}::date AND counts & 1 = 1`
    })

    /** A newest day that stands alone may be a mistake: it decides where the windows end. */
    const stray = Effect.fnUntraced(function* (id: ProjectId, site: number, day: string) {
      const former = Option.getOrUndefined(yield* before({ day, site }))
      if (former === undefined) return []
      const { rows } = yield* rowsOf({ day, site })
      return [
        `The windows end at ${day}, which has ${plural(rows, "row")}; the day with data before it is ${former.day}. If it is a mistake, take it out: rankings drop-day --project ${id} --day ${day}`
      ]
    })

    const read = Traced.fn("CoverageRepo.read")(function* (id: ProjectId, site: number, newestDay: string) {
      const { current, previous } = endingAt(Day.of(newestDay), length)
      const found = yield* known({ from: Day.format(previous.start), site, to: newestDay })
      const days = found.flatMap(({ day }) => Option.toArray(Day.parse(day)))
      const [now, then] = [days.filter((day) => day >= current.start), days.filter((day) => day < current.start)]
      const whole = isComplete(then, now, length)
      const alone = now.length === 1 && then.length !== 1 ? yield* stray(id, site, newestDay) : []
      const unfinished = whole
        ? []
        : [
            `The window that ends at ${newestDay} has data of ${now.length} days, the one before it of ${then.length}: no query is reported as lost until the missing days are imported`
          ]
      const window = ({ end, start }: Window, of: ReadonlyArray<number>) => ({
        start: Day.format(start),
        end: Day.format(end),
        days_with_data: of.length
      })
      const coverage = {
        site_id: id,
        current: window(current, now),
        previous: window(previous, then),
        warnings: [...alone, ...unfinished]
      }
      const isWhole = found.every((of) => of.whole || of.day < coverage.current.start)
      return { coverage, isComplete: whole, isWhole } satisfies Covered
    })

    return { read }
  })
}) {}
