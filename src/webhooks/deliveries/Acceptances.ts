import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Retry from "effect/Schedule"
import { Outages } from "../../database/Outages.ts"
import { acceptedAtOnce, leaseSeconds } from "../Limits.ts"
import * as Metrics from "./Metrics.ts"
import type { Claim } from "./QueueRepo.ts"
import { RecordRepo } from "./RecordRepo.ts"

/** An accepted delivery, with the JSON of the attempt that was. */
export interface Accepted {
  readonly claim: Claim
  readonly attempt: string
}

/** While the database is away acceptances are kept for as long as the lease may hold; after that the deliveries are somebody else's. */
const patiently = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(leaseSeconds)))

/**
 * Records acceptances in batches: what is accepted while one batch is being written is the next one. A worker that dies takes the batch that is not
 * written with it, and its deliveries are sent again. At its end it writes what it has.
 */
export const make = (worker: string) =>
  Effect.gen(function* () {
    const repo = yield* RecordRepo
    const ended = yield* Queue.unbounded<Accepted>()

    const write = (batch: ReadonlyArray<Accepted>) =>
      repo
        .accepted({
          attempts: batch.map(({ attempt }) => attempt),
          ids: batch.map(({ claim }) => claim.id),
          numbers: batch.map(({ claim }) => claim.number),
          webhooks: [...new Set(batch.map(({ claim }) => claim.webhook))],
          worker
        })
        .pipe(
          Effect.sandbox,
          Effect.retry(patiently),
          Effect.zipRight(Metrics.attempted("delivered", batch.length)),
          Effect.catchAllCause((cause) => Outages.report("Acceptances could not be recorded", cause))
        )

    const writeSome = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(ended, 1, acceptedAtOnce)), (batch) =>
        write(Chunk.toReadonlyArray(batch))
      )
    )
    const writeRest = Effect.flatMap(Queue.takeAll(ended), (rest) =>
      Chunk.isEmpty(rest) ? Effect.void : write(Chunk.toReadonlyArray(rest))
    )
    yield* Effect.addFinalizer(() => writeRest)
    yield* Effect.forkScoped(Effect.forever(writeSome))
    return { add: (accepted: Accepted) => ended.unsafeOffer(accepted), unwritten: Queue.size(ended) }
  })
export type Acceptances = Effect.Effect.Success<ReturnType<typeof make>>
