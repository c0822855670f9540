import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { applied, waitOf } from "../../foundation/http/Prefer.ts"
import { Stopping } from "../../foundation/http/ServerContext.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Run, RunId } from "./Domain.ts"
import { endOfRun } from "./Limits.ts"
import { Runs } from "./Runs.ts"

/** Often at first, since small sites take a second, then every second. */
export const looks = Schedule.exponential("100 millis", 1.5).pipe(Schedule.union(Schedule.spaced("1 second")))

/** Waiting for the end of a run, as long as its reader prefers to. */
export class Waiting extends Effect.Service<Waiting>()("sitehealth/Waiting", {
  dependencies: [Runs.Default],
  effect: Effect.gen(function* () {
    const runs = yield* Runs
    const stopping = yield* Stopping

    const ended = (account: AccountId, id: RunId) =>
      Effect.repeat(runs.get(account, id), { schedule: looks, until: ({ finished_at }) => finished_at !== null })

    /** The run when it has ended, when the time of the preference is over, or when this node stops; at once without a preference. */
    const waited = (account: AccountId, run: Run, prefer: string | undefined) =>
      Option.match(run.finished_at === null ? waitOf(prefer, endOfRun) : Option.none(), {
        onNone: () => Effect.succeed(run),
        onSome: (seconds) =>
          ended(account, run.id).pipe(
            Effect.raceFirst(stopping.begun),
            Effect.timeoutOption(`${seconds} seconds`),
            Effect.interruptible,
            Effect.zipRight(applied(seconds)),
            Effect.zipRight(runs.get(account, run.id))
          )
      })

    return { waited }
  })
}) {}
