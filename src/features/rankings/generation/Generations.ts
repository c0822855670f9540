import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Day from "../../../foundation/schema/Day.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { endingAt } from "../Days.ts"
import type { Coverage } from "../Domain.ts"
import { Compute } from "../opportunities/Compute.ts"
import { historyLength } from "../opportunities/Weeks.ts"
import { WindowDays } from "../Settings.ts"
import type { Site } from "../SitesRepo.ts"
import { Traffic } from "../traffic/Traffic.ts"
import { ComputeRepo } from "./ComputeRepo.ts"
import { CoverageRepo, type Covered, inPart, isPart } from "./Coverage.ts"
import { MovementEvents } from "./MovementEvents.ts"
import { PublishRepo } from "./PublishRepo.ts"

/** What was made of a site's facts. */
export interface Generation {
  readonly period: { readonly start: string; readonly end: string }
  readonly records: number
  readonly movements: number
}

/** A generation, what it covers, and whether losses wait until the rest of its days is there. */
interface Renewed {
  readonly coverage: Coverage
  readonly generation: Generation
  readonly waits: boolean
}

/** From this number of records on, the planner's statistics are renewed at once. */
const large = 5000

/** The rankings of sites, computed as a whole from one end of the windows to the other. */
export class Generations extends Effect.Service<Generations>()("rankings/generation/Generations", {
  dependencies: [
    Compute.Default,
    ComputeRepo.Default,
    CoverageRepo.Default,
    MovementEvents.Default,
    PublishRepo.Default,
    Traffic.Default
  ],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ComputeRepo
    const events = yield* MovementEvents
    const opportunities = yield* Compute
    const { publish, purge, settleSearch, withdraw } = yield* PublishRepo
    const traffic = yield* Traffic
    const length = yield* WindowDays
    const coverage = yield* CoverageRepo

    const windows = (newestDay: string) => endingAt(Day.of(newestDay), length)

    /** Whether facts of a day are in the windows that end at `newestDay`, in the weeks that opportunities look at, or after them. */
    const concerns = (newestDay: string, day: string) => {
      const weeks = Day.of(newestDay) - historyLength + 1
      return day >= Day.format(Math.min(windows(newestDay).previous.start, weeks))
    }

    /** `parts`: the days may have come in part, so that queries which they lack are yet to come when there are many. */
    const judged = (covered: Covered, parts: boolean) =>
      !parts || covered.isWhole || !covered.isComplete
        ? Effect.succeed(covered)
        : Effect.map(events.missing, (missing) => (isPart(missing) ? inPart(covered, missing) : covered))

    /** Computes and publishes the rankings of the windows that end at `newestDay`; inside the caller's transaction, as its last act. */
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
      const decay = yield* opportunities.run({ generation, newestDay, site: number })
      const covered = yield* judged(known, parts)
      const movements = yield* events.publishBegun({ isComplete: covered.isComplete, number, period, site })
      if (decay !== null) yield* traffic.publishBegun({ decay, newestDay, number, site })
      yield* publish({
        account: site.account,
        coverage: covered.coverage,
        generation,
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

    /** The work that follows the commit of a renewal. */
    const settle = Traced.fn("Generations.settle")(function* ({ records }: Generation) {
      yield* purge
      yield* settleSearch
      if (records >= large) yield* Effect.orDie(sql`ANALYZE rankings, ranking_blocks, ranking_orders`)
    })

    return { concerns, covered: coverage.read, purge, renew, settle, withdraw }
  }).pipe(Effect.orDie)
}) {}
