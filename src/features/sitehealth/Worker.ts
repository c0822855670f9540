import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Lease from "../../foundation/database/Lease.ts"
import * as Crawler from "./crawler/Crawler.ts"
import type { RunError } from "./Domain.ts"
import { ExecuteRun, failedCrawl } from "./ExecuteRun.ts"
import { channel } from "./Limits.ts"
import { QueueRepo } from "./QueueRepo.ts"
import { RunsAtOnce } from "./Settings.ts"

const lost: RunError = { code: "worker_lost", message: "The worker of this run stopped; start a new run" }

/** Executes queued runs until its scope ends. A run whose worker died fails and is not tried again: its caller decides. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { queue } = yield* QueueRepo
    const { store, work } = yield* ExecuteRun
    yield* Lease.worker({
      atOnce: yield* RunsAtOnce,
      channel,
      broken: () => Either.left(failedCrawl("The crawl failed unexpectedly; see the server log")),
      lost: () => Either.left(lost),
      name: "run",
      outcome: Either.match({ onLeft: ({ code }) => code, onRight: () => "completed" }),
      queue,
      store,
      work
    })
  })
).pipe(Layer.provide([Layer.provide(ExecuteRun.Default, Crawler.layer), QueueRepo.Default]))
