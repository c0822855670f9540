import * as Effect from "effect/Effect"
import * as Retry from "effect/Schedule"
import { Outages } from "../../../foundation/database/Outages.ts"
import { leaseSeconds, writtenAtOnce } from "../Limits.ts"
import * as Batches from "./Batches.ts"
import type { HeldClaims } from "./HeldClaims.ts"
import * as Metrics from "./Metrics.ts"
import type { Claim } from "./QueueRepo.ts"
import { RecordRepo } from "./RecordRepo.ts"

/** An accepted delivery, with its last attempt as JSON. */
export interface Delivered {
  readonly claim: Claim
  readonly attempt: string
}

/** While the database is away acceptances are kept for about as long as the lease may hold; after that another worker may have the deliveries. */
const patiently = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(leaseSeconds)))

/** Records accepted deliveries in batches. */
export const make = (worker: string, held: HeldClaims) =>
  Effect.flatMap(RecordRepo, (repo) =>
    Batches.make(writtenAtOnce, (batch: ReadonlyArray<Delivered>) =>
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
          Effect.catchAllCause((cause) =>
            Effect.zipRight(held.doubt, Outages.report("Accepted deliveries could not be recorded", cause))
          ),
          Effect.ensuring(held.release(batch.map(({ claim }) => claim)))
        )
    )
  )
