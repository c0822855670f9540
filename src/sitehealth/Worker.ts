import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { Outages } from "../database/Outages.ts"
import { wakeups } from "../database/Wakeups.ts"
import { between } from "../schema/Setting.ts"
import type { RunError } from "./Domain.ts"
import { ExecuteRun } from "./ExecuteRun.ts"
import { channel } from "./Limits.ts"
import { QueueRepo } from "./QueueRepo.ts"
import { RunEvents } from "./RunEvents.ts"

/** Runs that this process executes at once. */
export const RunsAtOnce = Config.integer("FINDABLE_RUNS_AT_ONCE").pipe(
  between(1, 100),
  Config.withDefault(4),
  Config.withDescription("site health runs that a worker process executes at once")
)

const lost: RunError = { code: "worker_lost", message: "The worker of this run stopped; start a new run" }

/** Ends runs whose worker died, wherever that was: 15 s of lease and at most 2 s until somebody looks. */
const sweeper = Effect.gen(function* () {
  const repo = yield* QueueRepo
  const events = yield* RunEvents
  const sweep = repo.expire(lost).pipe(
    Effect.tap((runs) => Effect.forEach(runs, (run) => events.failed(run, lost))),
    repo.transaction
  )
  yield* sweep.pipe(
    Effect.catchAllCause((cause) => Outages.report("Looking for lost runs failed", cause)),
    Effect.repeat(Schedule.spaced("2 seconds")),
    Effect.forkScoped
  )
})

/** Claims queued runs one after the other; a graceful stop hands the run at hand back to the queue. */
const runner = Effect.gen(function* () {
  const repo = yield* QueueRepo
  const { execute } = yield* ExecuteRun
  const { next } = yield* wakeups(channel, "1 second")

  const turn = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      repo.claim,
      Option.match({
        onNone: () => restore(next),
        onSome: (claim) => Effect.onInterrupt(restore(execute(claim)), () => repo.handBack(claim))
      })
    )
  )
  yield* turn.pipe(
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(Outages.report("A run could not be claimed or ended", defect), Effect.sleep("1 second"))
    ),
    Effect.forever,
    Effect.forkScoped,
    Effect.replicateEffect(yield* RunsAtOnce, { discard: true })
  )
})

export const layer = Layer.scopedDiscard(Effect.zipRight(sweeper, runner)).pipe(
  Layer.provide([ExecuteRun.Default, QueueRepo.Default, RunEvents.Default])
)
