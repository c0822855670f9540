import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { plural } from "../../../foundation/text/Words.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage, endingAt, StatusCounts, type Window } from "../Domain.ts"
import { historyLength } from "../opportunities/Weeks.ts"
import { WindowDays } from "../Settings.ts"
import type { Site } from "../Site.ts"
import { ComputeRepo, IndexesRepo, manyRecords } from "./ComputeRepo.ts"
import { MovementEvents } from "./Movements.ts"

/**
 * The data in the windows that end at a day. `isComplete`: a query that the current window lacks is lost, not merely late. `isWhole`: each day of the current
 * window came from a source with all data of a day.
 */
interface Covered {
  readonly coverage: Coverage
  readonly isComplete: boolean
  readonly isWhole: boolean
}

/** The number of frequent queries in the previous window, and how many of them the current window lacks. */
interface Missing {
  readonly missing: number
  readonly shown: number
}

/** Whether so many queries are missing that days which may be incomplete count as incomplete. */
const isPart = ({ missing, shown }: Missing): boolean => missing >= 10 && missing * 5 > shown * 2

/** The coverage of an apparently incomplete current window, with a warning. Losses wait. */
const inPart = (covered: Covered, { missing, shown }: Missing): Covered => ({
  ...covered,
  coverage: {
    ...covered.coverage,
    warnings: [
      ...covered.coverage.warnings,
      `The period ending ${covered.coverage.current.end} has no data for ${missing} of the ${shown} most shown queries of the previous period, so no query counts as lost. Import the missing data. If the data are complete, import the files again with replace (--replace, or replace=true)`
    ]
  },
  isComplete: false
})

/**
 * Whether the current window has all expected days: the weekdays of the previous window, or, if that has fewer than half of its days, at least their number.
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

    /** The newest day before another day. */
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

    /** Warns of an isolated newest day, which may be a mistake, because the windows end at the newest day. */
    const stray = Effect.fnUntraced(function* (id: ProjectId, site: number, day: string) {
      const former = Option.getOrUndefined(yield* before({ day, site }))
      if (former === undefined) return []
      const { rows } = yield* rowsOf({ day, site })
      return [
        `The latest day with data is ${day} (${plural(rows, "row")}); the day with data before it is ${former.day}. If ${day} is a mistake, delete that day: findable rankings drop-day --project ${id} --day ${day}`
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
            `The period ending ${newestDay} has data for ${now.length} days, the previous period for ${then.length}, so no query counts as lost. Import the missing days`
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

const Publication = Schema.Struct({
  account: AccountId,
  coverage: Schema.parseJson(Coverage),
  generation: Schema.String,
  indexed: Schema.Boolean,
  records: Schema.Number,
  site: ProjectId,
  statuses: Schema.parseJson(StatusCounts)
})

/** Makes generations visible, and removes generations that no cursor can refer to. */
export class PublishRepo extends Effect.Service<PublishRepo>()("rankings/generation/PublishRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // A superseded generation loses its lease, and the computation of its opportunities stops.
    const supersede = sql`
      UPDATE ranking_generations SET superseded = snapshot.number, superseded_at = clock_timestamp(), opportunities_due_at = NULL, ${LeaseQueue.over(sql)}
      FROM snapshot`

    /** Holds the account's counter until the transaction ends, so this is the transaction's last statement. */
    const publish = Query.none({
      Request: Publication,
      execute: ({ account, coverage, generation, indexed, records, site, statuses }) => sql`
        WITH snapshot AS (
          INSERT INTO ranking_snapshots (account_id, number) VALUES (${account}, 1)
          ON CONFLICT (account_id) DO UPDATE SET number = ranking_snapshots.number + 1 RETURNING number
        ), former AS (
          ${supersede} WHERE site_id = ${site} AND published IS NOT NULL AND superseded IS NULL RETURNING id
        )
        UPDATE ranking_generations g SET published = snapshot.number, records = ${records}, coverage = ${coverage}::json,
          statuses = ${statuses}::json, is_indexed = ${indexed}, opportunities_due_at = clock_timestamp()
        FROM snapshot, (SELECT count(*) FROM former) AS done WHERE g.id = ${generation}::bigint`
    })

    /** Removes the list of a site without data. Holds the account's counter as well. */
    const withdraw = Query.none({
      Request: Schema.Struct({ account: AccountId, site: ProjectId }),
      execute: ({ account, site }) => sql`
        WITH snapshot AS (
          UPDATE ranking_snapshots SET number = number + 1 WHERE account_id = ${account} RETURNING number
        )
        ${supersede} WHERE site_id = ${site} AND published IS NOT NULL AND superseded IS NULL`
    })

    /**
     * Superseded generations stay for a day, so readers can page through a list to its end; beyond eight of a site, only for an hour. The newest generation
     * with opportunities stays until the current one's are computed. A generation that another node purges is skipped.
     */
    const purge = Query.first({
      Request: Schema.Void,
      Result: Schema.Struct({ purged: Schema.Number }),
      execute: () => sql`
        WITH aged AS (
          SELECT id, superseded_at, row_number() OVER (PARTITION BY site_id ORDER BY superseded DESC) AS place
          FROM ranking_generations WHERE superseded IS NOT NULL
        ), gone AS (
          DELETE FROM ranking_generations WHERE id IN (
            SELECT g.id FROM ranking_generations g JOIN aged USING (id)
            WHERE (aged.superseded_at < clock_timestamp() - interval '1 day'
                OR (aged.place > 8 AND aged.superseded_at < clock_timestamp() - interval '1 hour'))
              AND g.id NOT IN (SELECT max(made.id) FROM ranking_generations waiting JOIN ranking_generations made USING (site_id)
                WHERE waiting.opportunities_due_at IS NOT NULL AND made.opportunities IS NOT NULL GROUP BY site_id)
            FOR UPDATE OF g SKIP LOCKED
          ) RETURNING id, account_id, superseded
        ), records AS (
          DELETE FROM rankings WHERE generation IN (SELECT id FROM gone)
        ), blocks AS (
          DELETE FROM ranking_blocks WHERE generation IN (SELECT id FROM gone)
        ), forgotten AS (
          UPDATE ranking_snapshots s SET oldest = greatest(s.oldest, gone.superseded)
          FROM (SELECT account_id, max(superseded) AS superseded FROM gone GROUP BY account_id) AS gone
          WHERE s.account_id = gone.account_id
        )
        SELECT count(*)::int AS purged FROM gone`
    })

    return { publish, purge: purge(undefined), withdraw }
  })
}) {}

/** A generation that was computed from a site's facts. */
export interface Generation {
  readonly period: { readonly start: string; readonly end: string }
  readonly records: number
  readonly movements: number
}

/** A generation, its coverage, and whether losses wait for the rest of its days. */
interface Renewed {
  readonly coverage: Coverage
  readonly generation: Generation
  readonly waits: boolean
}

/** From this number of records on, the planner's statistics are renewed immediately. */
const large = 5000

/** The rankings of sites, always computed over whole windows. */
export class Generations extends Effect.Service<Generations>()("rankings/generation/Generations", {
  dependencies: [
    ComputeRepo.Default,
    CoverageRepo.Default,
    IndexesRepo.Default,
    MovementEvents.Default,
    PublishRepo.Default
  ],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ComputeRepo
    const events = yield* MovementEvents
    const indexes = yield* IndexesRepo
    const { publish, purge, withdraw } = yield* PublishRepo
    const length = yield* WindowDays
    const coverage = yield* CoverageRepo

    const windows = (newestDay: string) => endingAt(Day.of(newestDay), length)

    /** Whether a day is in the windows that end at `newestDay`, in the weeks of opportunities, or later. */
    const concerns = (newestDay: string, day: string) => {
      const weeks = Day.of(newestDay) - historyLength + 1
      return day >= Day.format(Math.min(windows(newestDay).previous.start, weeks))
    }

    /** `parts`: the days may be incomplete, so many missing queries are yet to come. */
    const judged = (covered: Covered, parts: boolean) =>
      !parts || covered.isWhole || !covered.isComplete
        ? Effect.succeed(covered)
        : Effect.map(events.missing, (missing) => (isPart(missing) ? inPart(covered, missing) : covered))

    /** Computes and publishes the rankings of the windows that end at `newestDay`, at the end of the caller's transaction. */
    const renew = Traced.fn("Generations.renew")(function* (
      site: Site,
      number: number,
      newestDay: string,
      known: Covered,
      parts: boolean
    ) {
      const { current, previous } = windows(newestDay)
      const period = { start: Day.format(current.start), end: Day.format(current.end) }
      const periods = { ...period, previousStart: Day.format(previous.start) }
      const { id: generation } = yield* repo.begin({ account: site.account, site: site.id, ...periods })
      const { records, statuses } = yield* repo.compute({ generation, site: number, periods })
      const indexed = records < manyRecords
      if (indexed) yield* indexes.make(generation)
      const covered = yield* judged(known, parts)
      const movements = yield* events.publishBegun({ isComplete: covered.isComplete, number, period, site })
      yield* publish({
        account: site.account,
        coverage: covered.coverage,
        generation,
        indexed,
        records,
        site: site.id,
        statuses
      })
      return {
        coverage: covered.coverage,
        generation: { movements, period, records },
        waits: known.isComplete && !covered.isComplete
      } satisfies Renewed
    })

    /** The work after the commit of a renewal. */
    const settle = Traced.fn("Generations.settle")(function* ({ records }: Generation) {
      yield* purge
      if (records < manyRecords) yield* indexes.settleSearch
      if (records >= large) yield* Effect.orDie(sql`ANALYZE rankings`)
      if (records >= large && records < manyRecords) yield* indexes.analyse
    })

    return { concerns, covered: coverage.read, purge, renew, settle, withdraw }
  }).pipe(Effect.orDie)
}) {}
