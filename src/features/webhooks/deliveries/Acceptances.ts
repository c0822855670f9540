import * as Effect from "effect/Effect"
import * as Retry from "effect/Schedule"
import { Outages } from "../../../foundation/database/Outages.ts"
import { leaseSeconds, writtenAtOnce } from "../Limits.ts"
import * as Batches from "./Batches.ts"
import type { Hand } from "./Hand.ts"
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

/** Records acceptances in batches. */
export const make = (worker: string, hand: Hand) =>
  Effect.flatMap(RecordRepo, (repo) =>
    Batches.make(writtenAtOnce, (batch: ReadonlyArray<Accepted>) =>
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
            Effect.zipRight(hand.doubt, Outages.report("Acceptances could not be recorded", cause))
          ),
          Effect.ensuring(hand.leave(batch.map(({ claim }) => claim)))
        )
    )
  )
