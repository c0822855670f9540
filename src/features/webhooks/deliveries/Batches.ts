import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Retry from "effect/Schedule"
import { Outages } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { leaseSeconds, writtenAtOnce } from "../Limits.ts"
import type { HeldClaims } from "./HeldClaims.ts"
import * as Metrics from "./Metrics.ts"
import type { Claim } from "./QueueRepo.ts"
import { RecordRepo } from "./RecordRepo.ts"

/**
 * Writes in batches: what arrives while one is being written is the next. At the end of its scope it writes the rest. What a worker that dies has not
 * written is lost, and those deliveries are sent again.
 */
export const make = <A, R>(most: number, write: (batch: ReadonlyArray<A>) => Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    const ended = yield* Queue.unbounded<A>()
    const writeSome = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(ended, 1, most)), (batch) => write(Chunk.toReadonlyArray(batch)))
    )
    const writeRest = Effect.flatMap(Queue.takeAll(ended), (rest) =>
      Chunk.isEmpty(rest) ? Effect.void : write(Chunk.toReadonlyArray(rest))
    )
    // A finalizer is uninterruptible, and a stop does not wait long for a database that takes nothing.
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(writeRest), `${leaseSeconds} seconds`))
    yield* Effect.forkScoped(Effect.forever(writeSome))
    return { add: (one: A) => Effect.asVoid(Queue.offer(ended, one)), unwritten: Queue.size(ended) }
  })

/** An accepted delivery, with its last attempt as JSON. */
interface Delivered {
  readonly claim: Claim
  readonly attempt: string
}

/** Through failures acceptances are kept for about as long as the lease may hold; after that another worker may have the deliveries. While the database takes nothing, nobody can have them. */
const patiently = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(leaseSeconds)))

/** Records accepted deliveries in batches. */
export const delivered = (worker: string, held: HeldClaims) =>
  Effect.flatMap(RecordRepo, (repo) =>
    make(writtenAtOnce, (batch: ReadonlyArray<Delivered>) =>
      repo
        .accepted({
          attempts: batch.map(({ attempt }) => attempt),
          ids: batch.map(({ claim }) => claim.id),
          numbers: batch.map(({ claim }) => claim.number),
          webhooks: [...new Set(batch.map(({ claim }) => claim.webhook))],
          worker
        })
        .pipe(
          Query.persisted,
          Effect.sandbox,
          Effect.retry(patiently),
          Effect.zipRight(Metrics.attempted("delivered", batch.length)),
          Effect.catchAllCause((cause) =>
            Effect.zipRight(held.doubt, Outages.report("Accepted deliveries could not be recorded", cause))
          ),
          Effect.ensuring(held.release(batch.map(({ claim }) => claim)))
        )
    )
  )
